# What names mean as code.
module Meta

isidentifier(s::Union{Symbol,AbstractString}) = _is_identifier(s)
isoperator(s::Union{Symbol,AbstractString}) = _is_operator(s)
isunaryoperator(s::Symbol) = s in (:+, :-, :!, :~, :¬, :√, :∛, :∜, :⋆, :±, :∓, :<:, :>:, Symbol("&"))
isbinaryoperator(s::Symbol) = _is_operator(s) && !(s in (:!, :¬, :√, :∛, :∜, :~)) && !ispostfixoperator(s)
ispostfixoperator(s::Symbol) = startswith(String(s), '\'')
parse(text::AbstractString, rest...; options...) = _out_of_scope(Symbol("Meta.parse"))
lower(m, code) = _out_of_scope(Symbol("Meta.lower"))

end

Task(f) = _out_of_scope(:Task)
QuoteNode(x) = _new(QuoteNode, x)

function dump(io::IO, x; maxdepth::Integer = 8)
    _dump(io, x, maxdepth, "")
    println(io)
end
dump(x; maxdepth::Integer = 8) = dump(stdout, x; maxdepth = maxdepth)
function _dump(io::IO, x, depth, indent)
    T = typeof(x)
    if x isa Union{AbstractString,Symbol} || x isa Function
        print(io, T, " ", repr(x))
    elseif x isa Type
        print(io, T, " ", x)
    elseif x isa Array
        print(io, T, "(", size(x), ") ", eltype(x) <: Union{Number,AbstractString} ? repr(x) : "")
        if !(eltype(x) <: Union{Number,AbstractString}) && depth > 0
            for i in eachindex(x)
                print(io, "\n", indent, "  ", i, ": ")
                _dump(io, x[i], depth - 1, indent * "  ")
            end
        end
    elseif nfields(x) == 0
        print(io, T, " ", x)
    else
        print(io, T)
        depth > 0 || return nothing
        for i in 1:nfields(x)
            print(io, "\n", indent, "  ", fieldname(T, i), ": ")
            isdefined(x, i) ? _dump(io, getfield(x, i), depth - 1, indent * "  ") : print(io, "#undef")
        end
    end
    return nothing
end

export Meta, dump
