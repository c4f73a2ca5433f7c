# Sorting: stable, by isless unless told otherwise.

export sort, sort!, sortperm, sortperm!, sortslices, issorted, partialsort, partialsort!, partialsortperm,
    partialsortperm!, InsertionSort, QuickSort,
    MergeSort, PartialQuickSort

# ---- orders

struct ReverseOrdering{Fwd<:Ordering} <: Ordering
    fwd::Fwd
end
ReverseOrdering(r::ReverseOrdering) = r.fwd
struct By{T,O} <: Ordering
    by::T
    order::O
end
By(by) = By(by, Forward)
struct Lt{T} <: Ordering
    lt::T
end
struct Perm{O<:Ordering,V<:AbstractVector} <: Ordering
    order::O
    data::V
end
const Forward = _new(ForwardOrdering)
const DirectOrdering = Union{ForwardOrdering,ReverseOrdering{ForwardOrdering}}
const BackwardOrdering = ReverseOrdering{ForwardOrdering}
const Backward = ReverseOrdering(Forward)
lt(o::ForwardOrdering, a, b) = isless(a, b)
lt(o::ReverseOrdering, a, b) = lt(o.fwd, b, a)
lt(o::By, a, b) = lt(o.order, o.by(a), o.by(b))
lt(o::Lt, a, b) = o.lt(a, b)
function lt(o::Perm, a, b)
    x, y = o.data[a], o.data[b]
    return lt(o.order, x, y) || (!lt(o.order, y, x) && a < b)
end
reverse(o::Ordering) = ReverseOrdering(o)
ord(lt, by, rev, order::Ordering=Forward) = rev === true ? ReverseOrdering(_order(lt, by, order)) : _order(lt, by, order)
_order(::typeof(isless), ::typeof(identity), order) = order
_order(::typeof(isless), by, order) = By(by, order)
_order(less, ::typeof(identity), order) = Lt(less)
_order(less, by, order) = Lt((x, y) -> less(by(x), by(y)))

struct _Less{O}
    order::O
end
(l::_Less)(a, b) = lt(l.order, a, b)

# How the sorting loop compares: keys, a function, and whether it is turned round.
_sort_parts(less, by, rev, ::ForwardOrdering) = (by, less, rev === true)
_sort_parts(less, by, rev, ::BackwardOrdering) = (by, less, rev !== true)
_sort_parts(less, by, rev, order::Ordering) = (identity, _Less(ord(less, by, rev, order)), false)

# ---- algorithms: names only, all sorting is stable

abstract type Algorithm end
struct InsertionSortAlg <: Algorithm end
struct QuickSortAlg <: Algorithm end
struct MergeSortAlg <: Algorithm end
struct PartialQuickSort{T} <: Algorithm
    k::T
end
struct DefaultStable <: Algorithm end
const InsertionSort = InsertionSortAlg()
const QuickSort = QuickSortAlg()
const MergeSort = MergeSortAlg()
const DEFAULT_STABLE = DefaultStable()
const DEFAULT_UNSTABLE = DefaultStable()
defalg(v) = DEFAULT_STABLE

# ---- vectors

_keys(::typeof(identity), v) = v
_keys(by, v) = map(by, v)
function _permutation(v, alg, less, by, rev, order)
    (key, compare, reversed) = _sort_parts(less, by, rev, order)
    return _sortperm(_keys(key, v), compare, reversed)
end
function _sort_in_order!(v, less, by, rev, order)
    (key, compare, reversed) = _sort_parts(less, by, rev, order)
    key === identity && compare === isless && _sort_numbers!(v, reversed) && return v
    return copyto!(v, v[_sortperm(_keys(key, v), compare, reversed)])
end
sort!(v::AbstractVector; alg=DEFAULT_STABLE, lt=isless, by=identity, rev=nothing, order::Ordering=Forward, scratch=nothing, dims=1) =
    _sort_in_order!(v, lt, by, rev, order)
sort(v::AbstractVector; dims=1, k...) = sort!(copymutable(v); k...)
function sort(r::AbstractRange; k...)
    isempty(k) || return sort!(collect(r); k...)
    return isempty(r) || step(r) >= zero(step(r)) ? r : reverse(r)
end
sort(t::NTuple{N,Any}; k...) where {N} = _sort_tuple(t; k...)
_sort_tuple(::Tuple{}; k...) = ()
function _sort_tuple(t::Tuple; k...)
    allequal(map(typeof, t)) || throw(MethodError(sort, (t,)))
    return Tuple(sort!(collect(t); k...))
end

sortperm(v::AbstractVector; alg=DEFAULT_UNSTABLE, lt=isless, by=identity, rev=nothing, order::Ordering=Forward, scratch=nothing, dims=1) =
    _permutation(v, alg, lt, by, rev, order)
sortperm(t::Tuple; k...) = sortperm(collect(t); k...)
function sortperm!(ix::AbstractArray{T}, A::AbstractArray; initialized=false, k...) where {T<:Integer}
    axes(ix) == axes(A) || throw(ArgumentError("index array must have the same size/axes as the source array, $(axes(ix)) != $(axes(A))"))
    return copyto!(ix, sortperm(A; k...))
end

function issorted(itr; lt=isless, by=identity, rev=nothing, order::Ordering=Forward)
    o = ord(lt, by, rev, order)
    n = iterate(itr)
    n === nothing && return true
    (last_one, state) = n
    n = iterate(itr, state)
    while n !== nothing
        Base.lt(o, n[1], last_one) && return false
        last_one = n[1]
        n = iterate(itr, n[2])
    end
    return true
end

function issorted(v::AbstractVector; lt=isless, by=identity, rev=nothing, order::Ordering=Forward)
    o = ord(lt, by, rev, order)
    for i in firstindex(v)+1:lastindex(v)
        Base.lt(o, v[i], v[i-1]) && return false
    end
    return true
end

partialsort!(v::AbstractVector, k; alg=nothing, order::Ordering=Forward, lt=isless, by=identity, rev=nothing) =
    _part(sort!(v; lt=lt, by=by, rev=rev, order=order), k)
partialsort(v::AbstractVector, k; o...) = partialsort!(copymutable(v), k; o...)
partialsortperm(v::AbstractVector, k; lt=isless, by=identity, rev=nothing, order::Ordering=Forward) =
    _part(sortperm(v; lt=lt, by=by, rev=rev, order=order), k)
function partialsortperm!(ix::AbstractVector{<:Integer}, v::AbstractVector, k; initialized::Bool=false, o...)
    axes(ix) == axes(v) ||
        throw(ArgumentError("The index vector is used as a scratch space and must have the same length/indices as the source vector, $(axes(ix)) != $(axes(v))"))
    copyto!(ix, sortperm(v; o...))
    return _part(ix, k)
end
_part(v, k::Integer) = v[k]
_part(v, k) = view(v, k)

# ---- along a dimension

function sort!(A::AbstractArray; dims::Integer, k...)
    _each_line(A, dims) do line
        copyto!(line, sort(line; k...))
    end
    return A
end
sort(A::AbstractArray; dims::Integer, k...) = sort!(copymutable(A); dims=dims, k...)
function sortperm(A::AbstractArray; dims::Integer, k...)
    places = copymutable(LinearIndices(A))
    _each_line(places, dims) do line
        linear = collect(line)
        copyto!(line, linear[sortperm(A[linear]; k...)])
    end
    return places
end
function _each_line(f, A, dims)
    n = ndims(A)
    1 <= dims <= n || throw(ArgumentError("dimension out of range"))
    for I in CartesianIndices(ntuple(d -> d == dims ? 1 : size(A, d), n))
        f(view(A, ntuple(d -> d == dims ? (:) : I[d], n)...))
    end
end

function sortslices(A::AbstractArray; dims::Union{Integer,Tuple{Vararg{Integer}}}, k...)
    d = dims isa Integer ? dims : only(dims)
    n = ndims(A)
    slices = [A[ntuple(i -> i == d ? j : (:), n)...] for j in 1:size(A, d)]
    order = sortperm(map(vec, slices); _on_slices(slices, k)...)
    return A[ntuple(i -> i == d ? order : (:), n)...]
end
_on_slices(slices, k) = k

module Order
import ..Base
const Ordering = Base.Ordering
const Forward = Base.Forward
const Reverse = Base.Backward
const By = Base.By
const Lt = Base.Lt
const Perm = Base.Perm
const ReverseOrdering = Base.ReverseOrdering
const ForwardOrdering = Base.ForwardOrdering
const DirectOrdering = Base.DirectOrdering
const lt = Base.lt
const ord = Base.ord
export By, Forward, Lt, Ordering, Perm, Reverse, ReverseOrdering, ForwardOrdering, DirectOrdering, lt, ord
end

module Sort
import ..Base
import ..Order
const InsertionSort = Base.InsertionSort
const QuickSort = Base.QuickSort
const MergeSort = Base.MergeSort
const PartialQuickSort = Base.PartialQuickSort
const Algorithm = Base.Algorithm
const DEFAULT_STABLE = Base.DEFAULT_STABLE
const DEFAULT_UNSTABLE = Base.DEFAULT_UNSTABLE
const sort! = Base.sort!
const sort = Base.sort
const defalg = Base.defalg
end
