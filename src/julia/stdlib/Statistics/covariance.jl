# cov and cor: sums of products about the means.

_product_of(x::AbstractMatrix, dim::Int) = dim == 1 ? conj(x' * x) : x * x'
_product_of(x::AbstractVector, y::AbstractVector, dim::Int) = dot(y, x)
_product_of(x::AbstractVector, y::AbstractMatrix, dim::Int) =
    dim == 1 ? transpose(x) * conj(y) : transpose(x) * conj(transpose(y))
_product_of(x::AbstractMatrix, y::AbstractVector, dim::Int) = reshape(dim == 1 ? transpose(x) * conj(y) : x * conj(y), :, 1)
_product_of(x::AbstractMatrix, y::AbstractMatrix, dim::Int) = dim == 1 ? transpose(x) * conj(y) : x * y'

function _observations(x, y, dim::Int)
    n = _observation_count(x, dim)
    _observation_count(y, dim) == n ||
        throw(DimensionMismatch("x and y must have the same number of observations, got $n and $(_observation_count(y, dim))"))
    return n
end
_observation_count(x::AbstractVector, dim::Int) = length(x)
_observation_count(x::AbstractMatrix, dim::Int) = size(x, dim)
_centred(x::AbstractVector, dim::Int) = (m = mean(x); map(t -> t - m, x))
_centred(x::AbstractMatrix, dim::Int) = x .- mean(x, dims=dim)
_scaled(C::AbstractArray, n::Int) = C .* (1 // n)
_scaled(c, n::Int) = c / n

cov(x::AbstractVector; corrected::Bool=true) = sum(abs2, _centred(x, 1)) / (length(x) - Int(corrected))
function cov(X::AbstractMatrix; dims::Int=1, corrected::Bool=true)
    C = _product_of(_centred(X, dims), dims)
    return _scaled(C, size(X, dims) - Int(corrected))
end
function cov(x::AbstractVector, y::AbstractVector; corrected::Bool=true)
    n = _observations(x, y, 1)
    n > 0 || throw(ArgumentError("covariance only defined for non-empty vectors"))
    u, v = _centred(x, 1), _centred(y, 1)
    return sum(conj(v[i]) * u[i] for i in 1:n) / (n - Int(corrected))
end
function cov(X::AbstractVecOrMat, Y::AbstractVecOrMat; dims::Int=1, corrected::Bool=true)
    n = _observations(X, Y, dims)
    return _scaled(_product_of(_centred(X, dims), _centred(Y, dims), dims), n - Int(corrected))
end
function cov(itr::Any; corrected::Bool=true)
    itr isa AbstractArray && throw(ArgumentError("cov needs a vector or a matrix"))
    return cov(collect(itr); corrected=corrected)
end
cov(x, y; corrected::Bool=true) = cov(collect(x), collect(y); corrected=corrected)

_clamp_correlation(r::Real) = clamp(r, -1, 1)
_clamp_correlation(r) = r

corzm(x::AbstractVector{T}) where {T} = T === Missing ? missing : one(float(nonmissingtype(T)))
corm(x::AbstractVector, m) = corzm(x)
cor(x::AbstractVector) = corzm(x)
cor(itr) = cor(collect(itr))
cor(x, y) = cor(collect(x), collect(y))

function cor(x::AbstractVector, y::AbstractVector)
    n = length(x)
    length(y) == n || throw(DimensionMismatch("inconsistent lengths"))
    n > 0 || throw(ArgumentError("correlation only defined for non-empty vectors"))
    return corm(x, mean(x), y, mean(y))
end
function corm(x::AbstractVector, mx, y::AbstractVector, my)
    xx = zero(sqrt(abs2(one(x[1]))))
    yy = zero(sqrt(abs2(one(y[1]))))
    xy = zero(x[1] * adjoint(y[1]))
    for i in eachindex(x, y)
        xi = x[i] - mx
        yi = y[i] - my
        xx += abs2(xi)
        yy += abs2(yi)
        xy += xi * adjoint(yi)
    end
    return _clamp_correlation(xy / max(xx, yy) / sqrt(min(xx, yy) / max(xx, yy)))
end

function cor(X::AbstractMatrix; dims::Int=1)
    C = _product_of(_centred(X, dims), dims)
    n = size(C, 1)
    deviations = [sqrt(real(C[i, i])) for i in 1:n]
    out = C ./ (deviations .* transpose(deviations))
    for j in 1:n
        for i in j+1:n
            out[i, j] = _clamp_correlation(C[i, j] / (deviations[i] * deviations[j]))
            out[j, i] = conj(out[i, j])
        end
        out[j, j] = oneunit(out[j, j])
    end
    return out
end
function cor(X::AbstractVecOrMat, Y::AbstractVecOrMat; dims::Int=1)
    _observations(X, Y, dims)
    x, y = _centred(X, dims), _centred(Y, dims)
    C = _product_of(x, y, dims)
    return _clamp_correlation.(C ./ (_deviations(x, dims) .* transpose(_deviations(y, dims))))
end
_deviations(x::AbstractVector, dim::Int) = [sqrt(sum(abs2, x))]
_deviations(x::AbstractMatrix, dim::Int) = vec(sqrt.(sum(abs2, x, dims=dim)))
