# Eigenvalues and eigenvectors.

struct Eigen{T,V,S<:AbstractMatrix,U<:AbstractVector} <: Factorization{T}
    values::U
    vectors::S
    unitary::Bool
end
Eigen(values::AbstractVector{V}, vectors::AbstractMatrix{T}, unitary::Bool=false) where {T,V} =
    Eigen{T,V,typeof(vectors),typeof(values)}(values, vectors, unitary)
struct GeneralizedEigen{T,V,S<:AbstractMatrix,U<:AbstractVector} <: Factorization{T}
    values::U
    vectors::S
end
GeneralizedEigen(values::AbstractVector{V}, vectors::AbstractMatrix{T}) where {T,V} =
    GeneralizedEigen{T,V,typeof(vectors),typeof(values)}(values, vectors)

iterate(F::Union{Eigen,GeneralizedEigen}) = (F.values, Val(:vectors))
iterate(F::Union{Eigen,GeneralizedEigen}, ::Val{:vectors}) = (F.vectors, Val(:done))
iterate(F::Union{Eigen,GeneralizedEigen}, ::Val{:done}) = nothing
size(F::Union{Eigen,GeneralizedEigen}) = size(getfield(F, :vectors))
function show(io::IO, mime::MIME"text/plain", F::Union{Eigen,GeneralizedEigen})
    print(io, typeof(F), "\nvalues:\n")
    show(io, mime, F.values)
    print(io, "\nvectors:\n")
    show(io, mime, F.vectors)
end
Matrix(F::Eigen) = F.unitary ? F.vectors * Diagonal(F.values) * F.vectors' : F.vectors * Diagonal(F.values) / F.vectors
inv(F::Eigen) = F.vectors * inv(Diagonal(F.values)) / F.vectors
det(F::Eigen) = prod(F.values)
isposdef(F::Eigen) = isreal(F.values) && all(x -> real(x) > 0, F.values)

# Values are sorted by their real and then imaginary parts.
_eigen_order(x::Real) = x
_eigen_order(x::Complex) = (real(x), imag(x))
function _sorted_eigen(values, vectors, sortby)
    sortby === nothing && return values, vectors
    # Compiled code finds the order in any case: it is a stable one.
    !_is_compiled() && issorted(values; by=sortby) && return values, vectors
    p = sortperm(values; alg=Base.Sort.DEFAULT_UNSTABLE, by=sortby)
    return values[p], vectors[:, p]
end
_sorted_values(values, sortby) = sortby === nothing ? values : sort(values; by=sortby)

_check_finite(A) = all(isfinite, A) || throw(ArgumentError("matrix contains Infs or NaNs"))
_balance(permute::Bool, scale::Bool) = permute ? (scale ? 'B' : 'P') : (scale ? 'S' : 'N')

eigen(A::AbstractMatrix{T}; permute::Bool=true, scale::Bool=true, sortby=_eigen_order) where {T} =
    eigen!(_dense(_factor_float(T), A); permute=permute, scale=scale, sortby=sortby)
function eigen!(A::Matrix{T}; permute::Bool=true, scale::Bool=true, sortby=_eigen_order) where {T<:BlasFloat}
    n = checksquare(A)
    n == 0 && return Eigen(zeros(T, 0), zeros(T, 0, 0))
    _check_finite(A)
    if ishermitian(A)
        values, vectors = _symmetric_eigen('U', A)
        return Eigen(_sorted_eigen(values, vectors, sortby)..., true)
    end
    values, vectors, info = _eigen_general(_balance(permute, scale), 'V', A)
    _require_lapack(info)
    return Eigen(_sorted_eigen(values, vectors, sortby)...)
end
function eigen(A::SymOrHerm{T}; sortby=nothing) where {T}
    R = _factor_float(T)
    ishermitian(A) || return eigen(_dense(R, A); sortby=sortby === nothing ? _eigen_order : sortby)
    values, vectors = _symmetric_eigen(A.uplo, _dense(R, A))
    return Eigen(_sorted_eigen(values, vectors, sortby)..., true)
end
eigen!(A::SymOrHerm; sortby=nothing) = Eigen(_sorted_eigen(_symmetric_eigen(A.uplo, A.data)..., sortby)..., true)
function _symmetric_eigen(uplo::Char, A::Matrix{T}) where {T}
    z = zero(real(T))
    values, vectors, info = _eigen_symmetric('V', 'A', uplo, A, z, z, 0, 0)
    _require_lapack(info)
    return values, vectors
end
function eigen(A::SymOrHerm{T}, range::UnitRange) where {T}
    z = zero(real(_factor_float(T)))
    values, vectors, info = _eigen_symmetric('V', 'I', A.uplo, _dense(_factor_float(T), A), z, z, first(range), last(range))
    _require_lapack(info)
    return Eigen(values, vectors, true)
end
function eigen(A::SymOrHerm{T}, lower::Real, upper::Real) where {T}
    R = real(_factor_float(T))
    values, vectors, info = _eigen_symmetric('V', 'V', A.uplo, _dense(_factor_float(T), A), R(lower), R(upper), 0, 0)
    _require_lapack(info)
    return Eigen(values, vectors, true)
end
function eigen(A::SymTridiagonal{T}; sortby=nothing) where {T<:Real}
    R = _factor_float(T)
    values, vectors, info = _eigen_tridiagonal(true, _dense(R, A.dv), _dense(R, A.ev))
    _require_lapack(info)
    return Eigen(_sorted_eigen(values, vectors, sortby)..., true)
end
function eigen(D::Diagonal{T}; permute::Bool=true, scale::Bool=true, sortby=nothing) where {T}
    R = _factor_float(T)
    vectors = _unit_matrix(R, length(D.diag))
    return Eigen(_sorted_eigen(_dense(R, D.diag), vectors, sortby)..., true)
end
function eigen(A::AbstractTriangular{T}; permute::Bool=true, scale::Bool=true, sortby=_eigen_order) where {T}
    return eigen(_dense(A); permute=permute, scale=scale, sortby=sortby)
end
eigen(x::Number; permute::Bool=true, scale::Bool=true, sortby=nothing) = Eigen([x], fill(one(x), 1, 1))

eigvals(A::AbstractMatrix{T}; permute::Bool=true, scale::Bool=true, sortby=_eigen_order) where {T} =
    eigvals!(_dense(_factor_float(T), A); permute=permute, scale=scale, sortby=sortby)
function eigvals!(A::Matrix{T}; permute::Bool=true, scale::Bool=true, sortby=_eigen_order) where {T<:BlasFloat}
    n = checksquare(A)
    n == 0 && return zeros(T, 0)
    _check_finite(A)
    ishermitian(A) && return _sorted_values(_symmetric_eigvals('U', A), sortby)
    values, vectors, info = _eigen_general(_balance(permute, scale), 'N', A)
    _require_lapack(info)
    return _sorted_values(values, sortby)
end
function _symmetric_eigvals(uplo::Char, A::Matrix{T}) where {T}
    z = zero(real(T))
    values, vectors, info = _eigen_symmetric('N', 'A', uplo, A, z, z, 0, 0)
    _require_lapack(info)
    return values
end
function eigvals(A::SymOrHerm{T}; sortby=nothing) where {T}
    R = _factor_float(T)
    ishermitian(A) || return eigvals(_dense(R, A))
    return _sorted_values(_symmetric_eigvals(A.uplo, _dense(R, A)), sortby)
end
eigvals!(A::SymOrHerm; sortby=nothing) = _sorted_values(_symmetric_eigvals(A.uplo, A.data), sortby)
function eigvals(A::SymOrHerm{T}, range::UnitRange) where {T}
    z = zero(real(_factor_float(T)))
    values, vectors, info = _eigen_symmetric('N', 'I', A.uplo, _dense(_factor_float(T), A), z, z, first(range), last(range))
    _require_lapack(info)
    return values
end
function eigvals(A::SymOrHerm{T}, lower::Real, upper::Real) where {T}
    R = real(_factor_float(T))
    values, vectors, info = _eigen_symmetric('N', 'V', A.uplo, _dense(_factor_float(T), A), R(lower), R(upper), 0, 0)
    _require_lapack(info)
    return values
end
function eigvals(A::SymTridiagonal{T}; sortby=nothing) where {T<:Real}
    R = _factor_float(T)
    values, vectors, info = _eigen_tridiagonal(false, _dense(R, A.dv), _dense(R, A.ev))
    _require_lapack(info)
    return values
end
eigvals(A::Bidiagonal) = copy(A.dv)
eigvals(x::Number; permute::Bool=true, scale::Bool=true, sortby=nothing) = x isa Real ? x : x
eigvals(F::Union{Eigen,GeneralizedEigen}) = F.values

eigvecs(A::Union{Number,AbstractMatrix}; kw...) = eigen(A; kw...).vectors
eigvecs(F::Union{Eigen,GeneralizedEigen}) = F.vectors
# Inverse iteration from the values given.
function eigvecs(A::SymTridiagonal{T}, values::Vector) where {T<:Real}
    R = _factor_float(T)
    vectors, info = _eigen_tridiagonal_vectors(_dense(R, A.dv), _dense(R, A.ev), _dense(R, values))
    _require_lapack(info)
    return vectors
end

function _real_eigvals(A, permute::Bool, scale::Bool)
    v = eigvals(A; permute=permute, scale=scale)
    eltype(v) <: Complex && !isreal(v) && throw(DomainError(A, "`A` cannot have complex eigenvalues."))
    return v
end
eigmax(A::Union{Symmetric{<:Real},Hermitian}) = eigvals(A)[end]
eigmin(A::Union{Symmetric{<:Real},Hermitian}) = eigvals(A)[1]
eigmax(A::Union{Number,AbstractMatrix}; permute::Bool=true, scale::Bool=true) = maximum(real(_real_eigvals(A, permute, scale)))
eigmin(A::Union{Number,AbstractMatrix}; permute::Bool=true, scale::Bool=true) = minimum(real(_real_eigvals(A, permute, scale)))

# ---- A x = λ B x

function eigen(A::AbstractMatrix{T}, B::AbstractMatrix{S}; sortby=_eigen_order) where {T,S}
    R = promote_type(_factor_float(T), _factor_float(S))
    return eigen!(_dense(R, A), _dense(R, B); sortby=sortby)
end
function eigen!(A::Matrix{T}, B::Matrix{T}; sortby=_eigen_order) where {T<:BlasFloat}
    if ishermitian(A) && isposdef(B)
        return _definite_eigen('U', A, B, sortby)
    end
    α, β, vectors, info = _eigen_generalized('V', A, B)
    _require_lapack(info)
    # The largest entry of each vector has size one in the sum of its parts already.
    return GeneralizedEigen(_sorted_eigen(α ./ β, vectors, sortby)...)
end
function _definite_eigen(uplo::Char, A::Matrix, B::Matrix, sortby)
    values, info = _eigen_generalized_symmetric('V', uplo, A, B)
    info > size(A, 1) && throw(PosDefException(info - size(A, 1)))
    _require_lapack(info)
    return GeneralizedEigen(_sorted_eigen(values, A, sortby)...)
end
function eigen(A::SymOrHerm{T}, B::AbstractMatrix{S}; sortby=nothing) where {T,S}
    R = promote_type(_factor_float(T), _factor_float(S))
    return _definite_eigen(A.uplo, _dense(R, A), _dense(R, B), sortby)
end
function eigvals(A::AbstractMatrix{T}, B::AbstractMatrix{S}; sortby=_eigen_order) where {T,S}
    R = promote_type(_factor_float(T), _factor_float(S))
    return eigvals!(_dense(R, A), _dense(R, B); sortby=sortby)
end
function eigvals!(A::Matrix{T}, B::Matrix{T}; sortby=_eigen_order) where {T<:BlasFloat}
    if ishermitian(A) && isposdef(B)
        values, info = _eigen_generalized_symmetric('N', 'U', A, B)
        _require_lapack(info)
        return _sorted_values(values, sortby)
    end
    α, β, vectors, info = _eigen_generalized('N', A, B)
    _require_lapack(info)
    return _sorted_values(α ./ β, sortby)
end
eigvals(A::SymOrHerm, B::AbstractMatrix; sortby=nothing) = eigen(A, B; sortby=sortby).values
eigvals(a::Number, b::Number) = a / b
eigvecs(A::AbstractMatrix, B::AbstractMatrix; kw...) = eigen(A, B; kw...).vectors
