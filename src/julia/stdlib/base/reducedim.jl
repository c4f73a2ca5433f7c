# Reductions into an array, by slices, and running reductions.

export sum!, prod!, maximum!, minimum!, any!, all!, count!, findmax!, findmin!, extrema!, cumsum, cumsum!, cumprod, cumprod!, accumulate, accumulate!,
    diff, mapslices

# ---- into an array whose extents of 1 say what is reduced

function _reduce_into!(f, op, r, A, init)
    dims = _reduced_dims(r, A)
    found = isempty(dims) ? map(x -> reduce_first(op, f(x)), A) : _mapreducedim(f, op, A, dims)
    found = reshape(found, size(r))
    return init ? copyto!(r, found) : map!(op, r, r, found)
end
function _reduced_dims(r, A)
    for d in 1:max(ndims(r), ndims(A))
        size(r, d) == 1 || size(r, d) == size(A, d) ||
            throw(DimensionMismatch("cannot reduce from shape $(axes(A)) to shape $(axes(r))"))
    end
    return Tuple(filter(d -> size(r, d) == 1, 1:ndims(A)))
end

sum!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, add_sum, r, A, init)
sum!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, add_sum, r, A, init)
prod!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, mul_prod, r, A, init)
prod!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, mul_prod, r, A, init)
maximum!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, max, r, A, init)
maximum!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, max, r, A, init)
minimum!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, min, r, A, init)
minimum!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, min, r, A, init)
any!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, |, r, A, init)
any!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, |, r, A, init)
all!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(identity, &, r, A, init)
all!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(f, &, r, A, init)
count!(r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(_TrueBool(identity), +, r, A, init)
count!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(_TrueBool(f), +, r, A, init)

extrema!(r::AbstractArray, A::AbstractArray; init::Bool=true) =
    _reduce_into!(ExtremaMap(identity), _extrema_of_both, r, A, init)
extrema!(f, r::AbstractArray, A::AbstractArray; init::Bool=true) = _reduce_into!(ExtremaMap(f), _extrema_of_both, r, A, init)

function findmax!(values::AbstractArray, places::AbstractArray, A::AbstractArray)
    (v, p) = findmax(A; dims=_reduced_dims(values, A))
    copyto!(values, v)
    copyto!(places, p)
    return (values, places)
end
function findmin!(values::AbstractArray, places::AbstractArray, A::AbstractArray)
    (v, p) = findmin(A; dims=_reduced_dims(values, A))
    copyto!(values, v)
    copyto!(places, p)
    return (values, places)
end

# ---- running reductions

accumulate(op, A::AbstractVector; dims::Integer=1, init=_InitialValue()) = _accumulate_dim(op, A, dims, init)
function accumulate(op, A::AbstractArray; dims::Union{Nothing,Integer}=nothing, init=_InitialValue())
    dims === nothing && return reshape(_accumulate_dim(op, vec(A), 1, init), size(A))
    return _accumulate_dim(op, A, dims, init)
end
accumulate(op, itr; init=_InitialValue()) = collect(lazy_accumulate(op, itr; init=init))
accumulate(op, t::Tuple; init=_InitialValue()) = Tuple(_accumulate_dim(op, collect(Any, t), 1, init))
_accumulate_dim(op, A, dims, ::_InitialValue) = _accumulate(op, A, Int(dims))
_accumulate_dim(op, A, dims, init) = _accumulate(op, A, Int(dims), init)
function accumulate!(op, destination, source; dims::Union{Nothing,Integer}=nothing, init=_InitialValue())
    found = dims === nothing ? accumulate(op, source; init=init) : accumulate(op, source; dims=dims, init=init)
    size(found) == size(destination) || throw(DimensionMismatch("shape of B must match A"))
    return copyto!(destination, found)
end

cumsum(A::AbstractVector) = _keep_abstract(A, _accumulate(add_sum, A, 1))
cumsum(A::AbstractArray; dims::Integer) = _keep_abstract(A, _accumulate(add_sum, A, Int(dims)))
cumsum(t::Tuple) = accumulate(add_sum, t)
cumsum(itr) = accumulate(add_sum, itr)
cumsum!(destination, A; dims::Integer=1) = accumulate!(add_sum, destination, A; dims=dims)
cumprod(A::AbstractVector) = _keep_abstract(A, _accumulate(mul_prod, A, 1))
cumprod(A::AbstractArray; dims::Integer) = _keep_abstract(A, _accumulate(mul_prod, A, Int(dims)))
cumprod(t::Tuple) = accumulate(mul_prod, t)
cumprod(itr) = accumulate(mul_prod, itr)
cumprod!(destination, A; dims::Integer=1) = accumulate!(mul_prod, destination, A; dims=dims)
# The element type is that of a sum of two elements, however many there are.
function _keep_abstract(A, found)
    isconcretetype(eltype(found)) && isconcretetype(eltype(A)) && return found
    T = isconcretetype(eltype(A)) ? typeof(last(found)) : eltype(A)
    return convert(Array{T,ndims(A)}, found)
end

# ---- differences and slices

function diff(a::AbstractVector; dims::Integer=1)
    dims == 1 || throw(ArgumentError("dimension $dims out of range (1:1)"))
    v = collect(a)
    return map(-, v[2:end], v[1:end-1])
end
function diff(a::AbstractArray{T,N}; dims::Integer) where {T,N}
    1 <= dims <= N || throw(ArgumentError("dimension $dims out of range (1:$N)"))
    n = size(a, dims)
    after = ntuple(d -> d == dims ? (2:n) : (1:size(a, d)), N)
    before = ntuple(d -> d == dims ? (1:n-1) : (1:size(a, d)), N)
    return map(-, a[after...], a[before...])
end

function mapslices(f, A::AbstractArray; dims)
    sliced = _region(dims)
    for d in sliced
        1 <= d <= ndims(A) || throw(ArgumentError("dimension must be between 1 and $(ndims(A)), got $d"))
    end
    n = ndims(A)
    isempty(sliced) && return map(f, A)
    outer = ntuple(d -> d in sliced ? (1:1) : (1:size(A, d)), n)
    cells = map(I -> f(A[ntuple(d -> d in sliced ? (:) : I[d], n)...]), CartesianIndices(outer))
    return _join_slices(cells, A, sliced, n)
end
function _join_slices(cells, A, sliced, n)
    isempty(cells) && throw(ArgumentError("mapslices of an array without slices"))
    first_one = first(cells)
    first_one isa AbstractArray && ndims(first_one) > 0 || return map(_unwrap_slice, cells)
    sizes = ntuple(d -> d in sliced ? _slice_extent(first_one, sliced, d) : size(A, d), n)
    out = similar(first_one, eltype(first_one), sizes)
    for I in CartesianIndices(cells)
        out[ntuple(d -> d in sliced ? (1:sizes[d]) : (I[d]:I[d]), n)...] =
            reshape(cells[I], ntuple(d -> d in sliced ? sizes[d] : 1, n))
    end
    return out
end
_unwrap_slice(x) = x
_unwrap_slice(x::AbstractArray) = x[1]
function _slice_extent(cell, sliced, d)
    k = 0
    for s in sort(collect(unique(sliced)))
        k += 1
        s == d && return size(cell, k)
    end
    return 1
end
