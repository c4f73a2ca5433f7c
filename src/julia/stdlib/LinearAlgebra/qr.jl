# QR and LQ factorizations: products of reflectors, kept as such.

struct QRCompactWY{S,M<:AbstractMatrix{S},C<:AbstractMatrix{S}} <: Factorization{S}
    factors::M
    T::C
end
struct QR{T,S<:AbstractMatrix{T},C<:AbstractVector{T}} <: Factorization{T}
    factors::S
    τ::C
end
struct QRPivoted{T,S<:AbstractMatrix{T},C<:AbstractVector{T},P<:AbstractVector{<:Integer}} <: Factorization{T}
    factors::S
    τ::C
    jpvt::P
end
struct LQ{T,S<:AbstractMatrix{T},C<:AbstractVector{T}} <: Factorization{T}
    factors::S
    τ::C
end
const AnyQR = Union{QRCompactWY,QR,QRPivoted}

abstract type AbstractQ{T} end
struct QRCompactWYQ{S,M<:AbstractMatrix{S},C<:AbstractMatrix{S}} <: AbstractQ{S}
    factors::M
    T::C
end
struct QRPackedQ{T,S<:AbstractMatrix{T},C<:AbstractVector{T}} <: AbstractQ{T}
    factors::S
    τ::C
end
struct LQPackedQ{T,S<:AbstractMatrix{T},C<:AbstractVector{T}} <: AbstractQ{T}
    factors::S
    τ::C
end
struct AdjointQ{T,Q<:AbstractQ{T}} <: AbstractQ{T}
    Q::Q
end

size(F::Union{AnyQR,LQ}) = size(getfield(F, :factors))
size(F::Union{AnyQR,LQ}, d::Integer) = size(getfield(F, :factors), d)
transpose(F::Union{AnyQR,LQ}) = throw(ArgumentError("transpose of $(typeof(F)) is not supported, consider using adjoint"))
transpose(F::Union{QRCompactWY{<:Real},QR{<:Real},QRPivoted{<:Real}}) = adjoint(F)

qr(A::AbstractMatrix{T}, pivot=NoPivot(); blocksize::Integer=36) where {T} =
    _qr_of(_dense(_factor_float(T), A), pivot, blocksize)
qr(v::AbstractVector; blocksize::Integer=36) = qr(reshape(_dense(v), length(v), 1); blocksize=blocksize)
_factor_float(::Type{T}) where {T} = typeof(float(zero(T)))
_factor_float(::Type{T}) where {T<:Rational} = typeof(float(zero(T)))
qr!(A::AbstractMatrix, pivot=NoPivot(); blocksize::Integer=36) = _qr_of(A, pivot, blocksize)

function _qr_of(A::Matrix{T}, ::NoPivot, blocksize::Integer) where {T<:BlasFloat}
    nb = min(min(size(A, 1), size(A, 2)), Int(blocksize))
    return QRCompactWY(A, _qr_compact(A, max(nb, 1)))
end
function _qr_of(A::Matrix{T}, ::ColumnNorm, ::Integer) where {T<:BlasFloat}
    jpvt, τ = _qr_pivoted(A)
    return QRPivoted(A, τ, jpvt)
end
_qr_of(A::AbstractMatrix, ::NoPivot, ::Integer) = _generic_qr!(A)

# Householder's reflectors, one column after another.
function _generic_qr!(A::AbstractMatrix{T}) where {T}
    m, n = size(A)
    τ = zeros(T, min(m, n))
    for k in 1:min(m - 1 + !(T <: Real), n)
        τ[k] = _reflector!(A, k)
        for j in k+1:n
            s = A[k, j]
            for i in k+1:m
                s += conj(A[i, k]) * A[i, j]
            end
            s *= conj(τ[k])
            A[k, j] -= s
            for i in k+1:m
                A[i, j] -= A[i, k] * s
            end
        end
    end
    return QR(A, τ)
end
function _reflector!(A::AbstractMatrix{T}, k::Int) where {T}
    m = size(A, 1)
    x = A[k, k]
    size_of_column = norm([A[i, k] for i in k:m])
    iszero(size_of_column) && return zero(T)
    ν = convert(T, copysign(size_of_column, real(x)))
    x += ν
    A[k, k] = -ν
    for i in k+1:m
        A[i, k] /= x
    end
    return x / ν
end

lq(A::AbstractMatrix{T}) where {T} = lq!(_dense(_factor_float(T), A))
lq!(A::Matrix{T}) where {T<:BlasFloat} = LQ(A, _lq(A))

function getproperty(F::QRCompactWY, d::Symbol)
    d === :R && return _upper_of(getfield(F, :factors))
    d === :Q && return QRCompactWYQ(getfield(F, :factors), getfield(F, :T))
    return getfield(F, d)
end
function getproperty(F::QR, d::Symbol)
    d === :R && return _upper_of(getfield(F, :factors))
    d === :Q && return QRPackedQ(getfield(F, :factors), getfield(F, :τ))
    return getfield(F, d)
end
function getproperty(F::QRPivoted{T}, d::Symbol) where {T}
    d === :R && return _upper_of(getfield(F, :factors))
    d === :Q && return QRPackedQ(getfield(F, :factors), getfield(F, :τ))
    d === :p && return getfield(F, :jpvt)
    if d === :P
        p = getfield(F, :jpvt)
        P = zeros(T, length(p), length(p))
        for k in 1:length(p)
            P[p[k], k] = one(T)
        end
        return P
    end
    return getfield(F, d)
end
function getproperty(F::LQ, d::Symbol)
    factors = getfield(F, :factors)
    d === :L && return tril!(factors[:, 1:min(size(factors, 1), size(factors, 2))])
    d === :Q && return LQPackedQ(factors, getfield(F, :τ))
    return getfield(F, d)
end
_upper_of(A::AbstractMatrix) = triu!(A[1:min(size(A, 1), size(A, 2)), :])

iterate(F::AnyQR) = (F.Q, Val(:R))
iterate(F::Union{QRCompactWY,QR}, ::Val{:R}) = (F.R, Val(:done))
iterate(F::QRPivoted, ::Val{:R}) = (F.R, Val(:p))
iterate(F::QRPivoted, ::Val{:p}) = (F.p, Val(:done))
iterate(F::AnyQR, ::Val{:done}) = nothing
iterate(F::LQ) = (F.L, Val(:Q))
iterate(F::LQ, ::Val{:Q}) = (F.Q, Val(:done))
iterate(F::LQ, ::Val{:done}) = nothing
Matrix(F::Union{QRCompactWY,QR}) = F.Q * F.R
Matrix(F::QRPivoted) = (F.Q*F.R)[:, invperm(F.p)]
Matrix(F::LQ) = F.L * F.Q
Array(F::AnyQR) = Matrix(F)

function show(io::IO, mime::MIME"text/plain", F::Union{QRCompactWY,QR,QRPivoted})
    print(io, typeof(F), "\nQ factor: ")
    print(io, _q_summary(F.Q))
    print(io, "\nR factor:\n")
    show(io, mime, F.R)
    if F isa QRPivoted
        print(io, "\npermutation:\n")
        show(io, mime, F.p)
    end
end
function show(io::IO, mime::MIME"text/plain", F::LQ)
    print(io, typeof(F), "\nL factor:\n")
    show(io, mime, F.L)
    print(io, "\nQ factor: ", _q_summary(F.Q))
end
_q_summary(Q::AbstractQ) = string(size(Q, 1), "×", size(Q, 2), " ", typeof(Q))
show(io::IO, ::MIME"text/plain", Q::AbstractQ) = print(io, _q_summary(Q))

# ---- Q as a square matrix

size(Q::Union{QRCompactWYQ,QRPackedQ}) = (size(Q.factors, 1), size(Q.factors, 1))
size(Q::LQPackedQ) = (size(Q.factors, 2), size(Q.factors, 2))
size(Q::AdjointQ) = size(Q.Q)
size(Q::AbstractQ, d::Integer) = d <= 2 ? size(Q)[d] : 1
eltype(::Type{<:AbstractQ{T}}) where {T} = T
eltype(Q::AbstractQ{T}) where {T} = T
ndims(Q::AbstractQ) = 2
adjoint(Q::AbstractQ) = AdjointQ(Q)
adjoint(Q::AdjointQ) = Q.Q
transpose(Q::AbstractQ{<:Real}) = adjoint(Q)

lmul!(Q::QRCompactWYQ{T}, B::VecOrMat{T}) where {T<:BlasFloat} = _qr_compact_apply('L', 'N', Q.factors, Q.T, B)
lmul!(Q::AdjointQ{T,<:QRCompactWYQ}, B::VecOrMat{T}) where {T<:BlasFloat} = _qr_compact_apply('L', 'C', Q.Q.factors, Q.Q.T, B)
rmul!(A::Matrix{T}, Q::QRCompactWYQ{T}) where {T<:BlasFloat} = _qr_compact_apply('R', 'N', Q.factors, Q.T, A)
rmul!(A::Matrix{T}, Q::AdjointQ{T,<:QRCompactWYQ}) where {T<:BlasFloat} = _qr_compact_apply('R', 'C', Q.Q.factors, Q.Q.T, A)
lmul!(Q::LQPackedQ{T}, B::VecOrMat{T}) where {T<:BlasFloat} = _apply_reflectors('L', 'N', Q.factors, Q.τ, B, true)
lmul!(Q::AdjointQ{T,<:LQPackedQ}, B::VecOrMat{T}) where {T<:BlasFloat} = _apply_reflectors('L', 'C', Q.Q.factors, Q.Q.τ, B, true)
rmul!(A::Matrix{T}, Q::LQPackedQ{T}) where {T<:BlasFloat} = _apply_reflectors('R', 'N', Q.factors, Q.τ, A, true)
rmul!(A::Matrix{T}, Q::AdjointQ{T,<:LQPackedQ}) where {T<:BlasFloat} = _apply_reflectors('R', 'C', Q.Q.factors, Q.Q.τ, A, true)
function lmul!(Q::QRPackedQ{T}, B::VecOrMat{T}) where {T}
    T <: BlasFloat && return _apply_reflectors('L', 'N', Q.factors, Q.τ, B, false)
    for k in length(Q.τ):-1:1
        _reflect_rows!(Q, k, Q.τ[k], B)
    end
    return B
end
function lmul!(Q::AdjointQ{T,<:QRPackedQ}, B::VecOrMat{T}) where {T}
    T <: BlasFloat && return _apply_reflectors('L', 'C', Q.Q.factors, Q.Q.τ, B, false)
    for k in 1:length(Q.Q.τ)
        _reflect_rows!(Q.Q, k, conj(Q.Q.τ[k]), B)
    end
    return B
end
function rmul!(A::Matrix{T}, Q::QRPackedQ{T}) where {T}
    T <: BlasFloat && return _apply_reflectors('R', 'N', Q.factors, Q.τ, A, false)
    return copyto!(A, adjoint(lmul!(adjoint(Q), _dense(adjoint(A)))))
end
function rmul!(A::Matrix{T}, Q::AdjointQ{T,<:QRPackedQ}) where {T}
    T <: BlasFloat && return _apply_reflectors('R', 'C', Q.Q.factors, Q.Q.τ, A, false)
    return copyto!(A, adjoint(lmul!(Q.Q, _dense(adjoint(A)))))
end
function _reflect_rows!(Q::QRPackedQ, k::Int, τ, B::VecOrMat)
    m = size(Q.factors, 1)
    for j in 1:size(B, 2)
        s = B[k, j]
        for i in k+1:m
            s += conj(Q.factors[i, k]) * B[i, j]
        end
        s *= τ
        B[k, j] -= s
        for i in k+1:m
            B[i, j] -= Q.factors[i, k] * s
        end
    end
    return B
end

# The rows that a thin factor lacks are zero.
function _padded(::Type{T}, A::AbstractMatrix, rows::Int, columns::Int) where {T}
    B = zeros(T, rows, columns)
    B[1:size(A, 1), 1:size(A, 2)] = A
    return B
end
function _padded(::Type{T}, a::AbstractVector, rows::Int) where {T}
    b = zeros(T, rows)
    b[1:length(a)] = a
    return b
end
_factor_rows(Q::AbstractQ) = size(Q.factors, 2)
_factor_rows(Q::AdjointQ) = -1
function *(Q::AbstractQ{T}, B::AbstractMatrix{S}) where {T,S}
    n = size(Q, 2)
    size(B, 1) == n || size(B, 1) == _factor_rows(Q) ||
        throw(DimensionMismatch("first dimension of matrix must have size either $n or $(_factor_rows(Q))"))
    return lmul!(_with_type(promote_type(T, S), Q), _padded(promote_type(T, S), B, n, size(B, 2)))
end
function *(Q::AbstractQ{T}, b::AbstractVector{S}) where {T,S}
    n = size(Q, 2)
    length(b) == n || length(b) == _factor_rows(Q) ||
        throw(DimensionMismatch("vector must have length either $n or $(_factor_rows(Q))"))
    return lmul!(_with_type(promote_type(T, S), Q), _padded(promote_type(T, S), b, n))
end
function *(A::AbstractMatrix{S}, Q::AbstractQ{T}) where {S,T}
    n = size(Q, 1)
    columns = size(A, 2)
    columns == n || Q isa Union{AdjointQ,LQPackedQ} ||
        throw(DimensionMismatch("second dimension of A must have size $n, got $columns"))
    return rmul!(_padded(promote_type(T, S), A, size(A, 1), n), _with_type(promote_type(T, S), Q))
end
*(Q::AbstractQ, P::AbstractQ) = Q * _full_q(P)
*(Q::AbstractQ, J::UniformScaling) = _full_q(Q) * J.λ
*(J::UniformScaling, Q::AbstractQ) = J.λ * _full_q(Q)
*(u::AdjOrTransAbsVec, Q::AbstractQ) = _row_product(u, _full_q(Q))
_with_type(::Type{T}, Q::AbstractQ) where {T} = eltype(Q) === T ? Q : _converted_q(T, Q)
_converted_q(::Type{T}, Q::QRCompactWYQ) where {T} = QRCompactWYQ(_dense(T, Q.factors), _dense(T, Q.T))
_converted_q(::Type{T}, Q::QRPackedQ) where {T} = QRPackedQ(_dense(T, Q.factors), _dense(T, Q.τ))
_converted_q(::Type{T}, Q::LQPackedQ) where {T} = LQPackedQ(_dense(T, Q.factors), _dense(T, Q.τ))
_converted_q(::Type{T}, Q::AdjointQ) where {T} = AdjointQ(_converted_q(T, Q.Q))

_full_q(Q::AbstractQ{T}) where {T} = lmul!(Q, _unit_matrix(T, size(Q, 1)))
function Matrix(Q::Union{QRCompactWYQ{T},QRPackedQ{T}}) where {T}
    n = min(size(Q.factors, 1), size(Q.factors, 2))
    return lmul!(Q, _scaling_matrix(T, I, size(Q, 1), n))
end
function Matrix(Q::LQPackedQ{T}) where {T}
    n = min(size(Q.factors, 1), size(Q.factors, 2))
    return rmul!(_scaling_matrix(T, I, n, size(Q, 1)), Q)
end
Matrix(Q::AdjointQ) = _dense(adjoint(Matrix(Q.Q)))
Array(Q::AbstractQ) = Matrix(Q)
collect(Q::AbstractQ) = _full_q(Q)
getindex(Q::AbstractQ, i, j) = _full_q(Q)[i, j]
==(P::AbstractQ, Q::AbstractQ) = _full_q(P) == _full_q(Q)
==(Q::AbstractQ, A::AbstractMatrix) = _full_q(Q) == A
==(A::AbstractMatrix, Q::AbstractQ) = A == _full_q(Q)
-(Q::AbstractQ, A) = _full_q(Q) - A
isapprox(Q::AbstractQ, A; kw...) = isapprox(_full_q(Q), A; kw...)
isapprox(A::AbstractMatrix, Q::AbstractQ; kw...) = isapprox(A, _full_q(Q); kw...)
det(Q::QRPackedQ{T}) where {T} = isodd(count(!iszero, Q.τ)) ? -one(T) : one(T)
det(Q::AbstractQ) = det(_full_q(Q))

# ---- solutions

function rank(F::QRPivoted; atol::Real=0, rtol::Real=min(size(F, 1), size(F, 2)) * eps(real(float(eltype(F.factors)))) * iszero(atol))
    m = min(size(F, 1), size(F, 2))
    m == 0 && return 0
    limit = max(rtol * abs(F.factors[1, 1]), atol)
    n = 0
    while n < m && abs(F.factors[n+1, n+1]) > limit
        n += 1
    end
    return n
end
function ldiv!(F::Union{QRCompactWY{T},QR{T}}, B::VecOrMat{T}) where {T}
    m, n = size(F)
    size(B, 1) == m || throw(DimensionMismatch("first dimension of A is $m, but of B is $(size(B, 1))"))
    m >= n || throw(DimensionMismatch("a QR factorization without pivoting does not solve wide systems"))
    lmul!(adjoint(F.Q), B)
    X = _rows(B, n)
    X = UpperTriangular(F.R) \ X
    _set_rows!(B, X)
    return B
end
function ldiv!(F::QRPivoted{T}, B::VecOrMat{T}) where {T}
    m, n = size(F)
    size(B, 1) >= max(m, n) || size(B, 1) == m || throw(DimensionMismatch("first dimension of A is $m, but of B is $(size(B, 1))"))
    X = _solve_least_squares(Matrix(F), _rows(B, m))
    _set_rows!(B, X)
    return B
end
_rows(B::Matrix, n::Int) = B[1:n, :]
_rows(b::Vector, n::Int) = b[1:n]
_set_rows!(B::Matrix, X::Matrix) = B[1:size(X, 1), 1:size(X, 2)] = X
_set_rows!(b::Vector, x::Vector) = b[1:length(x)] = x
function ldiv!(F::LQ{T}, B::VecOrMat{T}) where {T}
    m, n = size(F)
    y = LowerTriangular(F.L) \ _rows(B, m)
    return lmul!(adjoint(F.Q), y isa Vector ? _padded(T, y, n) : _padded(T, y, n, size(y, 2)))
end

# The least-squares solution of least norm, by QR with column exchanges.
function _solve_least_squares(A::AbstractMatrix, B::AbstractVecOrMat)
    m, n = size(A)
    m == size(B, 1) || throw(DimensionMismatch("both inputs should have the same number of rows, but got $m and $(size(B, 1))"))
    T = promote_type(_factor_float(eltype(A)), _factor_float(eltype(B)))
    X = B isa AbstractVector ? _padded(T, B, max(m, n)) : _padded(T, B, max(m, n), size(B, 2))
    min(m, n) == 0 && return _rows(X, n)
    _least_squares(_dense(T, A), X, real(T)(min(m, n) * eps(real(T))))
    return _rows(X, n)
end
