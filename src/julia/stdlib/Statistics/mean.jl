# mean, middle, median.

# The first value decides what the others are promoted to before they are added.
_promote_to(x::T, y::S) where {T,S} = convert(promote_type(T, S), y)
_promote_to(x::T, y::T) where {T} = y

mean(itr) = mean(identity, itr)

function mean(f, itr)
    y = iterate(itr)
    y === nothing && return _mean_of_none(f, itr)
    value, state = y
    total = Base.reduce_first(+, f(value) / 1)
    count = 1
    y = iterate(itr, state)
    while y !== nothing
        value, state = y
        total += _promote_to(total, f(value))
        count += 1
        y = iterate(itr, state)
    end
    return total / count
end
function mean(f, itr::Tuple)
    isempty(itr) && return _mean_of_none(f, itr)
    first = Base.reduce_first(+, f(itr[1]) / 1)
    return foldl((total, x) -> total + _promote_to(total, f(x)), Base.tail(itr); init=first) / length(itr)
end
function mean(f::Number, itr::Number)
    value = try
        f(itr)
    catch e
        if e isa MethodError && e.f === f
            throw(ArgumentError("mean(f, itr) requires a function and an iterable.\nPerhaps you meant mean((x, y))"))
        end
        rethrow()
    end
    return mean(_ -> value, itr)
end

function _mean_of_none(f, itr)
    T = eltype(itr)
    T === Union{} && throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
    T === Any && Base.IteratorEltype(itr) === Base.EltypeUnknown() &&
        throw(ArgumentError("reducing over an empty collection is not allowed; consider supplying `init` to the reducer"))
    return f(zero(T)) / 0
end

mean(A::AbstractArray; dims=:) = _mean(identity, A, dims)
mean(f, A::AbstractArray; dims=:) = _mean(f, A, dims)

function _mean(f, A::AbstractArray, dims)
    isempty(A) && return _mean_of_empty(f, A, dims)
    x1 = f(first(A)) / 1
    dims === (:) && return _sum_promoted(f, A, x1) / length(A)
    return sum(x -> _promote_to(x1, f(x)), A, dims=dims) ./ _reduced_count(A, dims)
end
_mean_of_empty(f, A, ::Colon) = _mean_of_none(f, A)
_mean_of_empty(f, A, dims) = sum(f, A, dims=dims) ./ 0

_sum_promoted(f, A, x1) = sum(x -> _promote_to(x1, f(x)), A)
_sum_promoted(::typeof(identity), A::Array{T}, x1::T) where {T<:Union{Float64,Float32}} = sum(A)
_sum_promoted(::typeof(identity), A::Array{T}, x1::Float64) where {T<:Base.BitInteger} = sum(Array{Float64}(A))

# How many elements each sum has: a dimension that is named twice counts once.
_reduced_count(A::AbstractArray, dim::Integer) = size(A, dim)
_reduced_count(A::AbstractArray, dims) = prod(ntuple(d -> d in dims ? size(A, d) : 1, ndims(A)))

function _mean(::typeof(identity), A::Array{T}, dims) where {T<:Union{Float64,Float32}}
    dims === (:) && return isempty(A) ? _mean_of_none(identity, A) : sum(A) / length(A)
    return sum(A, dims=dims) ./ _reduced_count(A, dims)
end

function mean!(R::AbstractArray, A::AbstractArray)
    sum!(R, A)
    R .*= max(1, length(R)) / length(A)
    return R
end

function mean(r::AbstractRange{T}) where {T}
    isempty(r) && return zero(T) / 0
    return first(r) / 2 + last(r) / 2
end

middle(x::Union{Bool,Integer}) = Float64(x)
middle(x::AbstractFloat) = x
middle(x::Number) = (x + zero(x)) / 1
middle(x::Number, y::Number) = x / 2 + y / 2
function middle(r::AbstractRange)
    isempty(r) && throw(ArgumentError("range cannot be empty."))
    return middle(first(r), last(r))
end
function middle(a::AbstractArray)
    low, high = extrema(a)
    return middle(low, high)
end

function median!(v::AbstractVector)
    isempty(v) && throw(ArgumentError("median of an empty array is undefined, $(repr(v))"))
    for x in v
        ismissing(x) && return missing
    end
    for x in v
        x isa Number && isnan(x) && return x
    end
    n = length(v)
    mid = div(n + 1, 2)
    sort!(v)
    isodd(n) && return middle(v[mid])
    return middle(v[mid], v[mid+1])
end
median!(v::AbstractArray) = median!(vec(v))
median(itr) = median!(collect(itr))
median(v::AbstractArray; dims=:) = _median(v, dims)
median(f::Function, v) = median!(f.(v))
median(r::AbstractRange{<:Real}) = mean(r)
_median(v::AbstractArray, dims) = mapslices(median!, v, dims=dims)
_median(v::AbstractArray, ::Colon) = median!(vec(Base.copymutable(v)))
