# Reductions of collections.

export mapreduce, reduce, mapfoldl, mapfoldr, foldl, foldr, sum, prod, maximum, minimum, extrema, findmax, findmin, argmax, argmin,
    any, all, count

struct _InitialValue end

# ---- operations that widen, and what reductions of one element and of none give

const SmallSigned = Union{Int8,Int16,Int32}
const SmallUnsigned = Union{UInt8,UInt16,UInt32}

add_sum(x, y) = x + y
add_sum(x::SmallSigned, y::SmallSigned) = Int(x) + Int(y)
add_sum(x::SmallUnsigned, y::SmallUnsigned) = UInt(x) + UInt(y)
mul_prod(x, y) = x * y
mul_prod(x::SmallSigned, y::SmallSigned) = Int(x) * Int(y)
mul_prod(x::SmallUnsigned, y::SmallUnsigned) = UInt(x) * UInt(y)

reduce_first(op, x) = x
reduce_first(::typeof(+), x::Bool) = Int(x)
reduce_first(::typeof(*), x::AbstractChar) = string(x)
reduce_first(::typeof(add_sum), x) = reduce_first(+, x)
reduce_first(::typeof(add_sum), x::SmallSigned) = Int(x)
reduce_first(::typeof(add_sum), x::SmallUnsigned) = UInt(x)
reduce_first(::typeof(mul_prod), x) = reduce_first(*, x)
reduce_first(::typeof(mul_prod), x::SmallSigned) = Int(x)
reduce_first(::typeof(mul_prod), x::SmallUnsigned) = UInt(x)
mapreduce_first(f, op, x) = reduce_first(op, f(x))

_empty_reduce_error() =
    throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
reduce_empty(op, ::Type{T}) where {T} = _empty_reduce_error()
reduce_empty(::typeof(+), ::Type{Union{}}) = _empty_reduce_error()
reduce_empty(::typeof(+), ::Type{T}) where {T} = zero(T)
reduce_empty(::typeof(+), ::Type{Bool}) = 0
reduce_empty(::typeof(*), ::Type{Union{}}) = _empty_reduce_error()
reduce_empty(::typeof(*), ::Type{T}) where {T} = one(T)
reduce_empty(::typeof(*), ::Type{<:AbstractChar}) = ""
reduce_empty(::typeof(&), ::Type{Bool}) = true
reduce_empty(::typeof(|), ::Type{Bool}) = false
reduce_empty(::typeof(add_sum), ::Type{Union{}}) = _empty_reduce_error()
reduce_empty(::typeof(add_sum), ::Type{T}) where {T} = reduce_empty(+, T)
reduce_empty(::typeof(add_sum), ::Type{T}) where {T<:SmallSigned} = 0
reduce_empty(::typeof(add_sum), ::Type{T}) where {T<:SmallUnsigned} = UInt(0)
reduce_empty(::typeof(mul_prod), ::Type{Union{}}) = _empty_reduce_error()
reduce_empty(::typeof(mul_prod), ::Type{T}) where {T} = reduce_empty(*, T)
reduce_empty(::typeof(mul_prod), ::Type{T}) where {T<:SmallSigned} = 1
reduce_empty(::typeof(mul_prod), ::Type{T}) where {T<:SmallUnsigned} = UInt(1)

mapreduce_empty(f, op, ::Type{T}) where {T} = _empty_reduce_error()
mapreduce_empty(::typeof(identity), op, ::Type{T}) where {T} = reduce_empty(op, T)
mapreduce_empty(::typeof(abs), op, ::Type{T}) where {T} = abs(reduce_empty(op, T))
mapreduce_empty(::typeof(abs2), op, ::Type{T}) where {T} = abs2(reduce_empty(op, T))
mapreduce_empty(::typeof(abs), ::typeof(max), ::Type{T}) where {T} = abs(zero(T))
mapreduce_empty(::typeof(abs2), ::typeof(max), ::Type{T}) where {T} = abs2(zero(T))
mapreduce_empty_iter(f, op, itr) = _mapreduce_empty(f, op, itr, IteratorEltype(itr))
_mapreduce_empty(f, op, itr, ::HasEltype) = mapreduce_empty(f, op, eltype(itr))
_mapreduce_empty(f, op, itr, ::IteratorEltype) = _empty_reduce_error()

# ---- folds in order

mapfoldl(f, op, itr; init=_InitialValue()) = mapfoldl_impl(f, op, init, itr)
function mapfoldl_impl(f, op, ::_InitialValue, itr)
    (found, value) = _foldl(f, op, itr)
    found || return mapreduce_empty_iter(f, op, itr)
    return value
end
mapfoldl_impl(f, op, init, itr) = _foldl_from(f, op, init, itr)
foldl(op, itr; init=_InitialValue()) = mapfoldl_impl(identity, op, init, itr)

struct FlipArgs{F}
    op::F
end
(f::FlipArgs)(x, y) = f.op(y, x)
reduce_first(f::FlipArgs, x) = reduce_first(f.op, x)
mapfoldr(f, op, itr; init=_InitialValue()) = mapfoldr_impl(f, op, init, itr)
function mapfoldr_impl(f, op, ::_InitialValue, itr)
    (found, value) = _foldl(f, FlipArgs(op), lazy_reverse(itr))
    found || return mapreduce_empty_iter(f, op, itr)
    return value
end
mapfoldr_impl(f, op, init, itr) = _foldl_from(f, FlipArgs(op), init, lazy_reverse(itr))
foldr(op, itr; init=_InitialValue()) = mapfoldr_impl(identity, op, init, itr)

# ---- reductions whose order is left open

mapreduce(f, op, itr; init=_InitialValue()) = mapfoldl_impl(f, op, init, itr)
mapreduce(f, op, A::AbstractArray; dims=:, init=_InitialValue()) = _mapreduce_dim(f, op, init, A, dims)
mapreduce(f, op, A::AbstractArray, B::AbstractArray...; k...) = reduce(op, map(f, A, B...); k...)
mapreduce(f, op, itr, itrs...; k...) = reduce(op, _generator_of(f, itr, itrs...); k...)
mapreduce(f, op, x::Number; init=_InitialValue()) =
    init isa _InitialValue ? mapreduce_first(f, op, x) : op(init, f(x))

function _mapreduce_dim(f, op, ::_InitialValue, A, ::Colon)
    isempty(A) && return mapreduce_empty_iter(f, op, A)
    return _mapreduce(f, op, A)
end
_mapreduce_dim(f, op, init, A, ::Colon) = _foldl_from(f, op, init, A)
_mapreduce_dim(f, op, ::_InitialValue, A, dims) = _mapreducedim(f, op, A, _region(dims))
_mapreduce_dim(f, op, init, A, dims) = _mapreducedim(f, op, A, _region(dims), init)
_region(d::Integer) = (Int(d),)
_region(dims::Tuple) = map(Int, dims)
_region(dims) = Tuple(_int_dims(dims))
_int_dims(dims) = [Int(d) for d in dims]

reduce(op, itr; init=_InitialValue()) = mapfoldl_impl(identity, op, init, itr)
reduce(op, A::AbstractArray; dims=:, init=_InitialValue()) = _mapreduce_dim(identity, op, init, A, dims)
reduce(op, x::Number; init=_InitialValue()) = mapreduce(identity, op, x; init=init)
reduce(::typeof(vcat), A::AbstractVector{<:AbstractVecOrMat}) = vcat(A...)
reduce(::typeof(hcat), A::AbstractVector{<:AbstractVecOrMat}) = hcat(A...)

sum(f, itr; k...) = mapreduce(f, add_sum, itr; k...)
sum(itr; k...) = mapreduce(identity, add_sum, itr; k...)
prod(f, itr; k...) = mapreduce(f, mul_prod, itr; k...)
prod(itr; k...) = mapreduce(identity, mul_prod, itr; k...)
maximum(f, itr; k...) = mapreduce(f, max, itr; k...)
maximum(itr; k...) = mapreduce(identity, max, itr; k...)
minimum(f, itr; k...) = mapreduce(f, min, itr; k...)
minimum(itr; k...) = mapreduce(identity, min, itr; k...)

# Without keywords, of arrays in memory.
sum(A::StoredArray) = isempty(A) ? reduce_empty(add_sum, eltype(A)) : _mapreduce(identity, add_sum, A)
sum(f, A::StoredArray) = isempty(A) ? mapreduce_empty(f, add_sum, eltype(A)) : _mapreduce(f, add_sum, A)
prod(A::StoredArray) = isempty(A) ? reduce_empty(mul_prod, eltype(A)) : _mapreduce(identity, mul_prod, A)
prod(f, A::StoredArray) = isempty(A) ? mapreduce_empty(f, mul_prod, eltype(A)) : _mapreduce(f, mul_prod, A)
maximum(A::StoredArray) = isempty(A) ? reduce_empty(max, eltype(A)) : _mapreduce(identity, max, A)
maximum(f, A::StoredArray) = isempty(A) ? mapreduce_empty(f, max, eltype(A)) : _mapreduce(f, max, A)
minimum(A::StoredArray) = isempty(A) ? reduce_empty(min, eltype(A)) : _mapreduce(identity, min, A)
minimum(f, A::StoredArray) = isempty(A) ? mapreduce_empty(f, min, eltype(A)) : _mapreduce(f, min, A)

function sum(r::AbstractRange{<:Real}; dims=:, init=_InitialValue())
    dims isa Colon && init isa _InitialValue || return _mapreduce_dim(identity, add_sum, init, r, dims)
    n = length(r)
    n == 0 && return reduce_empty(add_sum, eltype(r))
    return n * first(r) + (iseven(n) ? step(r) * (n - 1) * (n >> 1) : step(r) * n * ((n - 1) >> 1))
end

struct ExtremaMap{F}
    f::F
end
function (m::ExtremaMap)(x)
    y = m.f(x)
    return (y, y)
end
_extrema_of_both(a, b) = (min(a[1], b[1]), max(a[2], b[2]))
extrema(f, itr; k...) = mapreduce(ExtremaMap(f), _extrema_of_both, itr; k...)
extrema(itr; k...) = extrema(identity, itr; k...)
extrema(A::Array{<:MachineReal}; k...) =
    isempty(k) && !isempty(A) ? (minimum(A), maximum(A)) : extrema(identity, A; k...)

# ---- the first of the largest and smallest

isgreater(x, y) = isunordered(x) || isunordered(y) ? isless(x, y) : isless(y, x)
_is_larger(x, best) = isless(best, x)
_is_smaller(x, best) = isgreater(best, x)

findmax(f, itr) = _find_extreme(f, _is_larger, true, itr)
findmin(f, itr) = _find_extreme(f, _is_smaller, false, itr)
findmax(itr) = _find_extreme(identity, _is_larger, true, itr)
findmin(itr) = _find_extreme(identity, _is_smaller, false, itr)
findmax(f, A::AbstractArray; dims=:) = _find_extreme_dims(f, true, A, dims)
findmin(f, A::AbstractArray; dims=:) = _find_extreme_dims(f, false, A, dims)
findmax(A::AbstractArray; dims=:) = _find_extreme_dims(identity, true, A, dims)
findmin(A::AbstractArray; dims=:) = _find_extreme_dims(identity, false, A, dims)

function _find_extreme(f, is_better, largest, itr)
    state = nothing
    for (k, x) in zip(keys(itr), itr)
        y = f(x)
        state = _better(is_better, state, y, k)
    end
    state === nothing && _empty_reduce_error()
    return state
end
_better(is_better, ::Nothing, y, k) = (y, k)
_better(is_better, best, y, k) = is_better(y, best[1]) ? (y, k) : best

function _find_extreme_dims(f, largest, A, ::Colon)
    isempty(A) && _empty_reduce_error()
    (value, i) = _findextreme(f, A, largest)
    return (value, _key_at(A, i))
end
function _find_extreme_dims(f, largest, A, dims)
    (found, places) = _findextreme_dims(f, A, _region(dims), largest)
    return (found, _keys_at(A, places))
end
_key_at(A::AbstractVector, i) = i
_key_at(A::AbstractArray, i) = CartesianIndices(A)[i]
_keys_at(A::AbstractVector, places) = places
_keys_at(A::AbstractArray, places) = CartesianIndices(A)[places]

argmax(f, domain) = _arg_extreme(f, _is_larger, domain)
argmin(f, domain) = _arg_extreme(f, _is_smaller, domain)
argmax(itr) = findmax(itr)[2]
argmin(itr) = findmin(itr)[2]
argmax(A::AbstractArray; dims=:) = findmax(A; dims=dims)[2]
argmin(A::AbstractArray; dims=:) = findmin(A; dims=dims)[2]
function _arg_extreme(f, is_better, domain)
    best = nothing
    for x in domain
        best = _better(is_better, best, f(x), x)
    end
    best === nothing && _empty_reduce_error()
    return best[2]
end

# ---- logic and counting

any(itr) = _any(identity, itr)
all(itr) = _all(identity, itr)
any(f, itr) = _any(f, itr)
all(f, itr) = _all(f, itr)
any(A::AbstractArray; dims=:) = _any_dims(identity, A, dims)
all(A::AbstractArray; dims=:) = _all_dims(identity, A, dims)
any(f, A::AbstractArray; dims=:) = _any_dims(f, A, dims)
all(f, A::AbstractArray; dims=:) = _all_dims(f, A, dims)
_any_dims(f, A, ::Colon) = _any(f, A)
_all_dims(f, A, ::Colon) = _all(f, A)
_any_dims(f, A, dims) = _mapreducedim(f, |, A, _region(dims), false)
_all_dims(f, A, dims) = _mapreducedim(f, &, A, _region(dims), true)

count(itr; init=0) = _count_from(init, _count(identity, itr))
count(f, itr; init=0) = _count_from(init, _count(f, itr))
count(A::AbstractArray; dims=:, init=0) = _count_dims(identity, A, dims, init)
count(f, A::AbstractArray; dims=:, init=0) = _count_dims(f, A, dims, init)
_count_dims(f, A, ::Colon, init) = _count_from(init, _count(f, A))
_count_dims(f, A, dims, init) = _mapreducedim(_TrueBool(f), +, A, _region(dims), init)
_count_from(init::T, n) where {T} = (init + n) % T
_count_from(init::Int, n) = init + n
_count_from(init::AbstractFloat, n) = init + n

struct _TrueBool{F}
    f::F
end
(b::_TrueBool)(x) = b.f(x)::Bool
