# Adjoint and Transpose: the parent seen with its indices exchanged.

const AdjOrTrans{T,S} = Union{Adjoint{T,S},Transpose{T,S}}
const AdjointAbsVec{T} = Adjoint{T,<:AbstractVector}
const TransposeAbsVec{T} = Transpose{T,<:AbstractVector}
const AdjOrTransAbsVec{T} = Union{Adjoint{T,<:AbstractVector},Transpose{T,<:AbstractVector}}
const AdjOrTransAbsMat{T} = Union{Adjoint{T,<:AbstractMatrix},Transpose{T,<:AbstractMatrix}}

Adjoint(A::AbstractVecOrMat{T}) where {T} = _new(Adjoint{_adjoint_type(T),typeof(A)}, A)
Transpose(A::AbstractVecOrMat{T}) where {T} = _new(Transpose{_transpose_type(T),typeof(A)}, A)

adjoint(A::AbstractVecOrMat) = Adjoint(A)
transpose(A::AbstractVecOrMat) = Transpose(A)
adjoint(A::Adjoint) = A.parent
transpose(A::Transpose) = A.parent
adjoint(A::Transpose{<:Real}) = A.parent
transpose(A::Adjoint{<:Real}) = A.parent
adjoint(A::AbstractArray) = throw(ArgumentError("adjoint not defined for arrays of $(ndims(A)) dimensions; consider using permutedims"))

parent(A::AdjOrTrans) = A.parent
length(A::AdjOrTrans) = length(A.parent)
size(A::AdjOrTransAbsVec) = (1, length(A.parent))
size(A::AdjOrTransAbsMat) = (size(A.parent, 2), size(A.parent, 1))
axes(A::AdjOrTransAbsVec) = (Base.OneTo(1), axes(A.parent, 1))
IndexStyle(::Type{<:Adjoint{T,<:AbstractVector}}) where {T} = IndexLinear()
IndexStyle(::Type{<:Transpose{T,<:AbstractVector}}) where {T} = IndexLinear()
IndexStyle(::Type{<:Adjoint{T,<:AbstractMatrix}}) where {T} = IndexCartesian()
IndexStyle(::Type{<:Transpose{T,<:AbstractMatrix}}) where {T} = IndexCartesian()

_check_one(A, i::Int, j::Int) = i == 1 || throw(BoundsError(A, (i, j)))
getindex(A::Adjoint{T,<:AbstractMatrix}, i::Int, j::Int) where {T} = adjoint(A.parent[j, i])
getindex(A::Transpose{T,<:AbstractMatrix}, i::Int, j::Int) where {T} = transpose(A.parent[j, i])
getindex(A::Adjoint{T,<:AbstractVector}, i::Int) where {T} = adjoint(A.parent[i])
getindex(A::Transpose{T,<:AbstractVector}, i::Int) where {T} = transpose(A.parent[i])
getindex(A::Adjoint{T,<:AbstractVector}, i::Int, j::Int) where {T} = (_check_one(A, i, j); adjoint(A.parent[j]))
getindex(A::Transpose{T,<:AbstractVector}, i::Int, j::Int) where {T} = (_check_one(A, i, j); transpose(A.parent[j]))
getindex(A::Adjoint{T,<:AbstractVector}, ::Colon, J::AbstractArray{Int}) where {T} = adjoint(A.parent[J])
getindex(A::Transpose{T,<:AbstractVector}, ::Colon, J::AbstractArray{Int}) where {T} = transpose(A.parent[J])
getindex(A::Adjoint{T,<:AbstractVector}, ::Colon, ::Colon) where {T} = adjoint(A.parent[:])
getindex(A::Transpose{T,<:AbstractVector}, ::Colon, ::Colon) where {T} = transpose(A.parent[:])
function setindex!(A::Adjoint{T,<:AbstractMatrix}, v, i::Int, j::Int) where {T}
    A.parent[j, i] = adjoint(v)
    return A
end
function setindex!(A::Transpose{T,<:AbstractMatrix}, v, i::Int, j::Int) where {T}
    A.parent[j, i] = transpose(v)
    return A
end
function setindex!(A::Adjoint{T,<:AbstractVector}, v, i::Int) where {T}
    A.parent[i] = adjoint(v)
    return A
end
function setindex!(A::Transpose{T,<:AbstractVector}, v, i::Int) where {T}
    A.parent[i] = transpose(v)
    return A
end
function setindex!(A::AdjOrTransAbsVec, v, i::Int, j::Int)
    _check_one(A, i, j)
    A[j] = v
    return A
end

similar(A::AdjOrTransAbsVec, ::Type{T}) where {T} = _rewrap(A, similar(A.parent, T))
similar(A::AdjOrTransAbsVec{T}) where {T} = _rewrap(A, similar(A.parent, T))
similar(A::AdjOrTransAbsMat{T}) where {T} = similar(A.parent, T, size(A))
similar(A::AdjOrTransAbsMat, ::Type{T}) where {T} = similar(A.parent, T, size(A))
similar(A::AdjOrTrans, ::Type{T}, dims::Dims{N}) where {T,N} = similar(A.parent, T, dims)
_rewrap(::Adjoint, v) = Adjoint(v)
_rewrap(::Transpose, v) = Transpose(v)

_dense(::Type{T}, A::AdjOrTrans{T,Matrix{T}}) where {T<:BlasReal} = permutedims(A.parent)
copy(A::AdjOrTransAbsVec) = _rewrap(A, copy(A.parent))
copy(A::AdjOrTransAbsMat{T}) where {T} = _dense(T, A)
copymutable(A::AdjOrTrans{T}) where {T} = _dense(T, A)
vec(A::AdjOrTransAbsVec{<:Real}) = A.parent
vec(A::TransposeAbsVec{<:Number}) = A.parent
conj(A::Transpose) = adjoint(A.parent)
conj(A::Adjoint) = transpose(A.parent)
-(A::Adjoint) = Adjoint(-A.parent)
-(A::Transpose) = Transpose(-A.parent)
+(A::Adjoint{T,<:AbstractVector}, B::Adjoint{S,<:AbstractVector}) where {T,S} = Adjoint(A.parent + B.parent)
-(A::Adjoint{T,<:AbstractVector}, B::Adjoint{S,<:AbstractVector}) where {T,S} = Adjoint(A.parent - B.parent)
+(A::Transpose{T,<:AbstractVector}, B::Transpose{S,<:AbstractVector}) where {T,S} = Transpose(A.parent + B.parent)
-(A::Transpose{T,<:AbstractVector}, B::Transpose{S,<:AbstractVector}) where {T,S} = Transpose(A.parent - B.parent)
*(a::Number, A::Adjoint{T,<:AbstractVector}) where {T<:Number} = Adjoint(A.parent * conj(a))
*(A::Adjoint{T,<:AbstractVector}, a::Number) where {T<:Number} = Adjoint(A.parent * conj(a))
*(a::Number, A::Transpose{T,<:AbstractVector}) where {T<:Number} = Transpose(A.parent * a)
*(A::Transpose{T,<:AbstractVector}, a::Number) where {T<:Number} = Transpose(A.parent * a)
/(A::Adjoint{T,<:AbstractVector}, a::Number) where {T<:Number} = Adjoint(A.parent / conj(a))
/(A::Transpose{T,<:AbstractVector}, a::Number) where {T<:Number} = Transpose(A.parent / a)

function transpose!(B::AbstractVecOrMat, A::AbstractVecOrMat)
    size(B, 1) == size(A, 2) && size(B, 2) == size(A, 1) || throw(DimensionMismatch("transpose"))
    for j in 1:size(A, 2), i in 1:size(A, 1)
        B[j, i] = transpose(A[i, j])
    end
    return B
end
function adjoint!(B::AbstractVecOrMat, A::AbstractVecOrMat)
    size(B, 1) == size(A, 2) && size(B, 2) == size(A, 1) || throw(DimensionMismatch("adjoint"))
    for j in 1:size(A, 2), i in 1:size(A, 1)
        B[j, i] = adjoint(A[i, j])
    end
    return B
end
