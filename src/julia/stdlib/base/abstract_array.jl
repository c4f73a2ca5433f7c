# The interface of arrays: what a program's own array type gets from size, getindex and IndexStyle.

IndexStyle(A::AbstractArray) = IndexStyle(typeof(A))
IndexStyle(::Type{<:AbstractArray}) = IndexCartesian()
IndexStyle(::Type{<:Array}) = IndexLinear()
IndexStyle(::Type{<:BitArray}) = IndexLinear()
IndexStyle(::Type{<:AbstractRange}) = IndexLinear()
IndexStyle(A::AbstractArray, B::AbstractArray) = IndexStyle(IndexStyle(A), IndexStyle(B))
IndexStyle(A::AbstractArray, B::AbstractArray...) = IndexStyle(IndexStyle(A), IndexStyle(B...))
IndexStyle(::IndexLinear, ::IndexLinear) = IndexLinear()
IndexStyle(::IndexStyle, ::IndexStyle) = IndexCartesian()

# Arrays in memory.
const StoredArray{T,N} = Union{Array{T,N},BitArray{N}}

eltype(::Type) = Any
eltype(::Type{Union{}}) = throw(ArgumentError("Union{} does not have elements"))
eltype(x) = eltype(typeof(x))
eltype(::Type{<:AbstractArray{E}}) where {E} = E

ndims(::AbstractArray{T,N}) where {T,N} = N
ndims(::Type{<:AbstractArray{<:Any,N}}) where {N} = N

size(A::Array) = _array_size(A)
size(A::BitArray) = _array_size(A)
size(A::Array, d::Int) = _array_size(A, d)
size(A::BitArray, d::Int) = d < 1 ? throw(BoundsError(size(A), (d,))) : _array_size(A, d)
function size(A::AbstractArray{T,N}, d::Integer) where {T,N}
    d < 1 && throw(BoundsError(size(A), (Int(d),)))
    return d <= N ? size(A)[d] : 1
end
size(A, d1::Integer, d2::Integer) = (size(A, d1), size(A, d2))
size(A, d1::Integer, d2::Integer, d3::Integer) = (size(A, d1), size(A, d2), size(A, d3))
size(A, d1::Integer, d2::Integer, ds::Integer...) = (size(A, d1), size(A, d2, ds...)...)
size(A::AbstractArray, ::Tuple{}) = ()
size(A::AbstractArray, ds::Tuple) = (size(A, ds[1]), size(A, tail(ds))...)

length(A::Array) = _array_length(A)
length(A::BitArray) = _array_length(A)
function length(A::AbstractArray)
    n = 1
    for d in size(A)
        n *= d
    end
    return n
end
isempty(A::AbstractArray) = length(A) == 0
isempty(itr) = iterate(itr) === nothing

axes(A::AbstractArray) = _one_to_each(size(A))
axes(A::Array) = _one_to_each(A)
axes(A::BitArray) = _one_to_each(A)
axes(A) = _one_to_each(size(A))
function axes(A::AbstractArray{T,N}, d::Integer) where {T,N}
    d < 1 && throw(BoundsError(axes(A), (Int(d),)))
    return d <= N ? axes(A)[d] : OneTo(1)
end
axes1(A::AbstractArray{<:Any,0}) = OneTo(1)
axes1(A::AbstractArray) = axes(A)[1]
has_offset_axes(A...) = false
require_one_based_indexing(A...) = true

eachindex(A::AbstractArray) = eachindex(IndexStyle(A), A)
eachindex(A::Array) = OneTo(_array_length(A))
eachindex(::IndexLinear, A::AbstractArray) = OneTo(length(A))
eachindex(::IndexLinear, A::AbstractVector) = axes(A)[1]
eachindex(::IndexCartesian, A::AbstractArray) = CartesianIndices(axes(A))
eachindex(::IndexCartesian, A::AbstractVector) = axes(A)[1]
eachindex(itrs...) = keys(itrs...)
eachindex(t::Tuple) = OneTo(length(t))
eachindex(A::AbstractArray, B::AbstractArray...) = eachindex(IndexStyle(A, B...), A, B...)
function eachindex(::IndexLinear, A::AbstractArray, B::AbstractArray...)
    inds = eachindex(IndexLinear(), A)
    for b in B
        eachindex(IndexLinear(), b) == inds || throw_eachindex_mismatch(IndexLinear(), A, B...)
    end
    return inds
end
function eachindex(::IndexCartesian, A::AbstractArray, B::AbstractArray...)
    for b in B
        axes(b) == axes(A) || throw_eachindex_mismatch(IndexCartesian(), A, B...)
    end
    return eachindex(IndexCartesian(), A)
end
function throw_eachindex_mismatch(::IndexLinear, A...)
    throw(DimensionMismatch("all inputs to eachindex must have the same indices, got " *
        join(("$(eachindex(IndexLinear(), a))" for a in A), ", ", " and ")))
end
function throw_eachindex_mismatch(::IndexCartesian, A...)
    throw(DimensionMismatch("all inputs to eachindex must have the same axes, got " *
        join(("$(axes(a))" for a in A), ", ", " and ")))
end

firstindex(A::AbstractArray) = first(eachindex(IndexLinear(), A))
lastindex(A::AbstractArray) = last(eachindex(IndexLinear(), A))
lastindex(A::Array) = _array_length(A)
firstindex(A, d::Integer) = first(axes(A, d))
lastindex(A, d::Integer) = last(axes(A, d))
lastindex(A::Array, d::Int) = _array_size(A, d)
firstindex(itr) = first(keys(itr))
lastindex(itr) = last(keys(itr))

keys(A::AbstractArray) = CartesianIndices(axes(A))
keys(A::AbstractVector) = LinearIndices(A)
keys(::IndexLinear, A::AbstractArray) = LinearIndices(A)
keys(::IndexCartesian, A::AbstractArray) = CartesianIndices(axes(A))
values(itr) = itr
haskey(A::AbstractArray, i) = checkbounds(Bool, A, i)
get(A::AbstractArray, i::Integer, default) = checkbounds(Bool, A, i) ? A[i] : default
get(A::AbstractArray, I::Tuple{}, default) = checkbounds(Bool, A, I...) ? A[I...] : default
get(A::AbstractArray, I::Tuple{Vararg{Integer}}, default) = checkbounds(Bool, A, I...) ? A[I...] : default
get(A::AbstractArray, i::CartesianIndex, default) = checkbounds(Bool, A, i) ? A[i] : default
get(f::Callable, A::AbstractArray, i::Integer) = checkbounds(Bool, A, i) ? A[i] : f()

nextind(::AbstractArray, i::Integer) = Int(i) + 1
prevind(::AbstractArray, i::Integer) = Int(i) - 1
nextind(A::AbstractArray, I::CartesianIndex) = CartesianIndices(axes(A))[LinearIndices(axes(A))[I] + 1]
prevind(A::AbstractArray, I::CartesianIndex) = CartesianIndices(axes(A))[LinearIndices(axes(A))[I] - 1]
reverseind(A::AbstractVector, i::Integer) = length(A) + 1 - i

function strides(A::StoredArray)
    return size_to_strides(1, size(A)...)
end
size_to_strides(s, d, rest...) = (s, size_to_strides(s * d, rest...)...)
size_to_strides(s, d) = (s,)
size_to_strides(s) = ()
function stride(A::AbstractArray, k::Integer)
    st = strides(A)
    k < 1 && throw(ArgumentError("dimension out of range"))
    k <= ndims(A) && return st[k]
    n = 1
    for i in 1:ndims(A)
        n = max(n, st[i] * size(A, i))
    end
    return n
end
elsize(A::Array{T}) where {T} = sizeof(T)
sizeof(A::Array{T}) where {T} = _bits_size(T) < 0 ? 8 * length(A) : _bits_size(T) * length(A)

parent(A::AbstractArray) = A
ismutable_array(::Array) = true
dataids(A::AbstractArray) = ()
mightalias(A::AbstractArray, B::AbstractArray) = _array_same_memory(parent_array(A), parent_array(B))
unalias(dest, A::AbstractArray) = mightalias(dest, A) ? copy(A) : A
unalias(dest, A) = A
parent_array(A::AbstractArray) = parent(A) === A ? A : parent_array(parent(A))

isassigned(A::StoredArray, I::Int...) = _array_is_assigned(A, I...)
isassigned(A::AbstractArray, I::Integer...) = checkbounds(Bool, A, I...)
isassigned(A::AbstractArray, I::CartesianIndex) = isassigned(A, Tuple(I)...)

export AbstractArray, eltype, ndims, size, length, isempty,
    axes, eachindex, firstindex, lastindex, keys, values, haskey, get, nextind, prevind, reverseind, strides, stride, parent,
    isassigned, sizeof
