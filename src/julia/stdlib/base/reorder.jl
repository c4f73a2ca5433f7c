# Elements in another order, and arrays seen slice by slice.

permutedims(A::AbstractMatrix) = permutedims(A, (2, 1))
permutedims(A::Matrix) = _array_permute(A, (2, 1))
permutedims(v::AbstractVector) = reshape(collect(v), (1, length(v)))
permutedims(A::StoredArray, perm) = _array_permute(A, checked_permutation(perm, ndims(A)))
permutedims(A::AbstractArray, perm) = _array_permute(_dense(A), checked_permutation(perm, ndims(A)))
function checked_permutation(perm, n)
    p = Tuple(perm)
    length(p) == n && isperm(p) || throw(ArgumentError("no valid permutation of dimensions"))
    return p
end
function permutedims!(dest::AbstractArray, src::AbstractArray, perm)
    p = checked_permutation(perm, ndims(src))
    size(dest) == _tuple_select(size(src), p) || throw(DimensionMismatch("source and destination must have compatible size"))
    return copyto!(dest, permutedims(src, p))
end
function isperm(p)
    n = length(p)
    seen = fill(false, n)
    for i in p
        i isa Integer && 1 <= i <= n && !seen[i] || return false
        seen[i] = true
    end
    return true
end
function permute!(v, p::AbstractVector)
    eachindex(v) == eachindex(p) || throw_permutation_size(v, p)
    w = v[p]
    isperm(p) || throw(ArgumentError("input is not a permutation"))
    return copyto!(v, w)
end
throw_permutation_size(v, p) = isempty(v) ? throw(BoundsError(v, (p,))) : throw(DimensionMismatch(
    "permutation and array must have the same length, got $(length(p)) and $(length(v))"))
function invpermute!(v, p::AbstractVector)
    w = copy(v)
    isperm(p) || throw(ArgumentError("input is not a permutation"))
    v[p] = w
    return v
end
function invperm(p::AbstractVector)
    isperm(p) || throw(ArgumentError("argument is not a permutation"))
    out = similar(p)
    for i in 1:length(p)
        out[p[i]] = i
    end
    return out
end
invperm(p::Tuple) = isperm(p) ? inverse_permutation(p) : throw(ArgumentError("argument is not a permutation"))

reverse(A::AbstractArray; dims=:) = reverse_along(A, dims)
reverse(A::AbstractVector, start::Integer, stop::Integer=lastindex(A)) = reverse!(copymutable(A), start, stop)
reverse(A::AbstractVector, ::Colon) = reverse(A)
reverse_along(A::AbstractVector, ::Colon) = A[reverse_indices(A, 1)]
reverse_along(A::AbstractArray, ::Colon) = A[ntuple(k -> reverse_indices(A, k), ndims(A))...]
reverse_along(A::AbstractArray{<:Any,0}, ::Colon) = copy(A)
reverse_indices(A, k) = size(A, k):-1:1
function reverse_along(A::AbstractArray, dims)
    for d in dims
        1 <= d <= ndims(A) || throw(ArgumentError("invalid dimension $d in reverse"))
    end
    return A[ntuple(k -> k in dims ? reverse_indices(A, k) : (1:1:size(A, k)), ndims(A))...]
end
function reverse_along(r::AbstractRange, dims)
    for d in dims
        d == 1 || throw(ArgumentError("invalid dimension $d in reverse"))
    end
    return reverse(r)
end
reverse(r::UnitRange{<:Integer}; dims=:) = dims isa Colon ? (r.stop:-1:r.start) : reverse_along(r, dims)
function reverse!(A::AbstractArray; dims=:)
    return copyto!(A, reverse_along(A, dims))
end
function reverse!(A::AbstractVector, start::Integer, stop::Integer=lastindex(A))
    start > stop && return A
    start > length(A) && return A
    checkbounds(A, start:stop)
    i, j = Int(start), Int(stop)
    while i < j
        A[i], A[j] = A[j], A[i]
        i += 1
        j -= 1
    end
    return A
end

rotl90(A::AbstractMatrix) = permutedims(A)[size(A, 2):-1:1, :]
rotr90(A::AbstractMatrix) = permutedims(A)[:, size(A, 1):-1:1]
rot180(A::AbstractMatrix) = A[size(A, 1):-1:1, size(A, 2):-1:1]
function rotl90(A::AbstractMatrix, k::Integer)
    k = mod(k, 4)
    return k == 1 ? rotl90(A) : k == 2 ? rot180(A) : k == 3 ? rotr90(A) : copy(A)
end
rotr90(A::AbstractMatrix, k::Integer) = rotl90(A, -k)
rot180(A::AbstractMatrix, k::Integer) = mod(k, 2) == 1 ? rot180(A) : copy(A)

circshift(A::AbstractArray, shift::Integer) = circshift(A, (shift,))
function circshift(A::AbstractArray, shifts)
    length(shifts) <= ndims(A) || throw(ArgumentError("there are more shifts ($(length(shifts))) than dimensions ($(ndims(A)))"))
    return A[ntuple(k -> shifted_indices(size(A, k), k <= length(shifts) ? shifts[k] : 0), ndims(A))...]
end
shifted_indices(n, s) = Int[mod(i - 1 - s, n) + 1 for i in 1:n]
circshift!(dest::AbstractArray, src::AbstractArray, shifts) = copyto!(dest, circshift(src, shifts))
circshift!(A::AbstractArray, shifts) = copyto!(A, circshift(A, shifts))
circshift(t::Tuple, shift::Integer) = ntuple(i -> t[mod1(i - shift, length(t))], length(t))
circcopy!(dest::AbstractArray, src::AbstractArray) = copyto!(dest, src)

# ---- slices

function selectdim(A::AbstractArray, d::Integer, i)
    d >= 1 || throw(ArgumentError("dimension must be ≥ 1, got $d"))
    return view(A, ntuple(k -> k == d ? i : Colon(), max(ndims(A), Int(d)))...)
end

function make_slices(A, slicemap, ax)
    S = typeof(slice_view(A, slicemap, ntuple(k -> 1, length(ax))))
    return _new(Slices{typeof(A),typeof(slicemap),typeof(ax),S,length(ax)}, A, slicemap, ax)
end
slice_view(A, slicemap, I) = unsafe_sub_array(A, ntuple(k -> slicemap[k] isa Colon ? Slice(axes(A, k)) : Int(I[slicemap[k]]), length(slicemap)))
unsafe_sub_array(A, J) = sub_array(A, J)
unsafe_sub_array(S::SubArray, J) = sub_array(S.parent, reindex(S.indices, J))
size(s::Slices) = ranges_size(s.axes)
axes(s::Slices) = s.axes
IndexStyle(::Type{<:Slices}) = IndexCartesian()
IndexStyle(::Type{<:Slices{<:Any,<:Any,<:Any,<:Any,1}}) = IndexLinear()
parent(s::Slices) = s.parent
function getindex(s::Slices{P,SM,AX,S,N}, I::Vararg{Int,N}) where {P,SM,AX,S,N}
    checkbounds(s, I...)
    return slice_view(s.parent, s.slicemap, I)
end
function setindex!(s::Slices{P,SM,AX,S,N}, x, I::Vararg{Int,N}) where {P,SM,AX,S,N}
    s[I...] .= x
    return s
end
eachrow(A::AbstractMatrix) = make_slices(A, (1, Colon()), (axes(A, 1),))
eachrow(v::AbstractVector) = eachrow(reshape(v, (length(v), 1)))
eachcol(A::AbstractMatrix) = make_slices(A, (Colon(), 1), (axes(A, 2),))
eachcol(v::AbstractVector) = eachcol(reshape(v, (length(v), 1)))
function eachslice(A::AbstractArray; dims, drop::Bool=true)
    ds = dims isa Colon ? ntuple(identity, ndims(A)) : Tuple(dims)
    for (k, d) in enumerate(ds)
        1 <= d <= ndims(A) || throw(DimensionMismatch("A doesn't have $d dimensions"))
        d in _tuple_select(ds, 1:k-1) && throw(DimensionMismatch("dimensions $ds are not unique"))
    end
    if drop
        return make_slices(A, ntuple(k -> k in ds ? position_in(ds, k) : Colon(), ndims(A)), ntuple(k -> axes(A, ds[k]), length(ds)))
    end
    return make_slices(A, ntuple(k -> k in ds ? k : Colon(), ndims(A)), ntuple(k -> k in ds ? axes(A, k) : OneTo(1), ndims(A)))
end

export permutedims, permutedims!, isperm, permute!, invpermute!, invperm, reverse, reverse!, rotl90, rotr90, rot180, circshift, circshift!,
    selectdim, eachrow, eachcol, eachslice, AbstractSlices, Slices, RowSlices, ColumnSlices
