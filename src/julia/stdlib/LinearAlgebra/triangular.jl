# Triangular matrices: one triangle of the parent, and zeros; unit ones have a diagonal of ones.

UpperTriangular(A::AbstractMatrix{T}) where {T} = (checksquare(A); _new(UpperTriangular{T,typeof(A)}, A))
LowerTriangular(A::AbstractMatrix{T}) where {T} = (checksquare(A); _new(LowerTriangular{T,typeof(A)}, A))
UnitUpperTriangular(A::AbstractMatrix{T}) where {T} = (checksquare(A); _new(UnitUpperTriangular{T,typeof(A)}, A))
UnitLowerTriangular(A::AbstractMatrix{T}) where {T} = (checksquare(A); _new(UnitLowerTriangular{T,typeof(A)}, A))
UpperTriangular(A::UpperTriangular) = A
LowerTriangular(A::LowerTriangular) = A
UnitUpperTriangular(A::UnitUpperTriangular) = A
UnitLowerTriangular(A::UnitLowerTriangular) = A
UpperTriangular{T}(A::AbstractMatrix) where {T} = UpperTriangular(convert(AbstractMatrix{T}, A))
LowerTriangular{T}(A::AbstractMatrix) where {T} = LowerTriangular(convert(AbstractMatrix{T}, A))
UpperHessenberg(A::AbstractMatrix{T}) where {T} = (checksquare(A); _new(UpperHessenberg{T,typeof(A)}, A))
UpperHessenberg(A::UpperHessenberg) = A

const UpperOrUnitUpperTriangular{T,S} = Union{UpperTriangular{T,S},UnitUpperTriangular{T,S}}
const LowerOrUnitLowerTriangular{T,S} = Union{LowerTriangular{T,S},UnitLowerTriangular{T,S}}
const UnitTriangular{T,S} = Union{UnitUpperTriangular{T,S},UnitLowerTriangular{T,S}}
const FullTriangular{T,S} = Union{UpperTriangular{T,S},LowerTriangular{T,S}}

size(A::AbstractTriangular) = size(A.data)
size(A::UpperHessenberg) = size(A.data)
parent(A::AbstractTriangular) = A.data
parent(A::UpperHessenberg) = A.data
IndexStyle(::Type{<:AbstractTriangular}) = IndexCartesian()
IndexStyle(::Type{<:UpperHessenberg}) = IndexCartesian()

_uplo(::UpperOrUnitUpperTriangular) = 'U'
_uplo(::LowerOrUnitLowerTriangular) = 'L'
_diagonal_kind(::FullTriangular) = 'N'
_diagonal_kind(::UnitTriangular) = 'U'

_structural_zero(A::AbstractMatrix{T}, i::Int, j::Int) where {T} = zero(T)
_structural_zero(A::AbstractMatrix{<:AbstractMatrix}, i::Int, j::Int) = zero(A.data[j, i])
function getindex(A::UpperTriangular, i::Int, j::Int)
    checkbounds(A, i, j)
    return i <= j ? A.data[i, j] : _structural_zero(A, i, j)
end
function getindex(A::LowerTriangular, i::Int, j::Int)
    checkbounds(A, i, j)
    return i >= j ? A.data[i, j] : _structural_zero(A, i, j)
end
function getindex(A::UnitUpperTriangular{T}, i::Int, j::Int) where {T}
    checkbounds(A, i, j)
    return i < j ? A.data[i, j] : i == j ? oneunit(T) : _structural_zero(A, i, j)
end
function getindex(A::UnitLowerTriangular{T}, i::Int, j::Int) where {T}
    checkbounds(A, i, j)
    return i > j ? A.data[i, j] : i == j ? oneunit(T) : _structural_zero(A, i, j)
end
function getindex(A::UpperHessenberg, i::Int, j::Int)
    checkbounds(A, i, j)
    return i <= j + 1 ? A.data[i, j] : _structural_zero(A, i, j)
end
function setindex!(A::UpperTriangular, v, i::Int, j::Int)
    if i <= j
        A.data[i, j] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set index in the lower triangular part ($i, $j) of an UpperTriangular matrix to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::LowerTriangular, v, i::Int, j::Int)
    if i >= j
        A.data[i, j] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set index in the upper triangular part ($i, $j) of a LowerTriangular matrix to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::UnitUpperTriangular, v, i::Int, j::Int)
    if i < j
        A.data[i, j] = v
    elseif i == j ? !isone(v) : !iszero(v)
        throw(ArgumentError(i == j ? "cannot set index on the diagonal ($i, $j) of a UnitUpperTriangular matrix to a non-unit value ($v)" :
                            "cannot set index in the lower triangular part ($i, $j) of a UnitUpperTriangular matrix to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::UnitLowerTriangular, v, i::Int, j::Int)
    if i > j
        A.data[i, j] = v
    elseif i == j ? !isone(v) : !iszero(v)
        throw(ArgumentError(i == j ? "cannot set index on the diagonal ($i, $j) of a UnitLowerTriangular matrix to a non-unit value ($v)" :
                            "cannot set index in the upper triangular part ($i, $j) of a UnitLowerTriangular matrix to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::UpperHessenberg, v, i::Int, j::Int)
    if i <= j + 1
        A.data[i, j] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set index in the lower triangular part ($i, $j) of an UpperHessenberg matrix to a nonzero value ($v)"))
    end
    return A
end

_rewrap(::UpperTriangular, data) = UpperTriangular(data)
_rewrap(::LowerTriangular, data) = LowerTriangular(data)
_rewrap(::UnitUpperTriangular, data) = UnitUpperTriangular(data)
_rewrap(::UnitLowerTriangular, data) = UnitLowerTriangular(data)
similar(A::AbstractTriangular{T}) where {T} = _rewrap(A, similar(A.data, T))
similar(A::AbstractTriangular, ::Type{T}) where {T} = _rewrap(A, similar(A.data, T))
similar(A::AbstractTriangular, ::Type{T}, dims::Dims{N}) where {T,N} = similar(A.data, T, dims)
copy(A::AbstractTriangular) = _rewrap(A, copy(A.data))
copymutable(A::AbstractTriangular) = copy(A)
Matrix(A::AbstractTriangular{T}) where {T} = _dense(T, A)
_dense(::Type{T}, A::UpperTriangular{T,Matrix{T}}) where {T<:BlasFloat} = _clear_beside!(copy(A.data), 0, true)
_dense(::Type{T}, A::LowerTriangular{T,Matrix{T}}) where {T<:BlasFloat} = _clear_beside!(copy(A.data), 0, false)
Array(A::AbstractTriangular{T}) where {T} = _dense(T, A)
Matrix(A::UpperHessenberg{T}) where {T} = _dense(T, A)
Array(A::UpperHessenberg{T}) where {T} = _dense(T, A)
zero(A::FullTriangular) = _rewrap(A, zero(A.data))
one(A::AbstractTriangular{T}) where {T} = _with_diagonal(A, one(T))
function _with_diagonal(A::AbstractTriangular, x)
    B = zero(A.data)
    for i in 1:size(B, 1)
        B[i, i] = x
    end
    return _rewrap(A, B)
end

adjoint(A::UpperTriangular) = LowerTriangular(adjoint(A.data))
adjoint(A::LowerTriangular) = UpperTriangular(adjoint(A.data))
adjoint(A::UnitUpperTriangular) = UnitLowerTriangular(adjoint(A.data))
adjoint(A::UnitLowerTriangular) = UnitUpperTriangular(adjoint(A.data))
transpose(A::UpperTriangular) = LowerTriangular(transpose(A.data))
transpose(A::LowerTriangular) = UpperTriangular(transpose(A.data))
transpose(A::UnitUpperTriangular) = UnitLowerTriangular(transpose(A.data))
transpose(A::UnitLowerTriangular) = UnitUpperTriangular(transpose(A.data))
conj(A::AbstractTriangular) = _rewrap(A, conj(A.data))
real(A::FullTriangular) = _rewrap(A, real(A.data))

istriu(A::UpperOrUnitUpperTriangular, k::Integer=0) = k <= 0 || _is_zero_below(A, k)
istril(A::LowerOrUnitLowerTriangular, k::Integer=0) = k >= 0 || _is_zero_above(A, k)
isdiag(A::UpperOrUnitUpperTriangular) = _is_zero_above(A, 0)
isdiag(A::LowerOrUnitLowerTriangular) = _is_zero_below(A, 0)
istriu(A::UpperHessenberg, k::Integer=0) = k <= -1 || _is_zero_below(A, k)
-(A::UpperTriangular) = UpperTriangular(-A.data)
-(A::LowerTriangular) = LowerTriangular(-A.data)
-(A::UnitUpperTriangular) = UpperTriangular(-_triangle(A))
-(A::UnitLowerTriangular) = LowerTriangular(-_triangle(A))
_triangle(A::AbstractTriangular) = _dense(A)
+(A::UpperTriangular, B::UpperTriangular) = UpperTriangular(A.data + B.data)
+(A::LowerTriangular, B::LowerTriangular) = LowerTriangular(A.data + B.data)
-(A::UpperTriangular, B::UpperTriangular) = UpperTriangular(A.data - B.data)
-(A::LowerTriangular, B::LowerTriangular) = LowerTriangular(A.data - B.data)
*(a::Number, A::UpperTriangular) = UpperTriangular(a * A.data)
*(A::UpperTriangular, a::Number) = UpperTriangular(A.data * a)
/(A::UpperTriangular, a::Number) = UpperTriangular(A.data / a)
*(a::Number, A::LowerTriangular) = LowerTriangular(a * A.data)
*(A::LowerTriangular, a::Number) = LowerTriangular(A.data * a)
/(A::LowerTriangular, a::Number) = LowerTriangular(A.data / a)
*(a::Number, A::UnitUpperTriangular) = UpperTriangular(a * _triangle(A))
*(A::UnitUpperTriangular, a::Number) = UpperTriangular(_triangle(A) * a)
*(a::Number, A::UnitLowerTriangular) = LowerTriangular(a * _triangle(A))
*(A::UnitLowerTriangular, a::Number) = LowerTriangular(_triangle(A) * a)

det(A::UnitTriangular{T}) where {T} = one(T)
det(A::FullTriangular) = prod(diag(A))
logdet(A::AbstractTriangular) = log(det(A))
function logabsdet(A::FullTriangular{T}) where {T}
    d = diag(A)
    return sum(x -> log(abs(x)), d), prod(sign, d)
end
logabsdet(A::UnitTriangular{T}) where {T} = zero(real(float(T))), one(T)
tr(A::AbstractTriangular) = sum(diag(A))
eigvals(A::FullTriangular) = diag(A)
eigvals(A::UnitTriangular) = diag(A)

_zero_diagonal(A::UnitTriangular) = 0
function _zero_diagonal(A::FullTriangular)
    for i in 1:size(A, 1)
        iszero(A.data[i, i]) && return i
    end
    return 0
end
function inv(A::AbstractTriangular{T}) where {T}
    i = _zero_diagonal(A)
    i == 0 || throw(SingularException(i))
    S = _factor_type(T)
    X = _as_array(S, _dense(S, A))
    if S <: BlasFloat
        _triangular_inverse(_uplo(A), _diagonal_kind(A), X)
        return _rewrap(A, X)
    end
    n = size(A, 1)
    return _rewrap(A, _generic_triangular_solve!(A, _unit_matrix(S, n)))
end
function _unit_matrix(::Type{T}, n::Int) where {T}
    A = zeros(T, n, n)
    for i in 1:n
        A[i, i] = one(T)
    end
    return A
end

# Substitution for numbers that LAPACK does not know.
function _generic_triangular_solve!(A::UpperOrUnitUpperTriangular, B::AbstractVecOrMat)
    n = size(A, 1)
    is_unit = _diagonal_kind(A) == 'U'
    for k in 1:size(B, 2), j in n:-1:1
        is_unit || iszero(A.data[j, j]) && throw(SingularException(j))
        x = is_unit ? B[j, k] : A.data[j, j] \ B[j, k]
        B[j, k] = x
        for i in 1:j-1
            B[i, k] -= A.data[i, j] * x
        end
    end
    return B
end
function _generic_triangular_solve!(A::LowerOrUnitLowerTriangular, B::AbstractVecOrMat)
    n = size(A, 1)
    is_unit = _diagonal_kind(A) == 'U'
    for k in 1:size(B, 2), j in 1:n
        is_unit || iszero(A.data[j, j]) && throw(SingularException(j))
        x = is_unit ? B[j, k] : A.data[j, j] \ B[j, k]
        B[j, k] = x
        for i in j+1:n
            B[i, k] -= A.data[i, j] * x
        end
    end
    return B
end
