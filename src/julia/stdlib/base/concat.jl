# Concatenation: literals of arrays and cat.

promote_eltypeof() = Union{}
promote_eltypeof(v) = element_type_of(v)
promote_eltypeof(v, w) = promote_type(element_type_of(v), element_type_of(w))
function promote_eltypeof(v, vs...)
    T = element_type_of(v)
    for w in vs
        T = promote_type(T, element_type_of(w))
    end
    return T
end
element_type_of(v) = typeof(v)
element_type_of(v::AbstractArray) = eltype(v)

vcat() = _array_new(Any, 0)
hcat() = _array_new(Any, 0)
vcat(X...) = _concatenate(:vcat, promote_eltypeof(X...), 1, X...)
hcat(X...) = _concatenate(:hcat, promote_eltypeof(X...), 2, X...)
vcat(rs::AbstractRange{T}...) where {T} = _concatenate(:vcat, T, 1, rs...)
vcat(X::AbstractVecOrMat...) = _concatenate(:vcat, promote_eltypeof(X...), 1, X...)
hcat(X::AbstractVecOrMat...) = _concatenate(:hcat, promote_eltypeof(X...), 2, X...)
typed_vcat(::Type{T}, X...) where {T} = isempty(X) ? _array_new(T, 0) : _concatenate(:vcat, T, 1, X...)
typed_hcat(::Type{T}, X...) where {T} = isempty(X) ? _array_new(T, 0) : _concatenate(:hcat, T, 2, X...)

cat(X...; dims) = cat_along(dims, promote_eltypeof(X...), X)
cat_along(::Val{D}, T, X) where {D} = cat_along(D, T, X)
cat_along(d::Integer, T, X) = isempty(X) ? _array_new(Any, 0) : _concatenate(:cat, T, d, X...)
cat_along(dims, T, X) = isempty(X) ? _array_new(Any, 0) : _concatenate(:cat, T, Tuple(dims), X...)

hvcat(rows::Tuple{Vararg{Int}}, X...) = typed_hvcat(promote_eltypeof(X...), rows, X...)
hvcat(rows::Tuple{Vararg{Int}}, X::AbstractVecOrMat...) = typed_hvcat(promote_eltypeof(X...), rows, X...)
function hvcat(columns::Int, X...)
    n = length(X)
    mod(n, columns) == 0 || throw(ArgumentError("number of arrays $n is not a multiple of the requested number of block columns $columns"))
    return hvcat(ntuple(k -> columns, div(n, columns)), X...)
end
typed_hvcat(::Type{T}, rows::Tuple{}, X...) where {T} = _array_new(T, 0, 0)
typed_hvcat(::Type{T}, rows::Tuple{Vararg{Int}}, X::Number...) where {T} = _number_matrix(T, rows, X)
function typed_hvcat(::Type{T}, rows::Tuple{Vararg{Int}}, X...) where {T}
    sum(rows) == length(X) ||
        throw(ArgumentError("mismatch in number of arrays: $(sum(rows)) expected, got $(length(X))"))
    blocks = _block_rows(T, rows, X)
    width = size(blocks[1], 2)
    ntuple(length(rows)) do k
        size(blocks[k], 2) == width || throw(DimensionMismatch(
            "row $k has mismatched number of columns (expected $width, got $(size(blocks[k], 2)))"))
    end
    return _concatenate(:vcat, T, 1, blocks...)
end
_block_rows(::Type{T}, rows::Tuple{}, X) where {T} = ()
function _block_rows(::Type{T}, rows, X) where {T}
    n = rows[1]
    row = _concatenate(:hcat, T, 2, ntuple(k -> X[k], n)...)
    return (row, _block_rows(T, Base.tail(rows), ntuple(k -> X[n+k], length(X) - n))...)
end

# Rows with splats, whose lengths show only here.
hvcat_rows(rows::Tuple...) = hvcat(row_lengths(rows), joined_tuples(rows)...)
typed_hvcat_rows(::Type{T}, rows::Tuple...) where {T} = typed_hvcat(T, row_lengths(rows), joined_tuples(rows)...)
row_lengths(::Tuple{}) = ()
row_lengths(rows::Tuple) = (length(rows[1]), row_lengths(tail(rows))...)
joined_tuples(::Tuple{}) = ()
joined_tuples(rows::Tuple) = (rows[1]..., joined_tuples(tail(rows))...)

# ---- any number of dimensions

hvncat(dim::Int, X...) = hvncat_along(dim, true, promote_eltypeof(X...), X)
hvncat(shape::Tuple, row_first::Bool, X...) = hvncat_shape(shape, row_first, promote_eltypeof(X...), X)
typed_hvncat(::Type{T}, dim::Int, X...) where {T} = hvncat_along(dim, true, T, X)
typed_hvncat(::Type{T}, shape::Tuple, row_first::Bool, X...) where {T} = hvncat_shape(shape, row_first, T, X)
function hvncat_along(dim::Int, row_first, T, X)
    if isempty(X)
        dim < 1 && throw(ArgumentError("concatenation dimension must be nonnegative"))
        return _array_new(T === Union{} ? Any : T, ntuple(k -> 0, dim))
    end
    dim < 0 && throw(ArgumentError("concatenation dimension must be nonnegative"))
    if dim == 0
        length(X) == 1 || throw(ArgumentError("a 0-dimensional array may only contain exactly one element"))
        return X[1] isa AbstractArray ? convert(Array{T}, copy(X[1])) : fill(convert(T, X[1]))
    end
    return _concatenate(:hvncat, T, dim, X...)
end
function hvncat_shape(shape::Tuple, row_first::Bool, T, X)
    isempty(shape) && return hvncat_along(0, row_first, T, X)
    if length(shape) == 1 && shape[1] isa Int
        shape[1] == length(X) || throw(ArgumentError("number of elements does not match shape; expected $(shape[1]), got $(length(X))"))
        return hvncat_along(1, row_first, T, X)
    end
    return shape isa Tuple{Vararg{Int}} ? hvncat_regular(shape, row_first, T, X) : hvncat_ragged(shape, row_first, T, X)
end
# One array for each position of a box of blocks.
function hvncat_regular(shape, row_first, T, X)
    n = product_of(shape)
    n == length(X) || throw(ArgumentError("argument count does not match specified shape (expected $n, got $(length(X)))"))
    any_zero(shape) && throw(ArgumentError("all block dimensions must be positive"))
    blocks = collect(Any, X)
    dims = row_first && length(shape) > 1 ? (2, 1, rest_dims(3, length(shape))...) : rest_dims(1, length(shape))
    sizes = row_first && length(shape) > 1 ? (shape[2], shape[1], _tuple_select(shape, 3:length(shape))...) : shape
    for k in 1:length(dims)
        blocks = joined_runs(blocks, sizes[k], dims[k], T)
    end
    return blocks[1] isa AbstractArray ? with_rank(blocks[1], length(shape)) : fill(convert(T, blocks[1]))
end
any_zero(shape) = isempty(shape) ? false : shape[1] <= 0 || any_zero(tail(shape))
rest_dims(a, b) = ntuple(k -> a + k - 1, max(b - a + 1, 0))
with_rank(A, n) = ndims(A) >= n ? A : reshape(A, rank_dims(size(A), n))
function joined_runs(blocks, n, dim, T)
    out = _array_new(Any, 0)
    for start in 1:n:length(blocks)
        push!(out, _concatenate(:hvncat, T, dim, blocks[start:start+n-1]...))
    end
    return out
end
# Rows of differing numbers of blocks: each level says how many of the level before it go together.
function hvncat_ragged(shape, row_first, T, X)
    blocks = collect(Any, X)
    levels = length(shape)
    order = row_first ? (2, 1, rest_dims(3, levels)...) : rest_dims(1, levels)
    counts = collect(Int, shape[1])
    sum_of(counts) == length(X) || throw(ArgumentError(
        "argument count does not match specified shape (expected $(sum_of(counts)), got $(length(X)))"))
    ones_left = length(blocks)
    sizes = fill(1, ones_left)
    for level in 1:levels
        groups = shape[level]
        joined = _array_new(Any, 0)
        joined_sizes = Int[]
        at = 1
        for want in groups
            have = 0
            start = at
            while have < want
                at <= length(blocks) || throw(ArgumentError("shape does not match the number of arguments"))
                have += sizes[at]
                at += 1
            end
            have == want || throw(DimensionMismatch("argument shape mismatch"))
            push!(joined, _concatenate(:hvncat, T, order[level], blocks[start:at-1]...))
            push!(joined_sizes, want)
        end
        blocks = joined
        sizes = joined_sizes
    end
    length(blocks) == 1 || throw(ArgumentError("shape does not end in one block"))
    return with_rank(blocks[1], levels)
end
function sum_of(counts)
    n = 0
    for c in counts
        n += c
    end
    return n
end

# ---- repeat and stack

repeat(A::AbstractArray, counts::Integer...) = repeat_outer(A, counts)
repeat(A::AbstractArray; inner=nothing, outer=nothing) = repeat_both(A, inner, outer)
function repeat_outer(A::AbstractArray, counts::Tuple)
    for (k, c) in enumerate(counts)
        c < 0 && throw(ArgumentError("number of repetitions must be ≥ 0 (got $c for dimension $k)"))
    end
    n = max(ndims(A), length(counts))
    inds = ntuple(k -> repeated_range(size(A, k), k <= length(counts) ? Int(counts[k]) : 1), n)
    return wide(A, n)[inds...]
end
wide(A, n) = ndims(A) >= n ? collect(A) : reshape(collect(A), rank_dims(size(A), n))
repeated_range(n, times) = Int[rem(k - 1, n) + 1 for k in 1:n*times]
stretched_range(n, times) = Int[div(k - 1, times) + 1 for k in 1:n*times]
function repeat_both(A, inner, outer)
    i = checked_repetitions(A, inner, "inner")
    o = checked_repetitions(A, outer, "outer")
    n = max(ndims(A), max(length(i), length(o)))
    inner === nothing || length(i) >= ndims(A) || throw(ArgumentError(
        "number of inner repetitions ($(length(i))) cannot be less than number of dimensions of input array ($(ndims(A)))"))
    outer === nothing || length(o) >= ndims(A) || throw(ArgumentError(
        "number of outer repetitions ($(length(o))) cannot be less than number of dimensions of input array ($(ndims(A)))"))
    inds = ntuple(n) do k
        a = k <= length(i) ? i[k] : 1
        b = k <= length(o) ? o[k] : 1
        stretched = stretched_range(size(A, k), a)
        stretched[repeated_range(length(stretched), b)]
    end
    return wide(A, n)[inds...]
end
checked_repetitions(A, ::Nothing, name) = ()
function checked_repetitions(A, counts, name)
    t = counts isa Integer ? (Int(counts),) : _tuple_convert(Tuple{Vararg{Int}}, Tuple(counts))
    for c in t
        c < 0 && throw(ArgumentError("no `$name` or `outer` repetition counts may be negative; got $counts"))
    end
    return t
end

stack(itr; dims=:) = stack_along(dims, collect_slices(itr))
stack(f, itr; dims=:) = stack_along(dims, collect_slices(Generator(f, itr)))
stack(f, a, b, itrs...; dims=:) = stack_along(dims, collect_slices(Generator(x -> f(x...), zip(a, b, itrs...))))
collect_slices(itr) = itr isa AbstractArray ? itr : collect(itr)
slice_size(x) = size(x)
slice_size(x::Tuple) = (length(x),)
slice_size(x::NamedTuple) = (length(x),)
slice_size(x::AbstractString) = (length(x),)
slice_size(g::Generator) = shape_of(g) === nothing ? (length(g),) : size(g)
slice_values(x) = collect(x)
slice_values(x::NamedTuple) = collect(values(x))
slice_values(x::AbstractArray) = x
stack_dims_error(dims, n) = throw(ArgumentError("cannot stack slices ndims(x) = $n along dims = $dims"))
function stack_along(dims, slices)
    isempty(slices) && throw(ArgumentError("`stack` on an empty collection is not allowed"))
    one_slice = first(slices)
    checked_slice(one_slice)
    dims_of_one = slice_size(one_slice)
    n = length(dims_of_one)
    dims isa Integer && !(1 <= dims <= n + 1) && stack_dims_error(dims, n)
    parts = _array_new(Any, 0)
    T = Union{}
    for s in slices
        slice_size(s) == dims_of_one || throw(DimensionMismatch(
            "stack expects uniform slices, got axes(x) == $(_one_to_each(slice_size(s))) while first had $(_one_to_each(dims_of_one))"))
        v = slice_values(s)
        T = T === Union{} ? element_type_of(v) : promote_typejoin(T, element_type_of(v))
        push!(parts, v)
    end
    if dims isa Colon
        flat = _array_new(T, 0)
        for p in parts
            append!(flat, n == 0 ? (p isa AbstractArray ? p : (p,)) : p)
        end
        return reshape(flat, (dims_of_one..., size(slices)...))
    end
    shape = ntuple(k -> k < dims ? dims_of_one[k] : k == dims ? 1 : dims_of_one[k-1], n + 1)
    return _concatenate(:cat, T, dims, (reshape(p isa AbstractArray ? p : fill(p), shape) for p in parts)...)
end
checked_slice(x) = nothing
checked_slice(g::Generator) = shape_of(IteratorSize(g), g) === nothing && IteratorSize(g) isa SizeUnknown && length(g)

export vcat, hcat, cat, hvcat, hvncat, repeat, stack
