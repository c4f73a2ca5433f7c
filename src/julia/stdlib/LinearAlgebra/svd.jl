# Singular values, and what is known by them: rank, pseudo-inverse, null space.

struct SVD{T,Tr,M<:AbstractArray{T},C<:AbstractVector{Tr}} <: Factorization{T}
    U::M
    S::C
    Vt::M
end
SVD(U::AbstractArray{T}, S::AbstractVector{Tr}, Vt::AbstractArray{T}) where {T,Tr} = SVD{T,Tr,typeof(U),typeof(S)}(U, S, Vt)

function svd!(A::Matrix{T}; full::Bool=false, alg=nothing) where {T<:BlasFloat}
    m, n = size(A)
    if m == 0 || n == 0
        return SVD(_scaling_matrix(T, I, m, full ? m : 0), real(T)[], _scaling_matrix(T, I, full ? n : 0, n))
    end
    U, S, Vt, info = _singular_values(full ? 'A' : 'S', A)
    _require_lapack(info)
    return SVD(U, S, Vt)
end
svd(A::AbstractMatrix{T}; full::Bool=false, alg=nothing) where {T} = svd!(_dense(_factor_float(T), A); full=full)
svd(x::Number; full::Bool=false, alg=nothing) = SVD(fill(x == 0 ? one(float(x)) : x / abs(x), 1, 1), [abs(x)], fill(one(float(x)), 1, 1))
svd(v::AbstractVector; full::Bool=false, alg=nothing) = svd(reshape(v, length(v), 1); full=full)

function svdvals!(A::Matrix{T}) where {T<:BlasFloat}
    (size(A, 1) == 0 || size(A, 2) == 0) && return real(T)[]
    U, S, Vt, info = _singular_values('N', A)
    _require_lapack(info)
    return S
end
svdvals(A::AbstractMatrix{T}) where {T} = svdvals!(_dense(_factor_float(T), A))
svdvals(v::AbstractVector) = [norm(v)]
svdvals(x::Number) = abs(x)
svdvals(F::SVD) = F.S

function getproperty(F::SVD, d::Symbol)
    d === :V && return adjoint(getfield(F, :Vt))
    return getfield(F, d)
end
size(F::SVD) = (size(F.U, 1), size(F.Vt, 2))
size(F::SVD, d::Integer) = d == 1 ? size(F.U, 1) : d == 2 ? size(F.Vt, 2) : 1
iterate(F::SVD) = (F.U, Val(:S))
iterate(F::SVD, ::Val{:S}) = (F.S, Val(:V))
iterate(F::SVD, ::Val{:V}) = (F.V, Val(:done))
iterate(F::SVD, ::Val{:done}) = nothing
Matrix(F::SVD) = F.U * Diagonal(F.S) * F.Vt
Array(F::SVD) = Matrix(F)
adjoint(F::SVD) = SVD(_dense(adjoint(F.Vt)), F.S, _dense(adjoint(F.U)))
function show(io::IO, mime::MIME"text/plain", F::SVD)
    print(io, typeof(F), "\nU factor:\n")
    show(io, mime, F.U)
    print(io, "\nsingular values:\n")
    show(io, mime, F.S)
    print(io, "\nVt factor:\n")
    show(io, mime, F.Vt)
end

_default_rtol(m::Int, n::Int, ::Type{T}, atol::Real) where {T} = min(m, n) * eps(real(float(oneunit(T)))) * iszero(atol)
function rank(A::AbstractMatrix{T}; atol::Real=0.0, rtol::Real=_default_rtol(size(A, 1), size(A, 2), T, atol)) where {T}
    isempty(A) && return 0
    return _rank_of_values(svdvals(A), atol, rtol)
end
rank(F::SVD; atol::Real=0.0, rtol::Real=_default_rtol(size(F.U, 1), size(F.Vt, 2), eltype(F.U), atol)) =
    _rank_of_values(F.S, atol, rtol)
rank(x::Union{Number,AbstractVector}) = iszero(x) ? 0 : 1
function _rank_of_values(s, atol::Real, rtol::Real)
    isempty(s) && return 0
    limit = max(rtol * s[1], atol)
    return count(>(limit), s)
end

function _small_inverse(s, limit)
    return map(x -> x > limit ? inv(x) : zero(inv(one(x))), s)
end
function pinv(A::AbstractMatrix{T}; atol::Real=0.0, rtol::Real=(eps(real(float(oneunit(T)))) * min(size(A, 1), size(A, 2))) * iszero(atol)) where {T}
    m, n = size(A)
    R = _factor_float(T)
    (m == 0 || n == 0) && return Matrix{R}(undef, n, m)
    if isdiag(A)
        d = diag(A)
        limit = max(rtol * maximum(abs.(d)), atol)
        B = zeros(R, n, m)
        for i in 1:length(d)
            if abs(d[i]) > limit
                B[i, i] = inv(d[i])
            end
        end
        return B
    end
    F = svd(A)
    return adjoint(F.Vt) * (_small_inverse(F.S, max(rtol * maximum(F.S), atol)) .* adjoint(F.U))
end
function pinv(v::AbstractVector{T}) where {T}
    s = sum(abs2, v)
    return iszero(s) ? adjoint(zeros(float(T), length(v))) : adjoint(v ./ s)
end
pinv(x::Number) = iszero(x) ? zero(inv(one(x))) : inv(x)
function pinv(F::SVD; atol::Real=0.0, rtol::Real=_default_rtol(size(F.U, 1), size(F.Vt, 2), eltype(F.U), atol))
    k = _rank_of_values(F.S, atol, rtol)
    s = map(inv, F.S[1:k])
    return SVD(_dense(adjoint(F.Vt[1:k, :])), s, _dense(adjoint(F.U[:, 1:k])))
end
function nullspace(A::AbstractMatrix{T}; atol::Real=0.0, rtol::Real=_default_rtol(size(A, 1), size(A, 2), T, atol)) where {T}
    m, n = size(A)
    (m == 0 || n == 0) && return _unit_matrix(_factor_float(T), n)
    F = svd(A; full=true)
    k = count(>(max(atol, F.S[1] * rtol)), F.S)
    return copy(adjoint(F.Vt[k+1:end, :]))
end
nullspace(v::AbstractVector; atol::Real=0.0, rtol::Real=eps() * iszero(atol)) = nullspace(reshape(v, :, 1); atol=atol, rtol=rtol)

function ldiv!(F::SVD{T}, B::VecOrMat) where {T}
    k = _rank_of_values(F.S, 0.0, eps(real(T)))
    X = adjoint(F.Vt[1:k, :]) * (F.S[1:k] .\ (adjoint(F.U[:, 1:k]) * _rows(B, size(F.U, 1))))
    _set_rows!(B, X)
    return B
end
\(F::SVD, B::AbstractVecOrMat) = _svd_solve(F, B)
function _svd_solve(F::SVD{T}, B::AbstractVecOrMat) where {T}
    size(F.U, 1) == size(B, 1) || throw(DimensionMismatch("arguments must have the same number of rows"))
    k = _rank_of_values(F.S, 0.0, eps(real(T)))
    return adjoint(F.Vt[1:k, :]) * (F.S[1:k] .\ (adjoint(F.U[:, 1:k]) * B))
end
ldiv!(Y::AbstractVecOrMat, F::SVD, B::AbstractVecOrMat) = copyto!(Y, F \ B)
function inv(F::SVD{T}) where {T}
    size(F.U, 1) == size(F.Vt, 2) || throw(DimensionMismatch("matrix is not square: dimensions are $((size(F.U, 1), size(F.Vt, 2)))"))
    for i in 1:length(F.S)
        iszero(F.S[i]) && throw(SingularException(i))
    end
    return adjoint(F.Vt) * (F.S .\ adjoint(F.U))
end
cond(F::SVD) = F.S[1] / F.S[end]
