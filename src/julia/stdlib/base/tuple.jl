# Tuples.

length(t::Tuple) = _tuple_length(t)
size(t::Tuple, d::Integer) = d == 1 ? length(t) : throw(ArgumentError("invalid tuple dimension $d"))
axes(t::Tuple) = (OneTo(length(t)),)
firstindex(t::Tuple) = 1
lastindex(t::Tuple) = _tuple_length(t)
keys(t::Tuple) = OneTo(length(t))
isempty(::Tuple{}) = true
isempty(t::Tuple) = false
eltype(T::Type{<:Tuple}) = _tuple_eltype(T)
eltype(::Type{Tuple{}}) = Union{}
getindex(t::Tuple, i::Int) = _tuple_get(t, i)
getindex(t::Tuple, i::Integer) = _tuple_get(t, i)
getindex(t::Tuple, ::Colon) = t
getindex(t::Tuple, r::AbstractUnitRange{<:Integer}) = _tuple_select(t, r)
getindex(t::Tuple, r::AbstractArray{<:Any,1}) = _tuple_select(t, r)
getindex(t::Tuple, b::AbstractArray{Bool,1}) =
    length(b) == length(t) ? _tuple_select(t, true_positions(b)) : throw(BoundsError(t, b))
checkbounds(::Type{Bool}, t::Tuple, i::Integer) = 1 <= i <= length(t)
haskey(t::Tuple, i::Integer) = 1 <= i <= length(t)
get(t::Tuple, i::Integer, default) = 1 <= i <= length(t) ? t[i] : default
get(f::Callable, t::Tuple, i::Integer) = 1 <= i <= length(t) ? t[i] : f()
setindex(t::Tuple, v, i::Integer) = _tuple_with(t, v, i)
iterate(t::Tuple) = _tuple_iterate(t)
iterate(t::Tuple, i::Int) = _tuple_iterate(t, i)
nextind(t::Tuple, i::Integer) = i + 1
prevind(t::Tuple, i::Integer) = i - 1

tail(t::Tuple{}) = throw(ArgumentError("Cannot call tail on an empty tuple."))
tail(t::Tuple) = _tuple_tail(t)
front(t::Tuple{}) = throw(ArgumentError("Cannot call front on an empty tuple."))
front(t::Tuple) = _tuple_front(t)
first(t::Tuple) = _tuple_get(t, 1)
last(t::Tuple{}) = throw(BoundsError(t, (0,)))
last(t::Tuple) = _tuple_get(t, _tuple_length(t))
reverse(t::Tuple) = _tuple_reverse(t)
ntuple(f, n::Integer) = n < 0 ? throw(ArgumentError("tuple length should be ≥ 0, got $n")) : _tuple_collect((f(i) for i in 1:n))
ntuple(f, ::Val{N}) where {N} = ntuple(f, N)
only(t::Tuple{Any}) = t[1]
only(t::Tuple) = throw(ArgumentError("Tuple contains $(length(t)) elements, must contain exactly 1 element"))

(::Type{Tuple})(itr) = _tuple_collect(itr)
(::Type{Tuple})(t::Tuple) = t
(::Type{Tuple})(x::Number) = (x,)
(::Type{Tuple{}})() = ()
(::Type{T})(itr) where {T<:Tuple} = convert_to_tuple(T, itr)
(::Type{T})(t::Tuple) where {T<:Tuple} = convert(T, t)
function convert_to_tuple(::Type{T}, itr) where {T<:Tuple}
    t = _tuple_collect(itr)
    n = _tuple_least_length(T)
    if length(t) > n >= 0
        t = _tuple_select(t, 1:n)
    end
    length(t) < n && throw(ArgumentError("too few elements for tuple type $T"))
    return convert(T, t)
end
convert(::Type{T}, t::T) where {T<:Tuple} = t
convert(T::Type{<:Tuple}, t::Tuple) = _tuple_convert(T, t)
convert(::Type{T}, I::CartesianIndex) where {T<:Tuple} = convert(T, I.I)

function ==(a::Tuple, b::Tuple)
    same = _tuple_equal(a, b)
    return same === nothing ? equal_tuples(a, b) : same
end
function equal_tuples(a::Tuple, b::Tuple)
    unknown = false
    for i in 1:length(a)
        same = a[i] == b[i]
        if same isa Missing
            unknown = true
        elseif !same
            return false
        end
    end
    return unknown ? missing : true
end
function isequal(a::Tuple, b::Tuple)
    same = _tuple_isequal(a, b)
    return same === nothing ? isequal_tuples(a, b) : same
end
function isequal_tuples(a::Tuple, b::Tuple)
    for i in 1:length(a)
        isequal(a[i], b[i]) || return false
    end
    return true
end
function <(a::Tuple, b::Tuple)
    for i in 1:min(length(a), length(b))
        same = a[i] == b[i]
        same isa Missing && return missing
        same || return a[i] < b[i]
    end
    return length(a) < length(b)
end
function isless(a::Tuple, b::Tuple)
    isempty(a) && return !isempty(b)
    isempty(b) && return false
    isless(a[1], b[1]) && return true
    isless(b[1], a[1]) && return false
    return isless(tail(a), tail(b))
end
function cmp(a::Tuple, b::Tuple)
    return isless(a, b) ? -1 : isless(b, a) ? 1 : 0
end
copy(t::Tuple) = t
sizeof(t::Tuple) = _bits_size(typeof(t))

# ---- pairs

(::Type{Pair})(a::A, b::B) where {A,B} = _new(Pair{A,B}, a, b)
(::Type{Pair{A,B}})(a, b) where {A,B} = _new(Pair{A,B}, a, b)
(::Type{Pair{A,B}})(p::Pair) where {A,B} = _new(Pair{A,B}, p.first, p.second)
=>(a::A, b::B) where {A,B} = _new(Pair{A,B}, a, b)
getindex(p::Pair, i::Int) = i == 1 ? p.first : i == 2 ? p.second : throw(BoundsError(p, i))
length(::Pair) = 2
firstindex(::Pair) = 1
lastindex(::Pair) = 2
first(p::Pair) = p.first
last(p::Pair) = p.second
keys(::Pair) = OneTo(2)
iterate(p::Pair, i=1) = i > 2 ? nothing : (p[i], i + 1)
eltype(::Type{Pair{A,B}}) where {A,B} = promote_typejoin(A, B)
reverse(p::Pair) = p.second => p.first
==(a::Pair, b::Pair) = (a.first == b.first) & (a.second == b.second)
isequal(a::Pair, b::Pair) = isequal(a.first, b.first) && isequal(a.second, b.second)
isless(a::Pair, b::Pair) = isless(a.first, b.first) || (isequal(a.first, b.first) && isless(a.second, b.second))
convert(::Type{Pair{A,B}}, p::Pair) where {A,B} = _new(Pair{A,B}, p.first, p.second)
convert(::Type{T}, p::T) where {T<:Pair} = p

export ntuple, only, first, last, reverse, Pair, =>
