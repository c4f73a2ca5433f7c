# Checks and small things that everything else uses.

struct LAPACKException <: Exception
    info::Int
end
struct ZeroPivotException <: Exception
    info::Int
end
SingularException(info::Integer) = _new(SingularException, Int(info))
PosDefException(info::Integer) = _new(PosDefException, Int(info))
RankDeficientException(info::Integer) = _new(RankDeficientException, Int(info))

function Base.showerror(io::IO, e::PosDefException)
    print(io, "PosDefException: matrix is not ", e.info == -1 ? "Hermitian" : "positive definite", "; Factorization failed.")
end
function Base.showerror(io::IO, ::ZeroPivotException)
    print(io, "ZeroPivotException: factorization encountered one or more zero pivots. ",
        "Consider switching to a pivoted LU factorization.")
end

abstract type PivotingStrategy end
struct NoPivot <: PivotingStrategy end
struct RowNonZero <: PivotingStrategy end
struct RowMaximum <: PivotingStrategy end
struct ColumnNorm <: PivotingStrategy end

function checksquare(A)
    m, n = size(A)
    m == n || throw(DimensionMismatch("matrix is not square: dimensions are $(size(A))"))
    return m
end
function checksquare(A...)
    sizes = Int[]
    for a in A
        push!(sizes, checksquare(a))
    end
    return sizes
end

_require_lapack(info::Int) = info == 0 || throw(LAPACKException(info))

# The element type in which a matrix is factorized, and a product computed.
_factor_type(::Type{T}) where {T} = typeof(zero(T) / one(T))
_factor_type(::Type{Complex{Int}}) = ComplexF64
function _product_type(::Type{T}, ::Type{S}) where {T,S}
    isconcretetype(T) && isconcretetype(S) || return promote_type(T, S)
    return typeof(zero(T) * zero(S) + zero(T) * zero(S))
end
_product_type(::Type{T}, ::Type{T}) where {T<:Union{BlasFloat,Int}} = T
_product_type(::Type{T}, ::Type{S}) where {T<:AbstractArray,S} = Any
_product_type(::Type{T}, ::Type{S}) where {T,S<:AbstractArray} = Any
_product_type(::Type{T}, ::Type{S}) where {T<:AbstractArray,S<:AbstractArray} = promote_type(T, S)

"A new Array of T with the elements of A."
_dense(::Type{T}, A::AbstractArray{S,N}) where {T,S,N} = copyto!(Array{T,N}(undef, size(A)), A)
function _dense(::Type{T}, A::AbstractMatrix) where {T}
    # Compiled code makes one of all elements at once.
    _is_compiled() && IndexStyle(A) === IndexCartesian() && return T[A[i, j] for i in 1:size(A, 1), j in 1:size(A, 2)]
    return copyto!(Matrix{T}(undef, size(A)), A)
end
_dense(A::AbstractArray{T}) where {T} = _dense(T, A)
"An Array with the elements of A: A itself when it is one."
_as_array(A::Array) = A
_as_array(A::AbstractArray) = _dense(A)
_as_array(::Type{T}, A::Array{T}) where {T} = A
_as_array(::Type{T}, A::AbstractArray) where {T} = _dense(T, A)

_char_uplo(s::Symbol) =
    s === :U ? 'U' : s === :L ? 'L' : throw(ArgumentError("uplo argument must be either :U (upper) or :L (lower)"))
_char_uplo(c::AbstractChar) = c == 'U' || c == 'L' ? Char(c) :
    throw(ArgumentError("uplo argument must be either 'U' (upper) or 'L' (lower)"))
sym_uplo(c::Char) = c == 'U' ? :U : c == 'L' ? :L :
    throw(ArgumentError("uplo argument must be either 'U' (upper) or 'L' (lower)"))

# How a wrapper's elements are made from its parent's: matrices of matrices are adjoint all the way down.
_adjoint_type(::Type{T}) where {T<:Number} = T
_adjoint_type(::Type{S}) where {T,S<:AbstractVecOrMat{T}} = Adjoint{_adjoint_type(T),S}
_adjoint_type(::Type{T}) where {T} = T
_transpose_type(::Type{T}) where {T<:Number} = T
_transpose_type(::Type{S}) where {T,S<:AbstractVecOrMat{T}} = Transpose{_transpose_type(T),S}
_transpose_type(::Type{T}) where {T} = T

symmetric_type(::Type{T}) where {T<:Number} = T
symmetric_type(::Type{S}) where {T,S<:AbstractMatrix{T}} = Symmetric{symmetric_type(T),S}
symmetric_type(::Type{T}) where {T} = T
hermitian_type(::Type{T}) where {T<:Number} = T
hermitian_type(::Type{S}) where {T,S<:AbstractMatrix{T}} = Hermitian{hermitian_type(T),S}
hermitian_type(::Type{T}) where {T} = T
symmetric(a::Number, ::Symbol=:U) = a
symmetric(A::AbstractMatrix, uplo::Symbol=:U) = Symmetric(A, uplo)
hermitian(a::Number, ::Symbol=:U) = convert(typeof(a), real(a))
hermitian(A::AbstractMatrix, uplo::Symbol=:U) = Hermitian(A, uplo)

# A scaled product that is added to something, as mul! means it.
struct MulAddMul{ais1,bis0,TA,TB}
    alpha::TA
    beta::TB
end
MulAddMul(alpha::TA, beta::TB) where {TA,TB} = MulAddMul{isone(alpha),iszero(beta),TA,TB}(alpha, beta)
MulAddMul() = MulAddMul(true, false)
(p::MulAddMul)(x, y) = iszero(p.beta) ? (isone(p.alpha) ? x : x * p.alpha) : (isone(p.alpha) ? x : x * p.alpha) + y * p.beta
(p::MulAddMul)(x) = isone(p.alpha) ? x : x * p.alpha
function _modify!(p::MulAddMul, x, C, i)
    C[i] = iszero(p.beta) ? p(x) : p(x, C[i])
    return nothing
end
