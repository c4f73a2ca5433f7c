# Quantiles by linear interpolation between order statistics (Hyndman and Fan's definition 7 unless alpha and beta say otherwise).

function _sort_for_quantiles!(v::AbstractVector, sorted::Bool)
    isempty(v) && throw(ArgumentError("empty data vector"))
    sorted || sort!(v)
    x = v[end]
    if ismissing(x) || (x isa Number && isnan(x))
        throw(ArgumentError("quantiles are undefined in presence of NaNs or missing values"))
    end
    return v
end

function _quantile(v::AbstractVector, p::Real, alpha::Real, beta::Real)
    0 <= p <= 1 || throw(ArgumentError("input probability out of [0,1] range"))
    0 <= alpha <= 1 || throw(ArgumentError("alpha parameter out of [0,1] range"))
    0 <= beta <= 1 || throw(ArgumentError("beta parameter out of [0,1] range"))
    n = length(v)
    m = alpha + p * (one(alpha) - alpha - beta)
    # With one rounding, so that a place that should be whole is.
    place = p isa AbstractFloat ? fma(oftype(p, n), p, oftype(p, m)) : n * p + oftype(p, m)
    j = clamp(trunc(Int, place), 1, n - 1)
    weight = clamp(place - j, 0, 1)
    a = n == 1 ? v[1] : v[j]
    b = n == 1 ? v[1] : v[j+1]
    # Of close neighbours the difference neither overflows nor spoils the order; of others it may.
    if isfinite(a) && isfinite(b) && (!(a isa Number) || !(b isa Number) || a ≈ b)
        return a + weight * (b - a)
    end
    return (1 - weight) * a + weight * b
end

function quantile!(q::AbstractArray, v::AbstractVector, p::AbstractArray; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha)
    size(p) == size(q) || throw(DimensionMismatch("size of p, $(size(p)), must equal size of q, $(size(q))"))
    isempty(q) && return q
    _sort_for_quantiles!(v, sorted)
    for (i, j) in zip(eachindex(p), eachindex(q))
        q[j] = _quantile(v, p[i], alpha, beta)
    end
    return q
end
function quantile!(v::AbstractVector, p::AbstractArray; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha)
    isempty(p) && return similar(p)
    _sort_for_quantiles!(v, sorted)
    return map(x -> _quantile(v, x, alpha, beta), p)
end
function quantile!(v::AbstractVector, p::Tuple; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha)
    isempty(p) && return ()
    _sort_for_quantiles!(v, sorted)
    return map(x -> _quantile(v, x, alpha, beta), p)
end
quantile!(v::AbstractVector, p::Real; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha) =
    _quantile(_sort_for_quantiles!(v, sorted), p, alpha, beta)
quantile!(a::AbstractArray, p; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha) =
    quantile!(vec(a), p; sorted=sorted, alpha=alpha, beta=beta)

quantile(itr, p; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha) =
    quantile!(collect(itr), p; sorted=sorted, alpha=alpha, beta=beta)
quantile(v::AbstractArray, p; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha) =
    quantile!(sorted ? v : Base.copymutable(v), p; sorted=sorted, alpha=alpha, beta=beta)
quantile(f::Function, v, p; sorted::Bool=false, alpha::Real=1.0, beta::Real=alpha) =
    quantile!(map(f, v), p; sorted=sorted, alpha=alpha, beta=beta)
