# Named tuples and the pairs of what has keys.

(::Type{NamedTuple{names}})(t::Tuple) where {names} = _named_tuple(names, t)
(::Type{NamedTuple{names}})(itr) where {names} = _named_tuple(names, Tuple(itr))
(::Type{NamedTuple{names}})(nt::NamedTuple) where {names} = _named_tuple(names, _named_values(nt, names))
function (::Type{NamedTuple{names,T}})(t::Tuple) where {names,T<:Tuple}
    length(t) == length(names) || throw(ArgumentError("Wrong number of arguments to named tuple constructor."))
    return _new(NamedTuple{names,T}, t...)
end
(::Type{NamedTuple{names,T}})(itr) where {names,T<:Tuple} = _new(NamedTuple{names,T}, Tuple(itr)...)
(::Type{NamedTuple{names,T}})(nt::NamedTuple) where {names,T<:Tuple} = _new(NamedTuple{names,T}, _named_values(nt, names)...)
(::Type{NamedTuple})(; kw...) = named_of_pairs(kw)
(::Type{NamedTuple})(nt::NamedTuple) = nt
(::Type{NamedTuple})(itr) = merge(NamedTuple(), itr)
(::Type{NamedTuple{()}})() = _named_tuple((), ())
(::Type{NamedTuple{()}})(t::Tuple) = _named_tuple((), t)
named_of_pairs(kw::Pairs) = kw.data
convert(::Type{NamedTuple{names,T}}, nt::NamedTuple{names,T}) where {names,T<:Tuple} = nt
convert(::Type{NT}, nt::NT) where {NT<:NamedTuple} = nt
convert(::Type{NamedTuple{names,T}}, nt::NamedTuple{names}) where {names,T<:Tuple} = _new(NamedTuple{names,T}, Tuple(nt)...)
convert(::Type{NamedTuple{names}}, nt::NamedTuple{names}) where {names} = nt
(::Type{Tuple})(nt::NamedTuple) = _named_values(nt)

length(nt::NamedTuple) = _named_length(nt)
isempty(nt::NamedTuple) = _named_length(nt) == 0
firstindex(nt::NamedTuple) = 1
lastindex(nt::NamedTuple) = _named_length(nt)
keys(nt::NamedTuple{names}) where {names} = names
keys(::Type{<:NamedTuple{names}}) where {names} = names
propertynames(nt::NamedTuple{names}) where {names} = names
values(nt::NamedTuple) = _named_values(nt)
eltype(::Type{<:NamedTuple{names,T}}) where {names,T} = eltype(T)
haskey(nt::NamedTuple, key::Symbol) = _isdefined(nt, key)
haskey(nt::NamedTuple, key::Integer) = 1 <= key <= length(nt)
hasproperty(nt::NamedTuple, key::Symbol) = _isdefined(nt, key)
get(nt::NamedTuple, key::Union{Symbol,Integer}, default) = haskey(nt, key) ? nt[key] : default
get(f::Callable, nt::NamedTuple, key::Union{Symbol,Integer}) = haskey(nt, key) ? nt[key] : f()
getindex(nt::NamedTuple, key::Symbol) = _getfield(nt, key)
getindex(nt::NamedTuple, i::Int) = _getfield(nt, i)
getindex(nt::NamedTuple, names::Tuple{Vararg{Symbol}}) = _named_tuple(names, _named_values(nt, names))
getindex(nt::NamedTuple, names::AbstractVector{Symbol}) = nt[Tuple(names)]
getindex(nt::NamedTuple, ::Colon) = nt
iterate(nt::NamedTuple) = _tuple_iterate(_named_values(nt))
iterate(nt::NamedTuple, i::Int) = _tuple_iterate(_named_values(nt), i)
first(nt::NamedTuple) = first(values(nt))
last(nt::NamedTuple) = last(values(nt))
tail(nt::NamedTuple) = _named_tuple(tail(keys(nt)), tail(values(nt)))
front(nt::NamedTuple) = _named_tuple(front(keys(nt)), front(values(nt)))
reverse(nt::NamedTuple) = _named_tuple(reverse(keys(nt)), reverse(values(nt)))
copy(nt::NamedTuple) = nt
empty(nt::NamedTuple) = _named_tuple((), ())
nextind(nt::NamedTuple, i::Integer) = Int(i) + 1
prevind(nt::NamedTuple, i::Integer) = Int(i) - 1
keytype(nt::NamedTuple) = Symbol
valtype(nt::NamedTuple) = eltype(typeof(nt))

merge(a::NamedTuple) = a
merge(a::NamedTuple, b::NamedTuple) = _named_merge(a, b)
merge(a::NamedTuple, b::NamedTuple, cs::NamedTuple...) = merge(_named_merge(a, b), cs...)
merge(a::NamedTuple, b::NamedTuple{()}) = a
function merge(a::NamedTuple, itr)
    out = a
    for (k, v) in itr
        out = _named_merge(out, _named_tuple((k::Symbol,), (v,)))
    end
    return out
end
setindex(nt::NamedTuple, v, name::Symbol) = _named_merge(nt, _named_tuple((name,), (v,)))
structdiff(a::NamedTuple, b::NamedTuple) = _named_without(a, keys(b))
structdiff(a::NamedTuple, ::Type{<:NamedTuple{names}}) where {names} = _named_without(a, names)
delete(nt::NamedTuple, name::Symbol) = _named_without(nt, (name,))
diff_names(a::Tuple, b::Tuple) = keys(_named_without(_named_tuple(a, a), b))

==(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = Tuple(a) == Tuple(b)
==(a::NamedTuple, b::NamedTuple) = false
isequal(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = isequal(Tuple(a), Tuple(b))
isequal(a::NamedTuple, b::NamedTuple) = false
<(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = Tuple(a) < Tuple(b)
isless(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = isless(Tuple(a), Tuple(b))
propertynames(t::Tuple) = ntuple(identity, length(t))

# ---- pairs: what keys lead to

(::Type{Pairs})(data, keys) = _new(Pairs{eltype(keys),eltype(data),typeof(keys),typeof(data)}, data, keys)
(::Type{Pairs{K,V,I,A}})(data, itr) where {K,V,I,A} = _new(Pairs{K,V,I,A}, data, itr)
pairs(nt::NamedTuple) = _new(Pairs{Symbol,eltype(typeof(nt)),typeof(keys(nt)),typeof(nt)}, nt, keys(nt))
pairs(A::AbstractArray) = Pairs(A, keys(A))
pairs(A::AbstractVector) = Pairs(A, LinearIndices(A))
pairs(::IndexLinear, A::AbstractArray) = Pairs(A, LinearIndices(A))
pairs(::IndexCartesian, A::AbstractArray) = Pairs(A, CartesianIndices(axes(A)))
pairs(t::Tuple) = Pairs(t, keys(t))
pairs(p::Pairs) = p
pairs(data) = Pairs(data, keys(data))
length(p::Pairs) = length(getfield(p, :itr))
size(p::Pairs) = size(getfield(p, :itr))
axes(p::Pairs) = axes(getfield(p, :itr))
isempty(p::Pairs) = isempty(getfield(p, :itr))
keys(p::Pairs) = getfield(p, :itr)
values(p::Pairs) = getfield(p, :data)
eltype(::Type{<:Pairs{K,V}}) where {K,V} = Pair{K,V}
haskey(p::Pairs, k) = k in getfield(p, :itr)
getindex(p::Pairs, k) = getindex(getfield(p, :data), k)
get(p::Pairs, k, default) = haskey(p, k) ? p[k] : default
function setindex!(p::Pairs, v, k)
    getfield(p, :data)[k] = v
    return p
end
function iterate(p::Pairs, state...)
    next = iterate(getfield(p, :itr), state...)
    next === nothing && return nothing
    return (Pair{keytype(p),valtype(p)}(next[1], getfield(p, :data)[next[1]]), next[2])
end
function iterate(p::Pairs{Symbol}, state...)
    next = iterate(getfield(p, :itr), state...)
    next === nothing && return nothing
    return (next[1] => getfield(p, :data)[next[1]], next[2])
end
keytype(p::Pairs{K}) where {K} = K
valtype(p::Pairs{K,V}) where {K,V} = V
keytype(A::AbstractArray) = eltype(keys(A))
valtype(A::AbstractArray) = eltype(A)
merge(a::NamedTuple, p::Pairs{<:Any,<:Any,<:Any,<:NamedTuple}) = _named_merge(a, getfield(p, :data))
(::Type{NamedTuple})(p::Pairs{<:Any,<:Any,<:Any,<:NamedTuple}) = getfield(p, :data)
IteratorSize(::Type{<:Pairs{<:Any,<:Any,I}}) where {I} = IteratorSize(I)

export pairs, merge, propertynames, hasproperty, keytype, valtype
