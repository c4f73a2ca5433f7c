# getindex and setindex!: single elements and blocks, for every kind of array.

const BuiltinIndex = Union{BitInteger,Colon,UnitRange{<:BitInteger},StepRange{<:BitInteger,<:BitInteger},OneTo{<:BitInteger},
    Slice,IdentityUnitRange,Array{<:BitInteger},Array{Bool},BitArray,CartesianIndex,Array{<:CartesianIndex}}

getindex(A::Array, i::Int) = _array_get(A, i)
getindex(A::Array, i::Int, j::Int) = _array_get(A, i, j)
getindex(A::Array, i::Int, j::Int, k::Int) = _array_get(A, i, j, k)
getindex(A::Array, I::Int...) = _array_get(A, I...)
getindex(A::Array, I::BuiltinIndex...) = _block_get(A, I...)
getindex(A::BitArray, i::Int) = _array_get(A, i)
getindex(A::BitArray, I::Int...) = _array_get(A, I...)
getindex(A::BitArray, I::BuiltinIndex...) = _block_get(A, I...)

setindex!(A::Array, x, i::Int) = _array_set(A, x, i)
setindex!(A::Array, x, i::Int, j::Int) = _array_set(A, x, i, j)
setindex!(A::Array, x, i::Int, j::Int, k::Int) = _array_set(A, x, i, j, k)
setindex!(A::Array, x, I::Int...) = _array_set(A, x, I...)
setindex!(A::Array, x, I::BuiltinIndex...) = _block_set(A, x, I...)
setindex!(A::BitArray, x, i::Int) = _array_set(A, x, i)
setindex!(A::BitArray, x, I::Int...) = _array_set(A, x, I...)
setindex!(A::BitArray, x, I::BuiltinIndex...) = _block_set(A, x, I...)

# ---- what an index means

to_index(i::Int) = i
to_index(i::Integer) = Int(i)
to_index(i::Bool) = throw(ArgumentError("invalid index: $(repr(i)) of type $(typeof(i))"))
to_index(i::CartesianIndex) = i
to_index(I::AbstractArray{Bool}) = true_positions(I)
to_index(I::AbstractArray) = I
to_index(I::AbstractArray{<:Union{AbstractArray,Colon}}) =
    throw(ArgumentError("invalid index: $(repr(I)) of type $(typeof(I))"))
to_index(::Colon) = throw(ArgumentError("colons must be converted by to_indices"))
to_index(i) = throw(ArgumentError("invalid index: $(repr(i)) of type $(typeof(i))"))
to_index(A::AbstractArray, i) = to_index(i)

true_positions(mask::AbstractVector{Bool}) = Int[i for i in eachindex(mask) if mask[i]]
true_positions(mask::AbstractArray{Bool}) = [I for I in CartesianIndices(mask) if mask[I]]

to_indices(A, I::Tuple) = to_indices(A, axes(A), I)
to_indices(A, I::Tuple{}) = ()
to_indices(A, I::Tuple{Any}) = to_indices(A, (eachindex(IndexLinear(), A),), I)
to_indices(A, I::Tuple{CartesianIndex}) = Tuple(I[1])
to_indices(A, I::Tuple{AbstractArray{<:CartesianIndex}}) = I
to_indices(A, I::Tuple{AbstractArray{Bool}}) = (true_positions(reshape(I[1], length(I[1]))),)
to_indices(A, inds, ::Tuple{}) = ()
to_indices(A, inds, I::Tuple{Any,Vararg{Any}}) = (to_index(A, I[1]), to_indices(A, cut_axes(inds, index_covers(I[1])), tail(I))...)
to_indices(A, inds, I::Tuple{Colon,Vararg{Any}}) = (Slice(axis_or_one(inds)), to_indices(A, cut_axes(inds, 1), tail(I))...)
to_indices(A, inds, I::Tuple{CartesianIndex,Vararg{Any}}) = to_indices(A, inds, (Tuple(I[1])..., tail(I)...))
index_covers(i) = 1
index_covers(i::AbstractArray{CartesianIndex{N}}) where {N} = N
index_covers(i::AbstractArray{Bool,N}) where {N} = N

index_shape(::Tuple{}) = ()
index_shape(J::Tuple) = (size_of_index(J[1])..., index_shape(tail(J))...)
size_of_index(i::Integer) = ()
size_of_index(i::AbstractArray) = size(i)

# ---- every other array

function getindex(A::AbstractArray, I...)
    canonical_getindex(IndexStyle(A), A, I...)
    checkbounds(A, I...)
    return select_elements(A, to_indices(A, I))
end
canonical_getindex(::IndexStyle, A, I...) = nothing
canonical_getindex(::IndexLinear, A::AbstractArray, ::Int) = throw(CanonicalIndexError("getindex", typeof(A)))
canonical_getindex(::IndexCartesian, A::AbstractArray{T,N}, ::Vararg{Int,N}) where {T,N} =
    throw(CanonicalIndexError("getindex", typeof(A)))

select_elements(A, J::Tuple{Vararg{Int}}) = element_at(IndexStyle(A), A, J)
function select_elements(A, J::Tuple)
    out = similar(A, eltype(A), index_shape(J))
    fill_selected!(out, 1, A, J, ())
    return out
end
function fill_selected!(out, k, A, J::Tuple, picked::Tuple)
    if isempty(J)
        out[k] = A[picked...]
        return k + 1
    end
    for i in J[end]
        k = fill_selected!(out, k, A, front(J), (i, picked...))
    end
    return k
end

element_at(::IndexLinear, A, J::Tuple{Int}) = getindex(A, J[1])
element_at(::IndexLinear, A, J::Tuple) = getindex(A, linear_position(size(A), J))
element_at(::IndexCartesian, A, J::Tuple) = getindex(A, cartesian_position(A, J)...)

linear_position(dims::Tuple, J::Tuple) = linear_offset(dims, J, 1) + 1
linear_offset(dims::Tuple, ::Tuple{}, stride) = 0
linear_offset(::Tuple{}, J::Tuple, stride) = 0
linear_offset(::Tuple{}, ::Tuple{}, stride) = 0
linear_offset(dims::Tuple, J::Tuple, stride) = (J[1] - 1) * stride + linear_offset(tail(dims), tail(J), stride * dims[1])
# As many indices as dimensions: ones are left out or put in; one index counts through the whole array.
cartesian_position(A::AbstractArray{T,N}, J::NTuple{N,Int}) where {T,N} = J
cartesian_position(A::AbstractArray{T,N}, J::Tuple{Int}) where {T,N} = position_of_linear(size(A), J[1] - 1)
cartesian_position(A::AbstractArray{T,1}, J::Tuple{Int}) where {T} = J
cartesian_position(A::AbstractArray{T,0}, J::Tuple{Int}) where {T} = ()
cartesian_position(A::AbstractArray{T,N}, J::Tuple) where {T,N} = first_or_one(J, N)
first_or_one(J::Tuple, n::Int) = n == 0 ? () : isempty(J) ? (1, first_or_one(J, n - 1)...) : (J[1], first_or_one(tail(J), n - 1)...)
position_of_linear(::Tuple{}, i) = ()
position_of_linear(dims::Tuple{Any}, i) = (i + 1,)
position_of_linear(dims::Tuple, i) = (rem(i, dims[1]) + 1, position_of_linear(tail(dims), div(i, dims[1]))...)

function setindex!(A::AbstractArray, x, I...)
    canonical_setindex(IndexStyle(A), A, I...)
    checkbounds(A, I...)
    store_elements!(A, x, to_indices(A, I))
    return A
end
canonical_setindex(::IndexStyle, A, I...) = nothing
canonical_setindex(::IndexLinear, A::AbstractArray, ::Int) = throw(CanonicalIndexError("setindex!", typeof(A)))
canonical_setindex(::IndexCartesian, A::AbstractArray{T,N}, ::Vararg{Int,N}) where {T,N} =
    throw(CanonicalIndexError("setindex!", typeof(A)))

store_elements!(A, x, J::Tuple{Vararg{Int}}) = store_at!(IndexStyle(A), A, x, J)
function store_elements!(A, X::AbstractArray, J::Tuple)
    setindex_shape_check(X, index_lengths(J)...)
    store_selected!(A, vec(X), 1, J, ())
end
store_elements!(A, x, J::Tuple) = throw(ArgumentError(
    "indexed assignment with a single value to possibly many locations is not supported; perhaps use broadcasting `.=` instead?"))
function store_selected!(A, X, k, J::Tuple, picked::Tuple)
    if isempty(J)
        A[picked...] = X[k]
        return k + 1
    end
    for i in J[end]
        k = store_selected!(A, X, k, front(J), (i, picked...))
    end
    return k
end
store_at!(::IndexLinear, A, x, J::Tuple{Int}) = setindex!(A, x, J[1])
store_at!(::IndexLinear, A, x, J::Tuple) = setindex!(A, x, linear_position(size(A), J))
store_at!(::IndexCartesian, A, x, J::Tuple) = setindex!(A, x, cartesian_position(A, J)...)

index_lengths(::Tuple{}) = ()
index_lengths(J::Tuple) = (length_of_index(J[1]), index_lengths(tail(J))...)
length_of_index(i::Integer) = 1
length_of_index(i) = length(i)
setindex_shape_check(X::AbstractArray, lengths::Int...) = _check_assignment(size(X), lengths)

to_dims_text(dims::Tuple) = isempty(dims) ? "0-dimensional" : length(dims) == 1 ? "$(dims[1])-element" : join(dims, '×')
dims2string(dims::Tuple) = to_dims_text(dims)

maybeview(A) = getindex(A)
maybeview(A, I...) = getindex(A, I...)
maybeview(A::AbstractArray, I...) = view(A, I...)
maybeview(A::AbstractArray, I::Union{Number,CartesianIndex}...) = getindex(A, I...)

export getindex, setindex!, to_indices
