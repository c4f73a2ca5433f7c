# Collections as sets.

export unique, unique!, allunique, allequal, union, union!, intersect, intersect!, setdiff, setdiff!, symdiff, symdiff!, issubset,
    isdisjoint, issetequal, ∪, ∩, ⊆, ⊇, ⊊, ⊋, ⊈, ⊉

# ---- different elements

_known_eltype(itr) = _known_eltype(itr, IteratorEltype(itr))
_known_eltype(itr, ::HasEltype) = eltype(itr)
_known_eltype(itr, ::IteratorEltype) = nothing
_kept_eltype(itr) = _unless_abstract(itr, _known_eltype(itr))
_unless_abstract(itr, T) = T

unique(itr) = _unique(identity, itr, _kept_eltype(itr))
unique(f, itr; seen=nothing) = _unique(f, itr, _kept_eltype(itr))
unique(s::AbstractSet) = collect(s)
unique(r::AbstractRange) = iszero(step(r)) && !isempty(r) ? r[1:1] : r
function unique(A::AbstractArray; dims=:)
    dims isa Colon && return _unique(identity, A, eltype(A))
    n = ndims(A)
    slices = [A[ntuple(i -> i == dims ? j : (:), n)...] for j in 1:size(A, dims)]
    kept = unique(j -> slices[j], 1:size(A, dims))
    return A[ntuple(i -> i == dims ? kept : (:), n)...]
end
function unique!(f, v::AbstractVector; seen=nothing)
    return _replace_all!(v, _unique(f, v, eltype(v)))
end
unique!(v::AbstractVector) = unique!(identity, v)

allunique(itr) = _allunique(identity, itr)
allunique(f, itr) = _unique_by(f, itr)
_unique_by(f, itr) = _has_at_most_one(itr) || _allunique(f, itr)
allunique(::Union{AbstractSet,AbstractDict}) = true
allunique(r::AbstractRange) = !iszero(step(r)) || length(r) <= 1
allunique(g::Generator) = _has_at_most_one(g) || _allunique(identity, g)

_has_at_most_one(itr) = !(IteratorSize(itr) isa Union{SizeUnknown,IsInfinite}) && length(itr) <= 1
function allequal(itr)
    _has_at_most_one(itr) && return true
    n = iterate(itr)
    n === nothing && return true
    first_one = n[1]
    n = iterate(itr, n[2])
    while n !== nothing
        isequal(first_one, n[1]) || return false
        n = iterate(itr, n[2])
    end
    return true
end
allequal(t::Tuple) = isempty(t) || all(x -> isequal(t[1], x), tail(t))
allequal(f, itr) = allequal(Generator(f, itr))
allequal(s::AbstractSet) = length(s) <= 1
allequal(r::AbstractRange) = iszero(step(r)) || length(r) <= 1

# ---- unions, intersections and differences: a set gives a set, anything else a vector

_set_eltype(s) = eltype(s)
_set_eltype(s, sets...) = promote_type(eltype(s), _set_eltype(sets...))
_empty_set(s::AbstractSet, ::Type{T}) where {T} = empty(s, T)

union() = Set()
union(s::AbstractSet) = copy(s)
union(s::AbstractSet, sets...) = union!(_empty_set(s, _set_eltype(s, sets...)), s, sets...)
union(s, sets...) = _union(_set_eltype(s, sets...), s, sets...)
function union!(s::AbstractSet, sets...)
    for itr in sets
        for x in itr
            push!(s, x)
        end
    end
    return s
end
union!(v::AbstractVector, sets...) = _replace_all!(v, _union(eltype(v), v, sets...))
_replace_all!(v::Union{Vector,BitVector}, found) = _take_contents!(v, found)
function _replace_all!(v, found)
    resize!(v, length(found))
    return copyto!(v, found)
end

intersect(s::AbstractSet) = copy(s)
intersect(s::AbstractSet, itr, itrs...) = intersect(_intersect_two(s, itr), itrs...)
function _intersect_two(s::AbstractSet, itr)
    out = _empty_set(s, promote_type(eltype(s), eltype(itr)))
    for x in itr
        x in s && push!(out, x)
    end
    return out
end
intersect(s) = _unique(identity, s, eltype(s))
intersect(s, itr, itrs...) = intersect(_select(promote_type(eltype(s), eltype(itr)), s, itr, true), itrs...)
intersect(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer}) =
    max(first(r), first(s)):min(last(r), last(s))
intersect(r::AbstractRange, v::AbstractVector) = intersect(v, r)
intersect(r::AbstractRange, s::AbstractRange) = _select(promote_type(eltype(r), eltype(s)), r, s, true)
intersect!(s::AbstractSet, itrs...) = _refill!(s, intersect(s, itrs...))
intersect!(v::AbstractVector, itrs...) = _replace_all!(v, intersect(v, itrs...))
function _refill!(s, found)
    kept = collect(found)
    empty!(s)
    for x in kept
        push!(s, x)
    end
    return s
end

setdiff(s::AbstractSet, itrs...) = setdiff!(copy(s), itrs...)
function setdiff!(s::AbstractSet, itrs...)
    for itr in itrs
        for x in itr
            delete!(s, x)
        end
    end
    return s
end
setdiff(s) = _unique(identity, s, eltype(s))
setdiff(s, itr, itrs...) = setdiff(_select(eltype(s), s, itr, false), itrs...)
setdiff!(v::AbstractVector, itrs...) = _replace_all!(v, setdiff(v, itrs...))

symdiff(s::AbstractSet) = copy(s)
symdiff(s::AbstractSet, itrs...) = symdiff!(union!(_empty_set(s, _set_eltype(s, itrs...)), s), itrs...)
function symdiff!(s::AbstractSet, itrs...)
    for itr in itrs
        for x in collect(unique(itr))
            x in s ? delete!(s, x) : push!(s, x)
        end
    end
    return s
end
symdiff(s) = _unique(identity, s, eltype(s))
symdiff(s, itr, itrs...) = _symdiff(_set_eltype(s, itr, itrs...), s, itr, itrs...)
symdiff!(v::AbstractVector, itrs...) = _replace_all!(v, symdiff(v, itrs...))

const ∪ = union
const ∩ = intersect

# ---- comparisons

issubset(a, b) = all(in(_searchable(b)), a)
issubset(a::AbstractSet, b::AbstractSet) = length(a) <= length(b) && all(in(b), a)
issubset(a::AbstractUnitRange{<:Integer}, b::AbstractUnitRange{<:Integer}) = isempty(a) || (first(a) >= first(b) && last(a) <= last(b))
_searchable(b) = hasfastin(b) ? b : Set(b)
issubset(b) = Fix2(issubset, b)
const ⊆ = issubset
⊇(a, b) = b ⊆ a
⊇(b) = Fix2(⊇, b)
⊈(a, b) = !(a ⊆ b)
⊉(a, b) = !(b ⊆ a)
⊊(a, b) = issubset(a, b) && length(_searchable(a)) < length(_searchable(b))
⊋(a, b) = b ⊊ a
isdisjoint(a, b) = !any(in(_searchable(b)), a)
isdisjoint(b) = Fix2(isdisjoint, b)
issetequal(a, b) = issubset(a, b) && issubset(b, a)
issetequal(a::AbstractSet, b::AbstractSet) = a == b
issetequal(b) = Fix2(issetequal, b)
