# Products with matrices of special form.

# ---- diagonal

_check_diagonal(D::Diagonal, n::Int, what) = length(D.diag) == n ||
    throw(DimensionMismatch("second dimension of D, $(length(D.diag)), does not match the first of $what, $n"))
function *(D::Diagonal, A::AbstractMatrix)
    _check_product(D, A)
    return D.diag .* A
end
function *(A::AbstractMatrix, D::Diagonal)
    _check_product(A, D)
    return A .* permutedims(D.diag)
end
function *(A::Diagonal, B::Diagonal)
    _check_product(A, B)
    return Diagonal(A.diag .* B.diag)
end
function *(D::Diagonal, x::AbstractVector)
    _check_product(D, x)
    return D.diag .* x
end
function *(u::AdjointAbsVec, D::Diagonal)
    _check_product(u, D)
    return adjoint(map((a, d) -> adjoint(d) * a, u.parent, D.diag))
end
function *(u::TransposeAbsVec, D::Diagonal)
    _check_product(u, D)
    return transpose(map((a, d) -> transpose(d) * a, u.parent, D.diag))
end
*(A::AdjOrTransAbsMat, D::Diagonal) = (_check_product(A, D); A .* permutedims(D.diag))
*(D::Diagonal, A::AdjOrTransAbsMat) = (_check_product(D, A); D.diag .* A)
*(D::Diagonal, A::AdjOrTransAbsVec) = (_check_product(D, A); D.diag .* A)
*(x::AdjointAbsVec, D::Diagonal, y::AbstractVector) = _row_diagonal(x, D, y)
*(x::TransposeAbsVec, D::Diagonal, y::AbstractVector) = _row_diagonal(x, D, y)
function _row_diagonal(x, D::Diagonal, y::AbstractVector)
    _check_product(x, D)
    _check_product(D, y)
    isempty(y) && return zero(eltype(x)) * zero(eltype(D)) * zero(eltype(y))
    return sum(x[i] * D.diag[i] * y[i] for i in 1:length(y))
end
function dot(x::AbstractVector, D::Diagonal, y::AbstractVector)
    length(x) == length(D.diag) == length(y) ||
        throw(DimensionMismatch("x has length $(length(x)), D has size $(size(D)), and y has $(length(y))"))
    isempty(x) && return dot(zero(eltype(x)), zero(eltype(D)), zero(eltype(y)))
    return sum(dot(x[i], D.diag[i], y[i]) for i in 1:length(x))
end
function lmul!(D::Diagonal, B::AbstractVecOrMat)
    size(B, 1) == length(D.diag) || throw(DimensionMismatch("second dimension of D, $(length(D.diag)), does not match the first of B, $(size(B, 1))"))
    return broadcast!(*, B, D.diag, B)
end
function rmul!(A::AbstractMatrix, D::Diagonal)
    size(A, 2) == length(D.diag) || throw(DimensionMismatch("second dimension of A, $(size(A, 2)), does not match the first of D, $(length(D.diag))"))
    return broadcast!(*, A, A, permutedims(D.diag))
end
lmul!(A::Diagonal, B::Diagonal) = (broadcast!(*, B.diag, A.diag, B.diag); B)
rmul!(A::Diagonal, B::Diagonal) = (broadcast!(*, A.diag, A.diag, B.diag); A)
_check_regular(D::Diagonal) = for i in 1:length(D.diag)
    iszero(D.diag[i]) && throw(SingularException(i))
end
function \(D::Diagonal, B::AbstractVecOrMat)
    size(B, 1) == length(D.diag) || throw(DimensionMismatch("diagonal matrix is $(length(D.diag)) by $(length(D.diag)) but right hand side has $(size(B, 1)) rows"))
    _check_regular(D)
    return D.diag .\ B
end
function /(A::AbstractMatrix, D::Diagonal)
    size(A, 2) == length(D.diag) || throw(DimensionMismatch("left hand side has $(size(A, 2)) columns but D is $(length(D.diag)) by $(length(D.diag))"))
    _check_regular(D)
    return A ./ permutedims(D.diag)
end
/(a::AbstractVector, D::Diagonal) = length(D.diag) == 1 ? reshape(a, :, 1) / D : throw(DimensionMismatch("left hand side has 1 columns but D is $(length(D.diag)) by $(length(D.diag))"))
\(A::Diagonal, B::Diagonal) = (_check_regular(A); Diagonal(A.diag .\ B.diag))
/(A::Diagonal, B::Diagonal) = (_check_regular(B); Diagonal(A.diag ./ B.diag))
/(u::AdjOrTransAbsVec, D::Diagonal) = (_check_regular(D); u ./ permutedims(D.diag))
function ldiv!(D::Diagonal, B::AbstractVecOrMat)
    _check_regular(D)
    return broadcast!(\, B, D.diag, B)
end
ldiv!(C::AbstractVecOrMat, D::Diagonal, B::AbstractVecOrMat) = (_check_regular(D); broadcast!(\, C, D.diag, B))
function rdiv!(A::AbstractMatrix, D::Diagonal)
    _check_regular(D)
    return broadcast!(/, A, A, permutedims(D.diag))
end
mul!(C::AbstractVecOrMat, D::Diagonal, B::AbstractVecOrMat) = (_check_destination(C, D, B); broadcast!(*, C, D.diag, B))
mul!(C::AbstractMatrix, A::AbstractMatrix, D::Diagonal) = (_check_destination(C, A, D); broadcast!(*, C, A, permutedims(D.diag)))

# ---- triangular

_both_upper(A, B) = A isa UpperOrUnitUpperTriangular && B isa UpperOrUnitUpperTriangular
_is_blas(::Type{T}, A::AbstractArray{S}) where {T,S} = T <: BlasFloat && S === T
function *(A::AbstractTriangular{T}, B::AbstractMatrix{S}) where {T,S}
    _check_product(A, B)
    return _triangular_product(_product_type(T, S), A, B)
end
function *(A::AbstractTriangular{T}, x::AbstractVector{S}) where {T,S}
    _check_product(A, x)
    return _triangular_product(_product_type(T, S), A, x)
end
_triangular_product(::Type{R}, A::AbstractTriangular, B::AbstractVecOrMat) where {R} = _multiply!(_product_array(R, A, B), _dense(A), _as_array(B))
_triangular_product(::Type{R}, A::AbstractTriangular, B::AbstractVecOrMat) where {R<:BlasFloat} =
    _triangular_multiply('L', _stored_uplo(A), _data_mode(A), _diagonal_kind(A), _as_array(R, _data_array(A)), _dense(R, B))
_product_array(::Type{R}, A, B::AbstractMatrix) where {R} = Matrix{R}(undef, size(A, 1), size(B, 2))
_product_array(::Type{R}, A, B::AbstractVector) where {R} = Vector{R}(undef, size(A, 1))
function *(A::AbstractMatrix{T}, B::AbstractTriangular{S}) where {T,S}
    _check_product(A, B)
    R = _product_type(T, S)
    R <: BlasFloat || return _multiply!(Matrix{R}(undef, size(A, 1), size(B, 2)), _as_array(A), _dense(B))
    return _triangular_multiply('R', _stored_uplo(B), _data_mode(B), _diagonal_kind(B), _as_array(R, _data_array(B)), _dense(R, A))
end
function *(A::AbstractTriangular{T}, B::AbstractTriangular{S}) where {T,S}
    _check_product(A, B)
    C = _dense(A) * _dense(B)
    _both_upper(A, B) && return A isa UnitTriangular && B isa UnitTriangular ? UnitUpperTriangular(C) : UpperTriangular(C)
    if A isa LowerOrUnitLowerTriangular && B isa LowerOrUnitLowerTriangular
        return A isa UnitTriangular && B isa UnitTriangular ? UnitLowerTriangular(C) : LowerTriangular(C)
    end
    return C
end
*(A::AbstractTriangular, D::Diagonal) = (_check_product(A, D); _full_kind(A, _dense(A) .* permutedims(D.diag)))
*(D::Diagonal, A::AbstractTriangular) = (_check_product(D, A); _full_kind(A, D.diag .* _dense(A)))
_full_kind(::UpperOrUnitUpperTriangular, data) = UpperTriangular(data)
_full_kind(::LowerOrUnitLowerTriangular, data) = LowerTriangular(data)
*(u::AdjointAbsVec, A::AbstractTriangular) = _row_product(u, A)
*(u::TransposeAbsVec, A::AbstractTriangular) = _row_product(u, A)
*(A::AbstractTriangular, B::AdjOrTransAbsVec) = A * _dense(B)
lmul!(A::AbstractTriangular, B::AbstractVecOrMat) = copyto!(B, A * B)
rmul!(A::AbstractMatrix, B::AbstractTriangular) = copyto!(A, A * B)

# The parent of a triangle may itself be a transposed matrix.
_data_mode(A) = A.data isa Union{Adjoint,Transpose} && A.data.parent isa Matrix ? _mode(A.data) : 'N'
_data_array(A) = A.data isa Union{Adjoint,Transpose} && A.data.parent isa Matrix ? A.data.parent : _as_array(A.data)
_stored_uplo(A) = _data_mode(A) == 'N' ? _uplo(A) : _uplo(A) == 'U' ? 'L' : 'U'

# ---- symmetric and banded: as the dense matrices that they stand for

const Structured{T} = Union{Symmetric{T},Hermitian{T},Bidiagonal{T},Tridiagonal{T},SymTridiagonal{T},UpperHessenberg{T}}
*(A::Structured, B::AbstractMatrix) = (_check_product(A, B); _dense(A) * B)
*(A::AbstractMatrix, B::Structured) = (_check_product(A, B); A * _dense(B))
*(A::Structured, B::Structured) = (_check_product(A, B); _dense(A) * _dense(B))
*(A::Structured, x::AbstractVector) = (_check_product(A, x); _dense(A) * x)
*(u::AdjointAbsVec, A::Structured) = _row_product(u, A)
*(u::TransposeAbsVec, A::Structured) = _row_product(u, A)
*(A::Structured, B::AdjOrTransAbsVec) = (_check_product(A, B); _dense(A) * B)
*(A::Structured, D::Diagonal) = (_check_product(A, D); _dense(A) * D)
*(D::Diagonal, A::Structured) = (_check_product(D, A); D * _dense(A))
*(A::Structured, B::AbstractTriangular) = (_check_product(A, B); _dense(A) * B)
*(A::AbstractTriangular, B::Structured) = (_check_product(A, B); A * _dense(B))
function dot(x::AbstractVector, A::Union{Tridiagonal,SymTridiagonal}, y::AbstractVector)
    length(x) == size(A, 1) == length(y) || throw(DimensionMismatch("dimensions must match"))
    isempty(x) && return dot(zero(eltype(x)), zero(eltype(A)), zero(eltype(y)))
    return dot(x, _dense(A) * y)
end

*(A::AbstractMatrix, B::AbstractMatrix, x::AbstractVector) = A * (B * x)
*(u::AdjOrTransAbsVec, A::AbstractMatrix, x::AbstractVector) = (u * A) * x
