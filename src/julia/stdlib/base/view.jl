# Arrays that look into others: views, reshaped and permuted ones, other element types.

size(S::SubArray) = index_shape(S.indices)
axes(S::SubArray) = _one_to_each(index_shape(S.indices))
IndexStyle(::Type{<:SubArray{<:Any,<:Any,<:Any,<:Any,true}}) = IndexLinear()
IndexStyle(::Type{<:SubArray}) = IndexCartesian()
parent(S::SubArray) = S.parent
parentindices(S::SubArray) = S.indices
parentindices(A::AbstractArray) = axes(A)
sizeof(S::SubArray) = length(S) * sizeof(eltype(S))

function view(A::AbstractArray, I...)
    checkbounds(A, I...)
    J = to_indices(A, I)
    return sub_array(matching_parent(A, J), J)
end
view(A::AbstractArray) = sub_array(matching_parent(A, ()), ())
view(r::AbstractUnitRange, s::AbstractUnitRange{<:Integer}) = r[s]
view(r::OrdinalRange, s::OrdinalRange{<:Integer,<:Integer}) = r[s]
view(r::StepRangeLen, s::OrdinalRange{<:Integer}) = r[s]
view(r::LinRange, s::OrdinalRange{<:Integer}) = r[s]
view(r::AbstractRange, ::Colon) = r
function view(S::SubArray, I...)
    checkbounds(S, I...)
    J = to_indices(S, I)
    covered_dims(J) == ndims(S) || return sub_array(matching_parent(S, J), J)
    return sub_array(S.parent, reindex(S.indices, J))
end
# As many dimensions as indices: the parent is reshaped when they differ.
covered_dims(::Tuple{}) = 0
covered_dims(J::Tuple) = index_covers_any(J[1]) + covered_dims(tail(J))
index_covers_any(i) = 1
index_covers_any(i::AbstractArray{CartesianIndex{N}}) where {N} = N
function matching_parent(A, J)
    n = covered_dims(J)
    return n == ndims(A) ? A : reshape(A, rank_dims(size(A), n))
end
function sub_array(A, J::Tuple)
    N = length(index_shape(J))
    if IndexStyle(A) isa IndexLinear && has_one_stride(J)
        stride = first_stride(1, size(A), J)
        offset = linear_offset(size(A), first_of_each(J), 1) + 1 - stride
        return _new(SubArray{eltype(A),N,typeof(A),typeof(J),true}, A, J, offset, stride)
    end
    return _new(SubArray{eltype(A),N,typeof(A),typeof(J),false}, A, J, 0, 0)
end
# Integers before make the stride longer; whole dimensions follow one another, and a range of steps of 1 may be the last of them.
has_one_stride(::Tuple{}) = true
has_one_stride(J::Tuple{Integer,Vararg{Any}}) = has_one_stride(tail(J))
has_one_stride(J::Tuple{Slice,Vararg{Any}}) = ends_stride(tail(J))
has_one_stride(J::Tuple{AbstractRange,Vararg{Any}}) = all_scalar(tail(J))
has_one_stride(J::Tuple) = false
ends_stride(J::Tuple{Slice,Vararg{Any}}) = ends_stride(tail(J))
ends_stride(J::Tuple{AbstractUnitRange,Vararg{Any}}) = all_scalar(tail(J))
ends_stride(J::Tuple) = all_scalar(J)
all_scalar(::Tuple{}) = true
all_scalar(J::Tuple) = J[1] isa Integer && all_scalar(tail(J))
first_stride(s, dims::Tuple, ::Tuple{}) = s
first_stride(s, ::Tuple{}, J::Tuple) = s
first_stride(s, ::Tuple{}, ::Tuple{}) = s
first_stride(s, dims::Tuple, J::Tuple{Integer,Vararg{Any}}) = first_stride(s * dims[1], tail(dims), tail(J))
first_stride(s, dims::Tuple, J::Tuple{Slice,Vararg{Any}}) = s
first_stride(s, dims::Tuple, J::Tuple{AbstractRange,Vararg{Any}}) = s * step(J[1])
first_of_each(::Tuple{}) = ()
first_of_each(J::Tuple) = (J[1] isa Integer ? J[1] : isempty(J[1]) ? 1 : first(J[1]), first_of_each(tail(J))...)

reindex(::Tuple{}, ::Tuple{}) = ()
reindex(own::Tuple{Integer,Vararg{Any}}, J::Tuple) = (own[1], reindex(tail(own), J)...)
reindex(own::Tuple{Slice,Vararg{Any}}, J::Tuple) = (J[1], reindex(tail(own), tail(J))...)
reindex(own::Tuple{AbstractVector,Vararg{Any}}, J::Tuple) = (own[1][J[1]], reindex(tail(own), tail(J))...)
function reindex(own::Tuple{AbstractArray{<:Any,N},Vararg{Any}}, J::Tuple) where {N}
    return (own[1][_tuple_select(J, 1:N)...], reindex(tail(own), _tuple_select(J, N+1:length(J)))...)
end

# What intrinsics reach into directly.
const ViewIndex = Union{Int,UnitRange{Int},StepRange{Int,Int},OneTo{Int},Slice{OneTo{Int}},Vector{Int}}
const StoredView{T,N} = SubArray{T,N,<:Union{Array,BitArray},<:Tuple{Vararg{ViewIndex}}}
getindex(S::StoredView, i::Int) = _view_get(S, i)
getindex(S::StoredView, i::Int, j::Int) = _view_get(S, i, j)
getindex(S::StoredView, I::Int...) = _view_get(S, I...)
getindex(S::StoredView, I::BuiltinIndex...) = _block_get(S, I...)
setindex!(S::StoredView, x, i::Int) = _view_set(S, x, i)
setindex!(S::StoredView, x, i::Int, j::Int) = _view_set(S, x, i, j)
setindex!(S::StoredView, x, I::Int...) = _view_set(S, x, I...)
function getindex(S::SubArray{T,N}, I::Vararg{Int,N}) where {T,N}
    checkbounds(S, I...)
    return S.parent[reindex(S.indices, I)...]
end
getindex(S::SubArray{T,N,P,J,true}, i::Int) where {T,N,P,J} = linear_view_get(S, i)
getindex(S::SubArray{T,1,P,J,true}, i::Int) where {T,P,J} = linear_view_get(S, i)
function linear_view_get(S, i)
    1 <= i <= length(S) || throw_boundserror(S, (i,))
    return S.parent[S.offset1+S.stride1*i]
end
function setindex!(S::SubArray{T,N}, x, I::Vararg{Int,N}) where {T,N}
    checkbounds(S, I...)
    S.parent[reindex(S.indices, I)...] = x
    return S
end
setindex!(S::SubArray{T,N,P,J,true}, x, i::Int) where {T,N,P,J} = linear_view_set(S, x, i)
setindex!(S::SubArray{T,1,P,J,true}, x, i::Int) where {T,P,J} = linear_view_set(S, x, i)
function linear_view_set(S, x, i)
    1 <= i <= length(S) || throw_boundserror(S, (i,))
    S.parent[S.offset1+S.stride1*i] = x
    return S
end
copy(S::StoredView) = _dense(S)
fill!(S::SubArray{<:Any,<:Any,<:Array,<:Tuple{Vararg{ViewIndex}}}, x) = fill_view(S, x)
function fill_view(S, x)
    _block_fill(S.parent, x, S.indices...)
    return S
end
strides(S::SubArray) = view_strides(strides(S.parent), S.indices)
view_strides(::Tuple{}, ::Tuple{}) = ()
view_strides(s::Tuple, J::Tuple{Integer,Vararg{Any}}) = view_strides(tail(s), tail(J))
view_strides(s::Tuple, J::Tuple{Slice,Vararg{Any}}) = (s[1], view_strides(tail(s), tail(J))...)
view_strides(s::Tuple, J::Tuple{AbstractRange,Vararg{Any}}) = (s[1] * step(J[1]), view_strides(tail(s), tail(J))...)
view_strides(s::Tuple, J::Tuple) = throw(ArgumentError("strides is invalid for SubArrays with indices of type $(typeof(J[1]))"))

# ---- reshaped

size(R::ReshapedArray) = R.dims
parent(R::ReshapedArray) = R.parent
IndexStyle(::Type{<:ReshapedArray}) = IndexLinear()
reshaped_view(R::ReshapedArray, dims::Dims) = size(R) == dims ? R : reshape(R.parent, dims)
function getindex(R::ReshapedArray, i::Int)
    1 <= i <= length(R) || throw_boundserror(R, (i,))
    return R.parent[i]
end
function setindex!(R::ReshapedArray, x, i::Int)
    1 <= i <= length(R) || throw_boundserror(R, (i,))
    R.parent[i] = x
    return R
end

# ---- dimensions in another order

function (::Type{PermutedDimsArray})(A::AbstractArray{T,N}, perm) where {T,N}
    p = Tuple(perm)
    (length(p) == N && isperm(p)) || throw(ArgumentError("$p is not a valid permutation of dimensions 1:$N"))
    return _new(PermutedDimsArray{T,N,p,inverse_permutation(p),typeof(A)}, A)
end
inverse_permutation(p::Tuple) = ntuple(k -> position_in(p, k), length(p))
function position_in(p::Tuple, k)
    for i in 1:length(p)
        p[i] == k && return i
    end
    return 0
end
(::Type{PermutedDimsArray{T,N,perm,iperm,AA}})(A::AA) where {T,N,perm,iperm,AA<:AbstractArray} = _new(PermutedDimsArray{T,N,perm,iperm,AA}, A)
parent(P::PermutedDimsArray) = P.parent
size(P::PermutedDimsArray{T,N,perm}) where {T,N,perm} = _tuple_select(size(P.parent), perm)
strides(P::PermutedDimsArray{T,N,perm}) where {T,N,perm} = _tuple_select(strides(P.parent), perm)
getindex(P::PermutedDimsArray{T,N,perm,iperm}, I::Vararg{Int,N}) where {T,N,perm,iperm} = permuted_get(P, iperm, I)
function permuted_get(P, iperm, I)
    checkbounds(P, I...)
    return P.parent[_tuple_select(I, iperm)...]
end
function setindex!(P::PermutedDimsArray{T,N,perm,iperm}, x, I::Vararg{Int,N}) where {T,N,perm,iperm}
    checkbounds(P, I...)
    P.parent[_tuple_select(I, iperm)...] = x
    return P
end

# ---- the same bits as another type

function reinterpret(::Type{T}, A::AbstractArray{S,N}) where {T,S,N}
    check_reinterpret(T, S)
    T === S && return A
    N == 0 && sizeof(T) != sizeof(S) && throw(ArgumentError(
        "cannot reinterpret a zero-dimensional `$S` array to `$T` which is of a different size"))
    N > 0 && sizeof(S) * size(A, 1) % sizeof(T) != 0 && throw(ArgumentError(
        "cannot reinterpret an `$S` array to `$T` whose first dimension has size `$(size(A, 1))`.\nThe resulting array would have a non-integral first dimension.\n"))
    return _new(ReinterpretArray{T,N,S,typeof(A),false}, A)
end
reinterpret(::Type{T}, R::ReinterpretArray{<:Any,<:Any,<:Any,<:Any,false}) where {T} = reinterpret(T, R.parent)
function reinterpret(::typeof(reshape), ::Type{T}, A::AbstractArray{S,N}) where {T,S,N}
    check_reinterpret(T, S)
    if sizeof(T) == sizeof(S)
        return _new(ReinterpretArray{T,N,S,typeof(A),true}, A)
    elseif sizeof(T) > sizeof(S)
        n = div(sizeof(T), sizeof(S))
        size(A, 1) == n || throw(ArgumentError(
            "`reinterpret(reshape, $T, a)` where `eltype(a)` is $S requires that `axes(a, 1)` (got $(axes(A, 1))) be equal to 1:$n (from the ratio of element sizes)"))
        return _new(ReinterpretArray{T,N-1,S,typeof(A),true}, A)
    end
    return _new(ReinterpretArray{T,N+1,S,typeof(A),true}, A)
end
function check_reinterpret(T, S)
    _bits_size(T) > 0 || throw(ArgumentError("cannot reinterpret `$S` as `$T`, type `$T` is not a bits type"))
    _bits_size(S) > 0 || throw(ArgumentError("cannot reinterpret `$S` as `$T`, type `$S` is not a bits type"))
end
parent(R::ReinterpretArray) = R.parent
IndexStyle(::Type{<:ReinterpretArray}) = IndexLinear()
function size(R::ReinterpretArray{T,N,S,A,false}) where {T,N,S,A}
    dims = size(R.parent)
    return N == 0 ? () : (div(dims[1] * sizeof(S), sizeof(T)), tail(dims)...)
end
function size(R::ReinterpretArray{T,N,S,A,true}) where {T,N,S,A}
    dims = size(R.parent)
    return N == length(dims) ? dims : N < length(dims) ? tail(dims) : (div(sizeof(S), sizeof(T)), dims...)
end
stored_bits(R::ReinterpretArray{T}) where {T} = _array_reinterpret(T, stored_parent(R.parent), size(R))
stored_parent(A::Array) = A
stored_parent(A::AbstractArray) = _dense(A)
getindex(R::ReinterpretArray, i::Int) = stored_bits(R)[i]
function setindex!(R::ReinterpretArray{T,N,S,<:Array}, x, i::Int) where {T,N,S}
    stored_bits(R)[i] = x
    return R
end
strides(R::ReinterpretArray) = size_to_strides(1, size(R)...)

export view, parentindices, SubArray, PermutedDimsArray, reinterpret
