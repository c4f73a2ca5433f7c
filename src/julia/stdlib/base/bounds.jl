# Checks of indices.

checkbounds(::Type{Bool}, A::StoredArray, I::Int...) = _array_in_bounds(A, I...)
checkbounds(::Type{Bool}, A::AbstractArray, I...) = checkbounds_indices(Bool, axes(A), I)
checkbounds(::Type{Bool}, A::AbstractArray, i) = checkindex(Bool, eachindex(IndexLinear(), A), i)
checkbounds(::Type{Bool}, A::AbstractArray, i::CartesianIndex) = checkbounds_indices(Bool, axes(A), (i,))
checkbounds(::Type{Bool}, A::AbstractArray, I::AbstractArray{<:CartesianIndex}) = checkbounds_indices(Bool, axes(A), (I,))
checkbounds(::Type{Bool}, A::AbstractArray, mask::AbstractArray{Bool}) =
    ndims(mask) == 1 ? length(mask) == length(A) : axes(A) == axes(mask)
function checkbounds(A::AbstractArray, I...)
    checkbounds(Bool, A, I...) || throw_boundserror(A, I)
    return nothing
end
throw_boundserror(A, I) = throw(BoundsError(A, I))

checkbounds_indices(::Type{Bool}, inds::Tuple, ::Tuple{}) = all_have_one(inds)
all_have_one(::Tuple{}) = true
all_have_one(inds::Tuple) = length(inds[1]) == 1 && all_have_one(tail(inds))
checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple) =
    checkindex(Bool, axis_or_one(inds), I[1]) && checkbounds_indices(Bool, cut_axes(inds, 1), tail(I))
checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{CartesianIndex,Vararg{Any}}) =
    checkbounds_indices(Bool, inds, (Tuple(I[1])..., tail(I)...))
function checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{AbstractArray{CartesianIndex{N}},Vararg{Any}}) where {N}
    here = first_axes(inds, N)
    for index in I[1]
        checkbounds_indices(Bool, here, Tuple(index)) || return false
    end
    return checkbounds_indices(Bool, cut_axes(inds, N), tail(I))
end
function checkbounds_indices(::Type{Bool}, inds::Tuple, I::Tuple{AbstractArray{Bool,N},Vararg{Any}}) where {N}
    return axes(I[1]) == first_axes(inds, N) && checkbounds_indices(Bool, cut_axes(inds, N), tail(I))
end
axis_or_one(::Tuple{}) = OneTo(1)
axis_or_one(inds::Tuple) = inds[1]
first_axes(inds::Tuple, n::Int) = n == 0 ? () : (axis_or_one(inds), first_axes(cut_axes(inds, 1), n - 1)...)
cut_axes(inds::Tuple{}, n::Int) = ()
cut_axes(inds::Tuple, n::Int) = n == 0 ? inds : cut_axes(tail(inds), n - 1)

checkindex(::Type{Bool}, inds, i) = throw(ArgumentError("unable to check bounds for indices of type $(typeof(i))"))
checkindex(::Type{Bool}, inds::AbstractUnitRange, i::Real) = first(inds) <= i <= last(inds)
checkindex(::Type{Bool}, inds::AbstractUnitRange, ::Colon) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, ::Slice) = true
checkindex(::Type{Bool}, inds::AbstractUnitRange, r::AbstractRange) =
    isempty(r) || (checkindex(Bool, inds, first(r)) && checkindex(Bool, inds, last(r)))
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractVector{Bool}) = length(mask) == length(inds)
checkindex(::Type{Bool}, inds::AbstractUnitRange, mask::AbstractArray{Bool}) = false
function checkindex(::Type{Bool}, inds::AbstractUnitRange, I::AbstractArray)
    for i in I
        checkindex(Bool, inds, i) || return false
    end
    return true
end
checkindex(::Type{Bool}, inds::Tuple, I::CartesianIndex) = checkbounds_indices(Bool, inds, (I,))

export checkbounds, checkindex
