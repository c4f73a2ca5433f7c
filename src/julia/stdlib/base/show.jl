# show and display. What has no method of its own is printed by the host (`_show`, `_show_plain`), which asks for the program's
# methods of what is inside.

MIME(s::Union{AbstractString,Symbol}) = MIME{Symbol(s)}()
show(io::IO, m::MIME{mime}) where {mime} = print(io, "MIME type ", string(mime))
print(io::IO, m::MIME{mime}) where {mime} = print(io, string(mime))
istextmime(m::MIME{mime}) where {mime} = startswith(string(mime), "text/")
istextmime(m::AbstractString) = istextmime(MIME(m))

show(x) = show(stdout, x)
show(io::IO, x) = _show(io, x)
show(io::IO, m::AbstractString, x) = show(io, MIME(m), x)
show(io::IO, ::MIME{Symbol("text/plain")}, x) = _show_plain(io, x)
show(m::MIME, x) = show(stdout, m, x)
show_default(io::IO, x) = _show(io, x)
showable(m::AbstractString, x) = showable(MIME(m), x)
showable(::MIME{Symbol("text/plain")}, x) = true
showable(m::MIME, x) = applicable(show, stdout, m, x)
display(x) = _display(x)
display(m::AbstractString, x) = (show(stdout, MIME(m), x); println())
display(m::MIME, x) = (show(stdout, m, x); println())
repr(x; context = nothing) = context === nothing ? _repr(x) : sprint(show, x; context = context)
repr(m::Union{MIME,AbstractString}, x; context = nothing) = sprint(show, m, x; context = context)
summary(x) = _summary(x)
summary(io::IO, x) = print(io, summary(x))

show(io::IO, m::Module) = print(io, _module_text(m))
show(io::IO, io2::IOBuffer) = print(io, "IOBuffer(data=UInt8[...], readable=", isreadable(io2), ", writable=", iswritable(io2),
    ", seekable=true, append=false, size=", _io_size(io2), ", maxsize=Inf, ptr=", position(io2) + 1, ", mark=-1)")
show(io::IO, e::EachStringIndex) = print(io, "EachStringIndex(", repr(e.s), ")")
function show(io::IO, ::MIME{Symbol("text/plain")}, ks::KeySet)
    n = length(ks)
    print(io, "KeySet for a ", typeof(ks.dict), " with ", n, n == 1 ? " entry. Keys:" : " entries. Keys:")
    for k in ks
        print(io, "\n  ", repr(k))
    end
end
function show(io::IO, ::MIME{Symbol("text/plain")}, vs::ValueIterator)
    n = length(vs)
    print(io, "ValueIterator for a ", typeof(vs.dict), " with ", n, n == 1 ? " entry. Values:" : " entries. Values:")
    for v in vs
        print(io, "\n  ", repr(v))
    end
end
show(io::IO, ks::KeySet) = print(io, "KeySet(", repr(collect(ks)), ")")
show(io::IO, vs::ValueIterator) = print(io, "ValueIterator(", repr(collect(vs)), ")")
function show(io::IO, s::Some{T}) where {T}
    print(io, get(io, :typeinfo, Any) == Some{T} || typeof(s.value) === T ? "Some" : Some{T}, "(")
    show(io, s.value)
    print(io, ")")
end
show(io::IO, r::RefValue) = (print(io, typeof(r), "("); isdefined(r, :x) ? show(io, r.x) : print(io, "#undef"); print(io, ")"))

# By the ranges that they are made of; those that start at 1 by their lengths.
function _show_indices(io::IO, R::CartesianIndices)
    print(io, "CartesianIndices((")
    for (k, r) in enumerate(R.indices)
        k > 1 && print(io, ", ")
        r isa OneTo ? print(io, length(r)) : print(io, r)
    end
    print(io, length(R.indices) == 1 ? ",))" : "))")
end
show(io::IO, ::MIME{Symbol("text/plain")}, R::CartesianIndices) = _show_indices(io, R)
show(io::IO, R::CartesianIndices) = _show_indices(io, R)

export MIME, show, display, repr, summary, showable, istextmime
