# Symmetric and Hermitian matrices: one triangle of the parent stands for both.

Symmetric(A::AbstractMatrix, uplo::Symbol=:U) = (checksquare(A); _make_symmetric(A, _char_uplo(uplo)))
Symmetric(A::AbstractMatrix, uplo::Char) = (checksquare(A); _make_symmetric(A, _char_uplo(uplo)))
Hermitian(A::AbstractMatrix, uplo::Symbol=:U) = (checksquare(A); _make_hermitian(A, _char_uplo(uplo)))
Hermitian(A::AbstractMatrix, uplo::Char) = (checksquare(A); _make_hermitian(A, _char_uplo(uplo)))
_make_symmetric(A::AbstractMatrix{T}, uplo::Char) where {T} = _new(Symmetric{symmetric_type(T),typeof(A)}, A, uplo)
_make_hermitian(A::AbstractMatrix{T}, uplo::Char) where {T} = _new(Hermitian{hermitian_type(T),typeof(A)}, A, uplo)
Symmetric(A::Symmetric) = A
Hermitian(A::Hermitian) = A
Hermitian(A::Symmetric{<:Real}) = _make_hermitian(A.data, A.uplo)
Symmetric(A::Hermitian{<:Real}) = _make_symmetric(A.data, A.uplo)

const SymOrHerm{T,S} = Union{Symmetric{T,S},Hermitian{T,S}}
const RealHermSymComplexHerm{T,S} = Union{Hermitian{T,S},Hermitian{Complex{T},S},Symmetric{T,S}}

uplo(A::SymOrHerm) = sym_uplo(A.uplo)
size(A::SymOrHerm) = size(A.data)
parent(A::SymOrHerm) = A.data
IndexStyle(::Type{<:Symmetric}) = IndexCartesian()
IndexStyle(::Type{<:Hermitian}) = IndexCartesian()
function getindex(A::Symmetric, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j && return symmetric(A.data[i, j], sym_uplo(A.uplo))
    return (A.uplo == 'U') == (i < j) ? A.data[i, j] : transpose(A.data[j, i])
end
function getindex(A::Hermitian, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j && return hermitian(A.data[i, j], sym_uplo(A.uplo))
    return (A.uplo == 'U') == (i < j) ? A.data[i, j] : adjoint(A.data[j, i])
end
function setindex!(A::Symmetric, v, i::Int, j::Int)
    i == j || throw(ArgumentError("Cannot set a non-diagonal index in a symmetric matrix"))
    A.data[i, j] = v
    return A
end
function setindex!(A::Hermitian, v, i::Int, j::Int)
    i == j || throw(ArgumentError("Cannot set a non-diagonal index in a Hermitian matrix"))
    isreal(v) || throw(ArgumentError("Cannot set a diagonal entry in a Hermitian matrix to a nonreal value"))
    A.data[i, j] = v
    return A
end
_rewrap(A::Symmetric, data) = _make_symmetric(data, A.uplo)
_rewrap(A::Hermitian, data) = _make_hermitian(data, A.uplo)
similar(A::SymOrHerm{T}) where {T} = _rewrap(A, similar(A.data, T))
similar(A::SymOrHerm, ::Type{T}) where {T} = _rewrap(A, similar(A.data, T))
similar(A::SymOrHerm, ::Type{T}, dims::Dims{N}) where {T,N} = similar(A.data, T, dims)
copy(A::SymOrHerm) = _rewrap(A, copy(A.data))
copymutable(A::SymOrHerm) = copy(A)
Matrix(A::SymOrHerm{T}) where {T} = _dense(T, A)
Array(A::SymOrHerm{T}) where {T} = _dense(T, A)
convert(::Type{T}, A::Union{Symmetric,Hermitian}) where {T<:Symmetric} = A isa T ? A : T(A)
zero(A::SymOrHerm) = _rewrap(A, zero(A.data))

_dense(::Type{T}, A::Symmetric{T,Matrix{T}}) where {T<:BlasFloat} = _mirror!(copy(A.data), A.uplo, false)
_dense(::Type{T}, A::Hermitian{T,Matrix{T}}) where {T<:BlasReal} = _mirror!(copy(A.data), A.uplo, false)

adjoint(A::Hermitian) = A
transpose(A::Symmetric) = A
adjoint(A::Symmetric{<:Real}) = A
transpose(A::Hermitian{<:Real}) = A
adjoint(A::Symmetric) = _make_symmetric(conj(A.data), A.uplo)
transpose(A::Hermitian) = _make_hermitian(conj(A.data), A.uplo)
conj(A::SymOrHerm) = _rewrap(A, conj(A.data))
real(A::Symmetric) = _make_symmetric(real(A.data), A.uplo)
real(A::Hermitian) = _make_hermitian(real(A.data), A.uplo)
imag(A::Symmetric) = _make_symmetric(imag(A.data), A.uplo)
issymmetric(A::Symmetric) = true
issymmetric(A::Hermitian{<:Real}) = true
issymmetric(A::Hermitian) = isreal(A)
ishermitian(A::Hermitian) = true
ishermitian(A::Symmetric{<:Real}) = true
ishermitian(A::Symmetric) = isreal(A)
tr(A::SymOrHerm) = sum(diag(A))
-(A::SymOrHerm) = _rewrap(A, -A.data)
-(A::Symmetric{Bool}) = _make_symmetric(_negative(A), A.uplo)
-(A::Hermitian{Bool}) = _make_hermitian(_negative(A), A.uplo)
_negative(A) = [-Int(A[i, j]) for i in axes(A, 1), j in axes(A, 2)]
+(A::Symmetric, B::Symmetric) = A.uplo == B.uplo ? _make_symmetric(A.data + B.data, A.uplo) : _make_symmetric(_dense(A) + _dense(B), A.uplo)
-(A::Symmetric, B::Symmetric) = A.uplo == B.uplo ? _make_symmetric(A.data - B.data, A.uplo) : _make_symmetric(_dense(A) - _dense(B), A.uplo)
+(A::Hermitian, B::Hermitian) = A.uplo == B.uplo ? _make_hermitian(A.data + B.data, A.uplo) : _make_hermitian(_dense(A) + _dense(B), A.uplo)
-(A::Hermitian, B::Hermitian) = A.uplo == B.uplo ? _make_hermitian(A.data - B.data, A.uplo) : _make_hermitian(_dense(A) - _dense(B), A.uplo)
*(a::Number, A::Symmetric) = _make_symmetric(a * A.data, A.uplo)
*(A::Symmetric, a::Number) = _make_symmetric(A.data * a, A.uplo)
/(A::Symmetric, a::Number) = _make_symmetric(A.data / a, A.uplo)
*(a::Real, A::Hermitian) = _make_hermitian(a * A.data, A.uplo)
*(A::Hermitian, a::Real) = _make_hermitian(A.data * a, A.uplo)
/(A::Hermitian, a::Real) = _make_hermitian(A.data / a, A.uplo)

hermitianpart(A::AbstractMatrix, uplo::Symbol=:U) = (checksquare(A); Hermitian((A + adjoint(A)) / 2, uplo))
hermitianpart(a::Number) = float(real(a))
function hermitianpart!(A::AbstractMatrix, uplo::Symbol=:U)
    n = checksquare(A)
    for j in 1:n, i in 1:j
        x = (A[i, j] + adjoint(A[j, i])) / 2
        A[i, j] = x
        A[j, i] = adjoint(x)
    end
    return Hermitian(A, uplo)
end
