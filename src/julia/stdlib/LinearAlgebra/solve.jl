# Systems of equations, inverses, determinants: by the factorization that the matrix's form asks for.

function factorize(A::AbstractMatrix{T}) where {T}
    m, n = size(A)
    m == n || return qr(A, ColumnNorm())
    m == 1 && return A[1]
    if isbanded(A, -1, 1)
        isdiag(A) && return Diagonal(A)
        istril(A) && return Bidiagonal(A, :L)
        istriu(A) && return Bidiagonal(A, :U)
        issymmetric(A) && T <: Real && return ldlt(SymTridiagonal(A))
        return lu(Tridiagonal(A))
    end
    istriu(A) && return UpperTriangular(A)
    istril(A) && return LowerTriangular(A)
    if ishermitian(A)
        C = cholesky(Hermitian(A); check=false)
        issuccess(C) && return C
        return T <: Real ? bunchkaufman(Symmetric(A)) : bunchkaufman(Hermitian(A))
    end
    return lu(A)
end
factorize(A::Union{Diagonal,Bidiagonal,UpperTriangular,LowerTriangular,UnitUpperTriangular,UnitLowerTriangular}) = A
factorize(A::Factorization) = A
factorize(A::SymOrHerm) = bunchkaufman(A)
factorize(a::Number) = a

_check_rows(A, B) = size(A, 1) == size(B, 1) ||
    throw(DimensionMismatch("matrix A has dimensions $(size(A)), but right hand side has $(size(B, 1)) rows"))

function \(A::AbstractMatrix, B::AbstractVecOrMat)
    m, n = size(A)
    m == n || return _solve_least_squares(A, B)
    T = promote_type(_factor_type(eltype(A)), _factor_type(eltype(B)))
    return _is_compiled() && T <: BlasFloat ? _with_rule(_solve_square, _solve_square_rule, _dense(T, A), _dense(T, B)) : _solve_square(A, B)
end
# By what the matrix is: its derivative is that of any matrix, whatever its zeros.
function _solve_square(A, B)
    istril(A) && return istriu(A) ? Diagonal(A) \ B : LowerTriangular(A) \ B
    istriu(A) && return UpperTriangular(A) \ B
    return lu(A) \ B
end
function _solve_square_rule(A, B, dA, dB)
    X = _with_rule(_solve_square, _solve_square_rule, A, B)
    return X, lu(A; check=false) \ (dB - dA * X)
end
\(a::AbstractVector, B::AbstractVecOrMat) = reshape(a, :, 1) \ B
\(A::AdjOrTransAbsVec, b::AbstractVecOrMat) = _dense(A) \ b
function \(A::AbstractTriangular{T}, B::AbstractVecOrMat{S}) where {T,S}
    size(A, 1) == size(B, 1) || throw(DimensionMismatch("first dimension of A, $(size(A, 1)), does not match that of B, $(size(B, 1))"))
    R = typeof(zero(T) / one(T) * zero(S))
    return ldiv!(A, _dense(R, B))
end
function \(A::SymOrHerm, B::AbstractVecOrMat)
    _check_rows(A, B)
    T = promote_type(_factor_type(eltype(A)), _factor_type(eltype(B)))
    T <: BlasFloat && !_is_compiled() || return lu(_dense(A)) \ B
    return bunchkaufman(A) \ B
end
function \(A::Tridiagonal, B::AbstractVecOrMat)
    _check_rows(A, B)
    T = promote_type(_factor_type(eltype(A)), _factor_type(eltype(B)))
    T <: BlasFloat || return lu(_dense(A)) \ B
    X = _dense(T, B)
    info = _tridiagonal_solve(_dense(T, A.dl), _dense(T, A.d), _dense(T, A.du), X)
    info == 0 || throw(SingularException(info))
    return X
end
\(A::SymTridiagonal, B::AbstractVecOrMat) = Tridiagonal(A.ev, A.dv, A.ev) \ B
function \(A::Bidiagonal, B::AbstractVecOrMat)
    _check_rows(A, B)
    return (A.uplo == 'U' ? UpperTriangular(_dense(A)) : LowerTriangular(_dense(A))) \ B
end
\(A::UpperHessenberg, B::AbstractVecOrMat) = lu(_dense(A)) \ B
function \(F::Factorization{T}, B::AbstractVecOrMat{S}) where {T,S}
    m, n = size(F)
    m == size(B, 1) || throw(DimensionMismatch("arguments must have the same number of rows"))
    R = promote_type(T, _factor_type(S))
    R === T || return _converted_solve(F, _dense(R, B))
    X = B isa AbstractVector ? _padded(R, B, max(m, n)) : _padded(R, B, max(m, n), size(B, 2))
    ldiv!(F, X)
    return m == n || F isa LQ ? X : _rows(X, n)
end
# A real factorization of a complex right-hand side: by parts.
_converted_solve(F::Factorization{<:Real}, B::AbstractVecOrMat{<:Complex}) = complex.(F \ real(B), F \ imag(B))
_converted_solve(F::Factorization{T}, B::AbstractVecOrMat) where {T} = F \ _dense(T, B)
\(F::LQ, B::AbstractVecOrMat) = ldiv!(F, _dense(eltype(F.factors), B))

ldiv!(F::Factorization, B::AbstractVecOrMat) = throw(MethodError(ldiv!, (F, B)))
ldiv!(Y::AbstractVecOrMat, F::Factorization, B::AbstractVecOrMat) = copyto!(Y, F \ B)
ldiv!(Y::AbstractVecOrMat, A::AbstractMatrix, B::AbstractVecOrMat) = copyto!(Y, A \ B)
function ldiv!(A::AbstractTriangular, B::AbstractVecOrMat)
    size(A, 1) == size(B, 1) || throw(DimensionMismatch("first dimension of A, $(size(A, 1)), does not match that of B, $(size(B, 1))"))
    return _triangular_ldiv!(A, B)
end
_triangular_ldiv!(A::AbstractTriangular, B::AbstractVecOrMat) = _generic_triangular_solve!(A, B)
function _triangular_ldiv!(A::AbstractTriangular{T}, B::VecOrMat{T}) where {T<:BlasFloat}
    info = _triangular_solve(_stored_uplo(A), _data_mode(A), _diagonal_kind(A), _data_array(A), B)
    info == 0 || throw(SingularException(info))
    return B
end
ldiv!(A::Union{Bidiagonal,Tridiagonal,SymTridiagonal}, B::AbstractVecOrMat) = copyto!(B, A \ B)
rdiv!(A::AbstractMatrix, B::AbstractTriangular) = copyto!(A, A / B)
rdiv!(A::AbstractMatrix, F::Factorization) = copyto!(A, A / F)

function /(A::AbstractVecOrMat, B::AbstractVecOrMat)
    size(A, 2) == size(B, 2) || throw(DimensionMismatch("Both inputs should have the same number of columns"))
    return copy(adjoint(adjoint(B) \ adjoint(A)))
end
/(u::AdjointAbsVec, B::AbstractMatrix) = adjoint(adjoint(B) \ u.parent)
/(u::TransposeAbsVec, B::AbstractMatrix) = transpose(transpose(B) \ u.parent)
/(A::AbstractMatrix, F::LU) = copy(adjoint(_solve_adjoint(F, _dense(adjoint(A)))))
/(A::AbstractMatrix, F::Factorization) = A / Matrix(F)
/(x::Number, v::AbstractVector) = x * pinv(v)
_solve_adjoint(F::LU{T,<:Matrix}, B::Matrix{T}) where {T<:BlasFloat} = (_check_regular(F); _lu_solve('C', F.factors, F.ipiv, B))
_solve_adjoint(F::LU, B::Matrix) = adjoint(Matrix(F)) \ B
adjoint(F::Factorization) = AdjointFactorization(F)
struct AdjointFactorization{T,F<:Factorization{T}} <: Factorization{T}
    parent::F
end
size(F::AdjointFactorization) = reverse(size(F.parent))
adjoint(F::AdjointFactorization) = F.parent
\(F::AdjointFactorization{T,<:LU}, B::AbstractVecOrMat) where {T} =
    _solve_adjoint(F.parent, _dense(promote_type(T, _factor_type(eltype(B))), B isa AbstractVector ? reshape(B, :, 1) : B)) |> X -> B isa AbstractVector ? vec(X) : X
\(F::AdjointFactorization, B::AbstractVecOrMat) = adjoint(Matrix(F.parent)) \ B
det(F::AdjointFactorization) = conj(det(F.parent))

function inv(A::AbstractMatrix{T}) where {T}
    checksquare(A)
    S = _factor_type(T)
    return _is_compiled() && S <: BlasFloat ? _with_rule(_inverse, _inverse_rule, _dense(S, A)) : _inverse(A)
end
function _inverse_rule(A, dA)
    X = _with_rule(_inverse, _inverse_rule, A)
    return X, -(X * dA * X)
end
function _inverse(A::AbstractMatrix{T}) where {T}
    istriu(A) && return triu!(_dense(inv(UpperTriangular(_dense(_factor_type(T), A)))))
    istril(A) && return tril!(_dense(inv(LowerTriangular(_dense(_factor_type(T), A)))))
    return inv(lu(A))
end
inv(A::AdjointAbsVec) = inv(_dense(A))
inv(A::Adjoint{T,<:AbstractMatrix}) where {T} = adjoint(inv(A.parent))
inv(A::Transpose{T,<:AbstractMatrix}) where {T} = transpose(inv(A.parent))
inv(A::Symmetric) = Symmetric(_symmetrized(_indefinite_inverse(A), A.uplo, false), sym_uplo(A.uplo))
inv(A::Hermitian) = Hermitian(_symmetrized(_indefinite_inverse(A), A.uplo, true), sym_uplo(A.uplo))
_indefinite_inverse(A::SymOrHerm) = _is_compiled() ? inv(_dense(A)) : inv(bunchkaufman(A))
_symmetrized(A::Matrix, uplo::Char, conjugate::Bool) = copytri!(A, uplo, conjugate)
inv(A::Banded) = inv(_dense(A))
inv(F::Factorization{T}) where {T} = F \ _unit_matrix(T, size(F, 1))

function det(A::AbstractMatrix{T}) where {T}
    S = _factor_type(T)
    return _is_compiled() && S <: BlasFloat && size(A, 1) == size(A, 2) ? _with_rule(_determinant, _determinant_rule, _dense(S, A)) : _determinant(A)
end
function _determinant_rule(A, dA)
    d = _with_rule(_determinant, _determinant_rule, A)
    return d, d * tr(lu(A; check=false) \ dA)
end
function _determinant(A::AbstractMatrix{T}) where {T}
    if istriu(A) || istril(A)
        checksquare(A)
        S = _factor_type(T)
        return convert(S, prod(diag(A)))
    end
    return det(lu(A; check=false))
end
det(A::Union{AbstractTriangular,Diagonal,Bidiagonal}, ::Nothing) = det(A)
det(A::SymOrHerm) = det(lu(_dense(A); check=false))
det(A::Hermitian) = real(det(lu(_dense(A); check=false)))
det(x::Number) = x
det(A::Adjoint{T,<:AbstractMatrix}) where {T} = conj(det(A.parent))
det(A::Transpose{T,<:AbstractMatrix}) where {T} = det(A.parent)
logabsdet(A::AbstractMatrix) = logabsdet(lu(A; check=false))
logabsdet(x::Number) = log(abs(x)), sign(x)
function logdet(A)
    s, sign = logabsdet(A)
    return s + log(sign)
end
logdet(x::Number) = log(x)

# Bareiss's elimination stays within the integers.
det_bareiss(A::AbstractMatrix) = det_bareiss!(_dense(A))
function det_bareiss!(M::AbstractMatrix{T}) where {T}
    n = checksquare(M)
    sign, before = Int8(1), one(T)
    for i in 1:n-1
        if iszero(M[i, i])
            p = findfirst(j -> !iszero(M[i, j]), i+1:n)
            p === nothing && return zero(T)
            p += i
            for k in 1:n
                M[k, i], M[k, p] = M[k, p], M[k, i]
            end
            sign = -sign
        end
        for k in i+1:n, j in i+1:n
            M[j, k] = div(M[j, k] * M[i, i] - M[j, i] * M[i, k], before)
        end
        before = M[i, i]
    end
    return sign * M[n, n]
end

function cond(A::AbstractMatrix, p::Real=2)
    if p == 2
        v = svdvals(A)
        isempty(v) && return zero(eltype(v))
        return iszero(v[1]) ? oftype(v[1], Inf) : v[1] / v[end]
    elseif p == 1 || p == Inf
        checksquare(A)
        return _condition(_dense(_factor_float(eltype(A)), A), p)
    end
    throw(ArgumentError("p-norm must be 1, 2 or Inf, got $p"))
end
function _condition(A::Matrix{T}, p::Real) where {T}
    F = lu(A; check=false)
    F.info == 0 || return real(T)(Inf)
    return inv(_reciprocal_condition(p == 1 ? 'O' : 'I', F.factors, opnorm(A, p)))
end
cond(x::Number) = iszero(x) ? Inf : 1.0
cond(x::Number, p::Real) = cond(x)
condskeel(A::AbstractMatrix, p::Real=Inf) = opnorm(abs.(inv(A)) * abs.(A), p)
condskeel(A::AbstractMatrix, x::AbstractVector, p::Real=Inf) = norm(abs.(inv(A)) * (abs.(A) * abs.(x)), p) / norm(x, p)
