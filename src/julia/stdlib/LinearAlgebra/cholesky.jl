# Cholesky factorization of positive definite matrices.

struct Cholesky{T,S<:AbstractMatrix} <: Factorization{T}
    factors::S
    uplo::Char
    info::Int
end
Cholesky(A::AbstractMatrix{T}, uplo::Symbol, info::Integer) where {T} = Cholesky{T,typeof(A)}(A, _char_uplo(uplo), Int(info))
Cholesky(A::AbstractMatrix{T}, uplo::AbstractChar, info::Integer) where {T} = Cholesky{T,typeof(A)}(A, Char(uplo), Int(info))

struct CholeskyPivoted{T,S<:AbstractMatrix,P<:AbstractVector{<:Integer}} <: Factorization{T}
    factors::S
    uplo::Char
    piv::P
    rank::Int
    tol::Float64
    info::Int
end

issuccess(C::Union{Cholesky,CholeskyPivoted}) = C.info == 0
size(C::Union{Cholesky,CholeskyPivoted}) = size(getfield(C, :factors))
size(C::Union{Cholesky,CholeskyPivoted}, d::Integer) = size(getfield(C, :factors), d)

function _check_hermitian(A::AbstractMatrix, check::Bool)
    checksquare(A)
    ishermitian(A) && return true
    check && throw(PosDefException(-1))
    return false
end

cholesky(A::AbstractMatrix, ::NoPivot=NoPivot(); check::Bool=true) = _cholesky_of(_dense(_root_type(eltype(A)), A), check)
cholesky(A::SymOrHerm, ::NoPivot=NoPivot(); check::Bool=true) =
    _factor_cholesky!(_dense(_root_type(eltype(A)), A), A.uplo, check)
cholesky(D::Diagonal, ::NoPivot=NoPivot(); check::Bool=true) = cholesky!(Diagonal(float.(D.diag)); check=check)
cholesky(x::Number; check::Bool=true) = cholesky(fill(x, 1, 1); check=check)
_root_type(::Type{T}) where {T} = typeof(sqrt(one(T)))
function _cholesky_of(A::AbstractMatrix{T}, check::Bool) where {T}
    _check_hermitian(A, check) || return Cholesky(A, 'U', -1)
    return _factor_cholesky!(A, 'U', check)
end
cholesky!(A::AbstractMatrix, ::NoPivot=NoPivot(); check::Bool=true) = _cholesky_of(A, check)
cholesky!(A::SymOrHerm, ::NoPivot=NoPivot(); check::Bool=true) = _factor_cholesky!(A.data, A.uplo, check)
function cholesky!(D::Diagonal, ::NoPivot=NoPivot(); check::Bool=true)
    info = 0
    for i in 1:length(D.diag)
        x = D.diag[i]
        if !(isreal(x) && real(x) > 0)
            info = i
            break
        end
        D.diag[i] = sqrt(real(x))
    end
    info > 0 && check && throw(PosDefException(info))
    return Cholesky(D, 'U', info)
end

function _factor_cholesky!(A::Matrix{T}, uplo::Char, check::Bool) where {T<:BlasFloat}
    info = _cholesky(uplo, A)
    check && info != 0 && throw(PosDefException(info))
    return Cholesky(A, uplo, info)
end
function _factor_cholesky!(A::AbstractMatrix, uplo::Char, check::Bool)
    info = _generic_cholesky!(A, uplo)
    check && info != 0 && throw(PosDefException(info))
    return Cholesky(A, uplo, info)
end
function _generic_cholesky!(A::AbstractMatrix, uplo::Char)
    n = checksquare(A)
    at = uplo == 'U' ? (i, j) -> adjoint(A[j, i]) : (i, j) -> A[i, j]
    put! = uplo == 'U' ? (x, i, j) -> (A[j, i] = adjoint(x)) : (x, i, j) -> (A[i, j] = x)
    for k in 1:n
        x = real(at(k, k))
        for i in 1:k-1
            x -= abs2(at(k, i))
        end
        x > 0 || return k
        d = sqrt(x)
        put!(d, k, k)
        for i in k+1:n
            y = at(i, k)
            for j in 1:k-1
                y -= at(i, j) * adjoint(at(k, j))
            end
            put!(y / d, i, k)
        end
    end
    return 0
end

cholesky(A::AbstractMatrix, ::RowMaximum; tol::Real=0.0, check::Bool=true) =
    cholesky!(_dense(_root_type(eltype(A)), A), RowMaximum(); tol=tol, check=check)
cholesky(A::SymOrHerm, ::RowMaximum; tol::Real=0.0, check::Bool=true) =
    _pivoted!(_dense(_root_type(eltype(A)), A), A.uplo, tol, check)
function cholesky!(A::AbstractMatrix, ::RowMaximum; tol::Real=0.0, check::Bool=true)
    _check_hermitian(A, check) || return CholeskyPivoted{eltype(A),typeof(A),Vector{Int}}(A, 'U', Int[], 0, Float64(tol), -1)
    return _pivoted!(A, 'U', tol, check)
end
cholesky!(A::SymOrHerm, ::RowMaximum; tol::Real=0.0, check::Bool=true) = _pivoted!(A.data, A.uplo, tol, check)
function _pivoted!(A::Matrix{T}, uplo::Char, tol::Real, check::Bool) where {T<:BlasFloat}
    piv, rank, info = _cholesky_pivoted(uplo, A, real(T)(tol))
    check && info != 0 && throw(RankDeficientException(rank))
    return CholeskyPivoted{T,Matrix{T},Vector{Int}}(A, uplo, piv, rank, Float64(tol), info)
end

function getproperty(C::Cholesky, d::Symbol)
    factors = getfield(C, :factors)
    uplo = getfield(C, :uplo)
    if d === :U
        return UpperTriangular(uplo == 'U' ? factors : adjoint(factors))
    elseif d === :L
        return LowerTriangular(uplo == 'L' ? factors : adjoint(factors))
    elseif d === :UL
        return uplo == 'U' ? UpperTriangular(factors) : LowerTriangular(factors)
    end
    return getfield(C, d)
end
function getproperty(C::CholeskyPivoted{T}, d::Symbol) where {T}
    factors = getfield(C, :factors)
    uplo = getfield(C, :uplo)
    if d === :U
        return UpperTriangular(uplo == 'U' ? factors : adjoint(factors))
    elseif d === :L
        return LowerTriangular(uplo == 'L' ? factors : adjoint(factors))
    elseif d === :p
        return getfield(C, :piv)
    elseif d === :P
        n = size(factors, 1)
        P = zeros(T, n, n)
        for k in 1:n
            P[getfield(C, :piv)[k], k] = one(T)
        end
        return P
    end
    return getfield(C, d)
end
iterate(C::Union{Cholesky,CholeskyPivoted}) = (C.L, Val(:U))
iterate(C::Union{Cholesky,CholeskyPivoted}, ::Val{:U}) = (C.U, Val(:done))
iterate(C::Union{Cholesky,CholeskyPivoted}, ::Val{:done}) = nothing
Matrix(C::Cholesky) = C.uplo == 'U' ? Matrix(C.U' * C.U) : Matrix(C.L * C.L')
Array(C::Cholesky) = Matrix(C)
copy(C::Cholesky) = Cholesky(copy(C.factors), C.uplo, C.info)

function show(io::IO, mime::MIME"text/plain", C::Cholesky)
    if issuccess(C)
        print(io, typeof(C), "\n$(C.uplo) factor:\n")
        show(io, mime, C.UL)
    else
        print(io, "Failed factorization of type $(typeof(C))")
    end
end
function show(io::IO, mime::MIME"text/plain", C::CholeskyPivoted)
    print(io, typeof(C), "\n$(C.uplo) factor with rank $(C.rank):\n")
    show(io, mime, C.uplo == 'U' ? C.U : C.L)
    print(io, "\npermutation:\n")
    show(io, mime, C.p)
end

_check_definite(C::Cholesky) = C.info == 0 || throw(PosDefException(C.info))
function ldiv!(C::Cholesky{T,<:Matrix}, B::VecOrMat{T}) where {T<:BlasFloat}
    size(C, 1) == size(B, 1) || throw(DimensionMismatch("first dimension of A is $(size(C, 1)), but of B is $(size(B, 1))"))
    _check_definite(C)
    return _cholesky_solve(C.uplo, C.factors, B)
end
function ldiv!(C::Cholesky, B::AbstractVecOrMat)
    _check_definite(C)
    _generic_triangular_solve!(LowerTriangular(_dense(C.L)), B)
    return _generic_triangular_solve!(UpperTriangular(_dense(C.U)), B)
end
function ldiv!(C::CholeskyPivoted, B::VecOrMat)
    permuted = B[C.piv, :]
    X = C.U \ (C.L \ permuted)
    B[C.piv, :] = X
    return B
end
det(C::Cholesky) = prod(x -> abs2(x), diag(C.factors))
logdet(C::Cholesky) = 2 * sum(x -> log(real(x)), diag(C.factors))
logabsdet(C::Cholesky) = (logdet(C), one(real(eltype(C.factors))))
det(C::CholeskyPivoted) = C.rank < size(C, 1) ? zero(eltype(C.factors)) : prod(x -> abs2(x), diag(C.factors))
logdet(C::CholeskyPivoted) = C.rank < size(C, 1) ? -Inf : 2 * sum(x -> log(real(x)), diag(C.factors))
rank(C::CholeskyPivoted) = C.rank
function inv(C::Cholesky{T,<:Matrix}) where {T<:BlasFloat}
    _check_definite(C)
    A = copy(C.factors)
    _cholesky_inverse(C.uplo, A)
    return copytri!(A, C.uplo, true)
end
inv(C::Cholesky{T}) where {T} = ldiv!(C, _unit_matrix(T, size(C, 1)))

# Of C = A + v v' or A - v v' from the factor of A.
lowrankupdate(C::Cholesky, v::AbstractVector) = cholesky(Hermitian(Matrix(C) + v * v'))
lowrankdowndate(C::Cholesky, v::AbstractVector) = cholesky(Hermitian(Matrix(C) - v * v'))
