# Set: keys of a dictionary. The operations between sets are in sets.jl.

Set() = _set_new(Any)
Set{T}() where {T} = _set_new(T)
Set{T}(itr) where {T} = _filled_set!(Set{T}(), itr)
Set(itr) = _set_of(itr, eltype(itr))
Set(s::AbstractSet{T}) where {T} = Set{T}(s)
_set_of(itr, ::Type{T}) where {T} = IteratorEltype(itr) isa EltypeUnknown ? _set_of_unknown(itr) : Set{T}(itr)
function _set_of_unknown(itr)
    elements = collect(itr)
    s = Set{eltype(elements)}()
    for x in elements
        push!(s, x)
    end
    return s
end
function _filled_set!(s, itr)
    (itr isa AbstractArray || itr isa Tuple || itr isa AbstractSet) && sizehint!(s, length(itr))
    for x in itr
        push!(s, x)
    end
    return s
end
convert(::Type{T}, s::T) where {T<:AbstractSet} = s
convert(::Type{Set{T}}, s::AbstractSet) where {T} = Set{T}(s)
convert(::Type{Set{T}}, s::Set{T}) where {T} = s

push!(s::Set, x) = _set_push(s, x)
push!(s::Set, xs...) = _set_push(s, xs...)
in(x, s::Set) = _set_in(s, x)
function in!(x, s::AbstractSet)
    x in s && return true
    push!(s, x)
    return false
end
delete!(s::Set, x) = (_dict_delete(s.dict, x); s)
function pop!(s::Set, x)
    x in s || throw(KeyError(x))
    _dict_delete(s.dict, x)
    return x
end
pop!(s::Set, x, default) = x in s ? pop!(s, x) : default
function pop!(s::AbstractSet)
    isempty(s) && throw(ArgumentError("set must be non-empty"))
    x = first(s)
    delete!(s, x)
    return x
end
first(s::AbstractSet) = isempty(s) ? throw(ArgumentError("collection must be non-empty")) : iterate(s)[1]
length(s::Set) = _dict_length(s.dict)
isempty(s::Set) = _dict_length(s.dict) == 0
iterate(s::Set) = _dict_iterate_keys(s.dict)
iterate(s::Set, i::Int) = _dict_iterate_keys(s.dict, i)
collect(s::Set) = _dict_all_keys(s.dict)
eltype(::Type{<:AbstractSet{T}}) where {T} = T
copy(s::Set{T}) where {T} = _new(Set{T}, _dict_copy(s.dict))
copymutable(s::Set) = copy(s)
copy(s::AbstractSet) = Set(s)
empty!(s::Set) = (_dict_empty(s.dict); s)
empty(s::AbstractSet{T}) where {T} = Set{T}()
empty(s::AbstractSet, ::Type{T}) where {T} = Set{T}()
emptymutable(s::AbstractSet{T}, ::Type{U} = T) where {T,U} = Set{U}()
sizehint!(s::Set, n::Integer; shrink::Bool = true) = (_dict_sizehint(s.dict, n); s)
function filter(f, s::AbstractSet)
    out = empty(s)
    for x in s
        f(x) && push!(out, x)
    end
    return out
end
function filter!(f, s::AbstractSet)
    for x in collect(s)
        f(x) || delete!(s, x)
    end
    return s
end
map(f, ::AbstractSet) = error("map is not defined on sets")
==(a::AbstractSet, b::AbstractSet) = length(a) == length(b) && all(x -> x in b, a)
isequal(a::AbstractSet, b::AbstractSet) = length(a) == length(b) && all(x -> x in b, a)
<(a::AbstractSet, b::AbstractSet) = length(a) < length(b) && all(x -> x in b, a)
<=(a::AbstractSet, b::AbstractSet) = length(a) <= length(b) && all(x -> x in b, a)
function replace!(f::Function, s::AbstractSet; count::Integer = typemax(Int))
    new = [n <= count ? f(x) : x for (n, x) in enumerate(collect(s))]
    empty!(s)
    for x in new
        push!(s, x)
    end
    return s
end
replace!(s::AbstractSet, ps::Pair...; count::Integer = typemax(Int)) = replace!(x -> _replaced(x, ps), s; count = count)
replace!(d::AbstractDict, ps::Pair...; count::Integer = typemax(Int)) = replace!(x -> _replaced(x, ps), d; count = count)
function _replaced(x, ps)
    for p in ps
        isequal(p.first, x) && return p.second
    end
    return x
end
replace(f::Function, s::Union{AbstractSet,AbstractDict}; count::Integer = typemax(Int)) = replace!(f, copy(s); count = count)
replace(s::Union{AbstractSet,AbstractDict}, ps::Pair...; count::Integer = typemax(Int)) = replace!(copy(s), ps...; count = count)

export Set, AbstractSet, in!
