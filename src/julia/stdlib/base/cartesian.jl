# Cartesian and linear indices.

(::Type{CartesianIndex{N}})(t::NTuple{N,Integer}) where {N} = _new(CartesianIndex{N}, t)
(::Type{CartesianIndex})(t::NTuple{N,Integer}) where {N} = _new(CartesianIndex{N}, t)
(::Type{CartesianIndex})(I::Integer...) = _new(CartesianIndex{length(I)}, I)
(::Type{CartesianIndex{N}})(I::Integer...) where {N} = CartesianIndex{N}(I)
(::Type{CartesianIndex{N}})() where {N} = CartesianIndex{N}(())
function (::Type{CartesianIndex{N}})(t::Tuple{Vararg{Integer}}) where {N}
    length(t) > N && throw(ArgumentError("input tuple length $(length(t)), requested $N"))
    return _new(CartesianIndex{N}, (t..., ones_tuple(N - length(t))...))
end
(::Type{CartesianIndex})(I::Union{Integer,CartesianIndex}...) = CartesianIndex(flat_indices(I))
ones_tuple(n) = ntuple(k -> 1, n)
flat_indices(::Tuple{}) = ()
flat_indices(t::Tuple) = (index_numbers(t[1])..., flat_indices(tail(t))...)
index_numbers(i::Integer) = (Int(i),)
index_numbers(I::CartesianIndex) = I.I
(::Type{Tuple})(I::CartesianIndex) = I.I
convert(::Type{T}, I::T) where {T<:CartesianIndex} = I
length(::CartesianIndex{N}) where {N} = N
length(::Type{CartesianIndex{N}}) where {N} = N
size(::CartesianIndex{N}) where {N} = (N,)
ndims(::CartesianIndex) = 0
getindex(I::CartesianIndex, i::Integer) = I.I[i]
get(I::CartesianIndex, i::Integer, default) = get(I.I, i, default)
keys(I::CartesianIndex) = OneTo(length(I))
firstindex(I::CartesianIndex) = 1
lastindex(I::CartesianIndex) = length(I)
iterate(::CartesianIndex, state...) =
    error("iteration is deliberately unsupported for CartesianIndex. Use `I` rather than `I...`, or use `Tuple(I)...`")
zero(::CartesianIndex{N}) where {N} = CartesianIndex(ntuple(k -> 0, N))
zero(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ntuple(k -> 0, N))
oneunit(::CartesianIndex{N}) where {N} = CartesianIndex(ones_tuple(N))
oneunit(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ones_tuple(N))
one(::CartesianIndex{N}) where {N} = CartesianIndex(ones_tuple(N))
one(::Type{CartesianIndex{N}}) where {N} = CartesianIndex(ones_tuple(N))
tuple_with(f, ::Tuple{}, ::Tuple{}) = ()
tuple_with(f, a::Tuple, b::Tuple) = (f(a[1], b[1]), tuple_with(f, tail(a), tail(b))...)
+(I::CartesianIndex) = I
-(I::CartesianIndex{N}) where {N} = CartesianIndex(ntuple(k -> -I.I[k], N))
+(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = CartesianIndex(tuple_with(+, I.I, J.I))
-(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = CartesianIndex(tuple_with(-, I.I, J.I))
*(a::Integer, I::CartesianIndex{N}) where {N} = CartesianIndex(ntuple(k -> a * I.I[k], N))
*(I::CartesianIndex, a::Integer) = a * I
min(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = CartesianIndex(tuple_with(min, I.I, J.I))
max(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = CartesianIndex(tuple_with(max, I.I, J.I))
isless(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = isless(reverse(I.I), reverse(J.I))
==(I::CartesianIndex{N}, J::CartesianIndex{N}) where {N} = I.I == J.I

(::Type{CartesianIndices{N,R}})(t::Tuple) where {N,R} = _new(CartesianIndices{N,R}, t)
(::Type{CartesianIndices})(t::Tuple{Vararg{Union{Integer,OrdinalRange}}}) = cartesian_indices(index_ranges(t))
cartesian_indices(r::Tuple) = _new(CartesianIndices{length(r),typeof(r)}, r)
(::Type{CartesianIndices})(A::AbstractArray) = cartesian_indices(axes(A))
(::Type{CartesianIndices})(I::CartesianIndex) = cartesian_indices(index_ranges(I.I))
(::Type{CartesianIndices})(C::CartesianIndices) = C
index_ranges(::Tuple{}) = ()
index_ranges(t::Tuple) = (index_range(t[1]), index_ranges(tail(t))...)
index_range(n::Integer) = OneTo(Int(n))
index_range(r::OneTo) = OneTo(Int(r.stop))
index_range(r::AbstractUnitRange) = Int(first(r)):Int(last(r))
index_range(r::OrdinalRange) = Int(first(r)):Int(step(r)):Int(last(r))
size(C::CartesianIndices) = ranges_size(C.indices)
axes(C::CartesianIndices{N,R}) where {N,R} = index_ranges(ranges_size(C.indices))
ranges_size(::Tuple{}) = ()
ranges_size(t::Tuple) = (length(t[1]), ranges_size(tail(t))...)
IndexStyle(::Type{<:CartesianIndices}) = IndexCartesian()
ndims(::Type{<:CartesianIndices{N}}) where {N} = N
eltype(::Type{<:CartesianIndices{N}}) where {N} = CartesianIndex{N}
eltype(::Type{CartesianIndices{N}}) where {N} = CartesianIndex{N}
IteratorSize(::Type{<:CartesianIndices{N}}) where {N} = HasShape{N}()
iterate(C::CartesianIndices) = _cartesian_iterate(C)
iterate(C::CartesianIndices, i::Int) = _cartesian_iterate(C, i)
keys(C::CartesianIndices) = CartesianIndices(axes(C))
first(C::CartesianIndices) = CartesianIndex(each_first(C.indices))
last(C::CartesianIndices) = CartesianIndex(each_last(C.indices))
step(C::CartesianIndices) = CartesianIndex(each_step(C.indices))
each_first(::Tuple{}) = ()
each_first(t::Tuple) = (first(t[1]), each_first(tail(t))...)
each_last(::Tuple{}) = ()
each_last(t::Tuple) = (last(t[1]), each_last(tail(t))...)
each_step(::Tuple{}) = ()
each_step(t::Tuple) = (step(t[1]), each_step(tail(t))...)
function getindex(C::CartesianIndices{N}, I::Vararg{Int,N}) where {N}
    checkbounds(C, I...)
    return CartesianIndex(pick_each(C.indices, I))
end
getindex(C::CartesianIndices{1}, i::Int) = _cartesian_element(C, i)
getindex(C::CartesianIndices, i::Int) = _cartesian_element(C, i)
pick_each(::Tuple{}, ::Tuple{}) = ()
pick_each(r::Tuple, I::Tuple) = (r[1][I[1]], pick_each(tail(r), tail(I))...)
getindex(C::CartesianIndices{N}, I::Vararg{Union{OrdinalRange{<:Integer,<:Integer},Colon},N}) where {N} =
    cartesian_indices(pick_each(C.indices, I))
getindex(C::CartesianIndices{N}, I::CartesianIndices{N}) where {N} = cartesian_indices(pick_each(C.indices, I.indices))
in(I::CartesianIndex{N}, C::CartesianIndices{N}) where {N} = all_in(I.I, C.indices)
in(I::CartesianIndex, C::CartesianIndices) = false
all_in(::Tuple{}, ::Tuple{}) = true
all_in(I::Tuple, r::Tuple) = I[1] in r[1] && all_in(tail(I), tail(r))
intersect(C::CartesianIndices{N}, D::CartesianIndices{N}) where {N} = cartesian_indices(tuple_with(intersect, C.indices, D.indices))
reverse(C::CartesianIndices) = cartesian_indices(reverse_each(C.indices))
reverse_each(::Tuple{}) = ()
reverse_each(t::Tuple) = (reverse(t[1]), reverse_each(tail(t))...)
==(C::CartesianIndices{N}, D::CartesianIndices{N}) where {N} = C.indices == D.indices
+(C::CartesianIndices{N}, I::CartesianIndex{N}) where {N} = cartesian_indices(tuple_with(range_plus, C.indices, I.I))
-(C::CartesianIndices{N}, I::CartesianIndex{N}) where {N} = C + (-I)
+(I::CartesianIndex{N}, C::CartesianIndices{N}) where {N} = C + I

(::Type{LinearIndices})(t::Tuple{Vararg{Union{Integer,AbstractUnitRange}}}) = linear_indices(index_ranges(t))
(::Type{LinearIndices})(A::AbstractArray) = linear_indices(axes(A))
linear_indices(r::Tuple) = _new(LinearIndices{length(r),typeof(r)}, r)
size(L::LinearIndices) = ranges_size(L.indices)
axes(L::LinearIndices) = L.indices
IndexStyle(::Type{<:LinearIndices}) = IndexLinear()
first(L::LinearIndices) = 1
last(L::LinearIndices) = length(L)
function getindex(L::LinearIndices, i::Int)
    1 <= i <= length(L) || throw_boundserror(L, (i,))
    return i
end
function getindex(L::LinearIndices, I::Int...)
    checkbounds(L, I...)
    return linear_position(size(L), I)
end
getindex(L::LinearIndices, r::OrdinalRange{<:Integer,<:Integer}) = OneTo(length(L))[r]
getindex(L::LinearIndices{1}, r::OrdinalRange{<:Integer,<:Integer}) = OneTo(length(L))[r]
iterate(L::LinearIndices, i::Int=1) = i > length(L) ? nothing : (i, i + 1)
in(i::Integer, L::LinearIndices) = 1 <= i <= length(L)
==(L::LinearIndices, M::LinearIndices) = size(L) == size(M)

export CartesianIndex, CartesianIndices, LinearIndices
