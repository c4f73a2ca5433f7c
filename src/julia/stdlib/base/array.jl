# Making arrays.

(::Type{Array{T,N}})(::UndefInitializer, dims::Dims{N}) where {T,N} = _array_new(T, dims)
(::Type{Array{T}})(::UndefInitializer, dims::Dims) where {T} = _array_new(T, dims)
(::Type{Array{T,N}})(::UndefInitializer, dims::Vararg{Integer,N}) where {T,N} = _array_new(T, dims...)
(::Type{Array{T}})(::UndefInitializer, dims::Integer...) where {T} = _array_new(T, dims)
(::Type{Array{T,N}})(::UndefInitializer, dims::NTuple{N,Integer}) where {T,N} = _array_new(T, dims)
(::Type{Array{T}})(::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {T} = _array_new(T, dims)
(::Type{Array{T,N}})(::UndefInitializer, dims::Tuple{Vararg{Union{Integer,OneTo}}}) where {T,N} = _array_new(T, lengths_of(dims))
(::Type{Array{T}})(::UndefInitializer, dims::Tuple{Vararg{Union{Integer,OneTo}}}) where {T} = _array_new(T, lengths_of(dims))
(::Type{Vector})(::UndefInitializer, n::Integer) = _array_new(Any, n)
(::Type{Matrix})(::UndefInitializer, m::Integer, n::Integer) = _array_new(Any, m, n)
(::Type{Array})(::UndefInitializer, dims::Integer...) = _array_new(Any, dims)
(::Type{Array})(::UndefInitializer, dims::Tuple{Vararg{Integer}}) = _array_new(Any, dims)
(::Type{Vector{T}})() where {T} = _array_new(T, 0)
(::Type{Vector})() = _array_new(Any, 0)
(::Type{Array{T,N}})(x::Union{Nothing,Missing}, dims::Vararg{Integer,N}) where {T,N} = fill!(_array_new(T, dims), x)
(::Type{Array{T}})(x::Union{Nothing,Missing}, dims::Integer...) where {T} = fill!(_array_new(T, dims), x)

(::Type{Array{T,N}})(A::AbstractArray{<:Any,N}) where {T,N} = copyto!(_array_new(T, size(A)), A)
(::Type{Array{T}})(A::AbstractArray) where {T} = copyto!(_array_new(T, size(A)), A)
(::Type{Vector{T}})(A::AbstractVector) where {T} = copyto!(_array_new(T, size(A)), A)
(::Type{Vector{T}})(A::Vector{T}) where {T} = _array_copy(A)
(::Type{Array{T,N}})(A::Array{T,N}) where {T,N} = _array_copy(A)
(::Type{Array{T}})(A::Array{T}) where {T} = _array_copy(A)
(::Type{Array})(A::AbstractArray{T,N}) where {T,N} = copyto!(_array_new(T, size(A)), A)
(::Type{Array{<:Any,N}})(A::AbstractArray{T,N}) where {T,N} = copyto!(_array_new(T, size(A)), A)
(::Type{Vector})(A::AbstractVector{T}) where {T} = copyto!(_array_new(T, size(A)), A)
(::Type{Matrix})(A::AbstractMatrix{T}) where {T} = copyto!(_array_new(T, size(A)), A)
(::Type{Array})(r::MachineRange) = _range_collect(r)
(::Type{Vector})(r::MachineRange) = _range_collect(r)
(::Type{AbstractArray{T}})(A::AbstractArray) where {T} = convert(AbstractArray{T}, A)
(::Type{AbstractArray{T,N}})(A::AbstractArray{<:Any,N}) where {T,N} = convert(AbstractArray{T,N}, A)

(::Type{BitArray{N}})(::UndefInitializer, dims::Vararg{Integer,N}) where {N} = _bit_array_new(dims)
(::Type{BitArray{N}})(::UndefInitializer, dims::NTuple{N,Integer}) where {N} = _bit_array_new(dims)
(::Type{BitArray})(::UndefInitializer, dims::Integer...) = _bit_array_new(dims)
(::Type{BitArray})(::UndefInitializer, dims::Tuple{Vararg{Integer}}) = _bit_array_new(dims)
(::Type{BitArray})(A::AbstractArray) = copyto!(_bit_array_new(size(A)), A)
(::Type{BitArray{N}})(A::AbstractArray{<:Any,N}) where {N} = copyto!(_bit_array_new(size(A)), A)
(::Type{BitVector})() = _bit_array_new((0,))
(::Type{BitVector})(A::AbstractVector) = copyto!(_bit_array_new(size(A)), A)
(::Type{BitArray})(itr) = BitArray(collect(Bool, itr))
(::Type{BitVector})(itr) = BitArray(collect(Bool, itr))
(::Type{BitVector})(t::Tuple{Vararg{Bool}}) = BitArray(collect(Bool, t))

convert(::Type{T}, A::T) where {T<:AbstractArray} = A
convert(::Type{T}, A::AbstractArray) where {T<:Array} = T(A)
convert(::Type{T}, A::AbstractArray) where {T<:BitArray} = T(A)
convert(::Type{AbstractArray{T}}, A::AbstractArray{T}) where {T} = A
convert(::Type{AbstractArray{T}}, A::AbstractArray) where {T} = copyto!(similar(A, T), A)
convert(::Type{AbstractArray{T,N}}, A::AbstractArray{T,N}) where {T,N} = A
convert(::Type{AbstractArray{T,N}}, A::AbstractArray{<:Any,N}) where {T,N} = copyto!(similar(A, T), A)

# Arrays of two element types meet in the one that holds both, where that is one of the two.
promote_rule(a::Type{Array{T,N}}, b::Type{Array{S,N}}) where {T,S,N} = array_of_either(promote_type(T, S), a, b)
array_of_either(::Type{T}, a::Type{<:AbstractArray{T,N}}, b::Type{<:AbstractArray{T,N}}) where {T,N} = a
array_of_either(::Type{T}, a::Type{<:AbstractArray{T,N}}, b::Type{<:AbstractArray{S,N}}) where {T,S,N} = a
array_of_either(::Type{T}, a::Type{<:AbstractArray{S,N}}, b::Type{<:AbstractArray{T,N}}) where {T,S,N} = b
array_of_either(::Type, a, b) = promote_typejoin(a, b)

lengths_of(::Tuple{}) = ()
lengths_of(dims::Tuple) = (length_of_axis(dims[1]), lengths_of(tail(dims))...)
length_of_axis(d::Integer) = Int(d)
length_of_axis(r::AbstractUnitRange) = length(r)
const DimOrInd = Union{Integer,AbstractUnitRange}

similar(A::Array{T}) where {T} = _array_new(T, size(A))
similar(A::AbstractArray{T}) where {T} = similar(A, T, size(A))
similar(A::AbstractArray, ::Type{T}) where {T} = similar(A, T, size(A))
similar(A::AbstractArray{T}, dims::Tuple) where {T} = similar(A, T, lengths_of(dims))
similar(A::AbstractArray{T}, dims::DimOrInd...) where {T} = similar(A, T, lengths_of(dims))
similar(A::AbstractArray, ::Type{T}, dims::DimOrInd...) where {T} = similar(A, T, lengths_of(dims))
similar(A::AbstractArray, ::Type{T}, dims::Dims) where {T} = _array_new(T, dims)
similar(A::AbstractArray, ::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T} = similar(A, T, lengths_of(dims))
similar(A::BitArray, ::Type{Bool}, dims::Dims) = _bit_array_new(dims)
similar(::Type{T}, dims::DimOrInd...) where {T<:AbstractArray} = T(undef, lengths_of(dims))
similar(::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T<:AbstractArray} = T(undef, lengths_of(dims))
empty(A::AbstractVector{T}, ::Type{U}=T) where {T,U} = similar(A, U, 0)
emptymutable(A::AbstractVector{T}, ::Type{U}=T) where {T,U} = _array_new(U, 0)

zeros(dims::DimOrInd...) = _filled(Float64, 0.0, lengths_of(dims))
zeros(dims::Tuple{Vararg{DimOrInd}}) = _filled(Float64, 0.0, lengths_of(dims))
zeros(::Type{T}, dims::DimOrInd...) where {T} = _filled(T, zero(T), lengths_of(dims))
zeros(::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T} = _filled(T, zero(T), lengths_of(dims))
ones(dims::DimOrInd...) = _filled(Float64, 1.0, lengths_of(dims))
ones(dims::Tuple{Vararg{DimOrInd}}) = _filled(Float64, 1.0, lengths_of(dims))
ones(::Type{T}, dims::DimOrInd...) where {T} = _filled(T, one(T), lengths_of(dims))
ones(::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T} = _filled(T, one(T), lengths_of(dims))
fill(x::T, dims::DimOrInd...) where {T} = _filled(T, x, lengths_of(dims))
fill(x::T, dims::Tuple{Vararg{DimOrInd}}) where {T} = _filled(T, x, lengths_of(dims))
trues(dims::DimOrInd...) = _array_fill!(_bit_array_new(lengths_of(dims)), true)
trues(dims::Tuple{Vararg{DimOrInd}}) = _array_fill!(_bit_array_new(lengths_of(dims)), true)
falses(dims::DimOrInd...) = _bit_array_new(lengths_of(dims))
falses(dims::Tuple{Vararg{DimOrInd}}) = _bit_array_new(lengths_of(dims))

fill!(A::Array, x) = _array_fill!(A, x)
fill!(A::BitArray, x) = _array_fill!(A, x)
function fill!(A::AbstractArray{T}, x) where {T}
    v = convert(T, x)
    for i in eachindex(A)
        A[i] = v
    end
    return A
end

vect() = _array_new(Any, 0)
vect(X...) = _vect(X...)
getindex(::Type{T}) where {T} = _array_new(T, 0)
getindex(::Type{T}, X...) where {T} = _typed_vect(T, X...)

copy(A::Array) = _array_copy(A)
copy(A::BitArray) = _array_copy(A)
copy(A::AbstractArray) = copymutable(A)
copymutable(A::AbstractArray) = copyto!(similar(A), A)
copymutable(itr) = collect(itr)
function copy!(dst::AbstractVector, src::AbstractVector)
    length(dst) == length(src) || resize!(dst, length(src))
    return copyto!(dst, src)
end
function copy!(dst::AbstractArray, src::AbstractArray)
    axes(dst) == axes(src) || throw(ArgumentError(
        "arrays must have the same axes for copy! (consider using `copyto!`)"))
    return copyto!(dst, src)
end

copyto!(dest::StoredArray, src::StoredArray) = _copy_whole(dest, src)
copyto!(dest::StoredArray, d::Integer, src::StoredArray, s::Integer, n::Integer) = _array_copyto!(dest, d, src, s, n)
copyto!(dest::StoredArray, d::Integer, src::StoredArray) = _array_copyto!(dest, d, src, 1, length(src))
copyto!(dest::StoredArray, d::Integer, src::StoredArray, s::Integer) = _array_copyto!(dest, d, src, s, length(src) - s + 1)
copyto!(dest::StoredArray, src::Union{MachineRange,SubArray{<:Any,<:Any,<:Array}}) = _copy_whole(dest, _dense(src))
function copyto!(dest::AbstractArray, src::AbstractArray)
    length(src) <= length(dest) || throw(BoundsError(dest, LinearIndices(src)))
    if axes(dest) == axes(src)
        for i in eachindex(IndexStyle(dest, src), dest)
            dest[i] = src[i]
        end
        return dest
    end
    k = firstindex(dest)
    for x in src
        dest[k] = x
        k += 1
    end
    return dest
end
function copyto!(dest::AbstractArray, d::Integer, src::AbstractArray, s::Integer=1, n::Integer=length(src) - s + 1)
    n == 0 && return dest
    n < 0 && throw(ArgumentError("tried to copy n=$n elements, but n should be non-negative"))
    checkbounds(dest, d:d+n-1)
    checkbounds(src, s:s+n-1)
    from = mightalias(dest, src) ? copy(src) : src
    for k in 0:n-1
        dest[d+k] = from[s+k]
    end
    return dest
end
function copyto!(dest::AbstractArray, src)
    k = firstindex(dest)
    last_place = lastindex(dest)
    for x in src
        k > last_place && throw(ArgumentError("destination has fewer elements than required"))
        dest[k] = x
        k += 1
    end
    return dest
end
function copyto!(dest::AbstractArray, d::Integer, src)
    k = d
    for x in src
        checkbounds(Bool, dest, k) || throw(BoundsError(dest, k))
        dest[k] = x
        k += 1
    end
    return dest
end
function copyto!(dest::AbstractArray, d::Integer, src, s::Integer, n::Integer=typemax(Int))
    s < 1 && throw(ArgumentError("source start offset ($s) is < 1"))
    n < 0 && throw(ArgumentError("tried to copy n=$n elements, but n should be non-negative"))
    n == 0 && return dest
    k = d
    position = 0
    for x in src
        position += 1
        position < s && continue
        position >= s + n && break
        checkbounds(Bool, dest, k) || throw(BoundsError(dest, k))
        dest[k] = x
        k += 1
    end
    return dest
end
function copyto!(dest::AbstractArray, Rdest::CartesianIndices, src::AbstractArray, Rsrc::CartesianIndices)
    size(Rdest) == size(Rsrc) || throw(ArgumentError(
        "source and destination must have same size (got $(size(Rsrc)) and $(size(Rdest)))"))
    dest[Rdest] = src[Rsrc]
    return dest
end
copyto!(A::AbstractArray, t::Tuple) = copyto!(A, collect(t))

reshape(A::StoredArray, dims::Dims) = _array_reshape(A, dims)
reshape(A::AbstractArray, dims::Tuple{Vararg{Union{Integer,Colon,AbstractUnitRange}}}) = reshape(A, known_dims(A, dims))
reshape(A::AbstractArray, dims::Union{Integer,Colon,AbstractUnitRange}...) = reshape(A, known_dims(A, dims))
reshape(A::AbstractArray{T,N}, ::Val{N}) where {T,N} = A
reshape(A::AbstractArray, ::Val{N}) where {N} = reshape(A, rank_dims(size(A), N))
reshape(A::AbstractArray{T,N}, dims::Dims) where {T,N} = reshaped_view(A, dims)
function reshaped_view(A::AbstractArray, dims::Dims)
    check_reshape(A, dims)
    size(A) == dims && return A
    return _new(ReshapedArray{eltype(A),length(dims),typeof(A),Tuple{}}, A, dims, ())
end
function check_reshape(A, dims::Dims)
    n = 1
    for d in dims
        n *= d
    end
    n == length(A) || throw(DimensionMismatch(
        "parent has $(length(A)) elements, which is incompatible with size $dims"))
end
rank_dims(dims::Tuple, n::Int) = n == 0 ? () : ntuple(k -> k < n ? dim_at(dims, k) : product_of(_tuple_select(dims, n:length(dims))), n)
dim_at(dims::Tuple, k::Int) = k <= length(dims) ? dims[k] : 1
product_of(::Tuple{}) = 1
product_of(dims::Tuple) = dims[1] * product_of(tail(dims))
function known_dims(A, dims::Tuple)
    n = 1
    colons = 0
    for d in dims
        d isa Colon ? (colons += 1) : (n *= length_of_axis(d))
    end
    colons == 0 && return lengths_of(dims)
    colons > 1 && throw(DimensionMismatch("new dimensions $dims may have at most one omitted dimension specified by `Colon()`"))
    rest = n == 0 ? 0 : div(length(A), n)
    rest * n == length(A) || throw(DimensionMismatch(
        "array size $(length(A)) must be divisible by the product of the new dimensions $dims"))
    return replace_colon(dims, rest)
end
replace_colon(::Tuple{}, n) = ()
replace_colon(dims::Tuple, n) = (dims[1] isa Colon ? n : length_of_axis(dims[1]), replace_colon(tail(dims), n)...)

vec(A::AbstractVector) = A
vec(A::AbstractArray) = reshape(A, (length(A),))

dropdims(A; dims) = drop_dims(A, dims)
drop_dims(A, dim::Integer) = drop_dims(A, (Int(dim),))
function drop_dims(A, dims::Tuple)
    for i in 1:length(dims)
        1 <= dims[i] <= ndims(A) || throw(ArgumentError("dropped dims must be in range 1:ndims(A)"))
        size(A, dims[i]) == 1 || throw(ArgumentError("dropped dims must all be size 1"))
        for j in 1:i-1
            dims[j] == dims[i] && throw(ArgumentError("dropped dims must be unique"))
        end
    end
    return reshape(A, kept_dims(size(A), dims, 1))
end
kept_dims(::Tuple{}, dims, k) = ()
kept_dims(s::Tuple, dims, k) = k in dims ? kept_dims(tail(s), dims, k + 1) : (s[1], kept_dims(tail(s), dims, k + 1)...)
insertdims(A; dims) = insert_dims(A, dims)
insert_dims(A, dim::Integer) = insert_dims(A, (Int(dim),))
function insert_dims(A, dims::Tuple)
    n = ndims(A) + length(dims)
    for i in 1:length(dims)
        1 <= dims[i] || throw(ArgumentError("the smallest entry in dims must be ≥ 1."))
        dims[i] <= n || throw(ArgumentError("the largest entry in dims must be not larger than the dimension of the array and the length of dims added"))
        for j in 1:i-1
            dims[j] == dims[i] && throw(ArgumentError("inserted dims must be unique"))
        end
    end
    return reshape(A, with_ones(size(A), dims, 1, n))
end
with_ones(s::Tuple, dims, k, n) = k > n ? () : k in dims ? (1, with_ones(s, dims, k + 1, n)...) : (s[1], with_ones(tail(s), dims, k + 1, n)...)

export similar, empty, zeros, ones, fill, fill!, trues, falses, copy, copy!, copyto!, reshape, vec, dropdims, insertdims
