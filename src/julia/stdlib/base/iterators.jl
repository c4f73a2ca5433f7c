# Lazy iterators. Those whose names mean something else in Base are called lazy_… here; the module Iterators gives them their names.

export zip, enumerate, only

const _NoState = Nothing

# ---- enumerate

enumerate(itr) = _new(Enumerate{typeof(itr)}, itr)
length(e::Enumerate) = length(e.itr)
size(e::Enumerate) = size(e.itr)
axes(e::Enumerate) = axes(e.itr)
ndims(e::Enumerate) = ndims(e.itr)
eltype(::Type{Enumerate{I}}) where {I} = Tuple{Int,eltype(I)}
IteratorSize(::Type{Enumerate{I}}) where {I} = IteratorSize(I)
IteratorEltype(::Type{Enumerate{I}}) where {I} = IteratorEltype(I)
function iterate(e::Enumerate)
    n = iterate(e.itr)
    n === nothing && return nothing
    return ((1, n[1]), (2, n[2]))
end
function iterate(e::Enumerate, state)
    n = iterate(e.itr, state[2])
    n === nothing && return nothing
    return ((state[1], n[1]), (state[1] + 1, n[2]))
end
last(e::Enumerate) = (length(e.itr), last(e.itr))
keys(e::Enumerate) = keys(e.itr)

# ---- zip

zip(itrs...) = _new(Zip{typeof(itrs)}, itrs)
IteratorSize(::Type{Zip{Is}}) where {Is} = _zip_size(map(IteratorSize, fieldtypes(Is)))
_zip_size(sizes::Tuple{}) = IsInfinite()
_zip_size(sizes::Tuple) = _zip_size(sizes[1], tail(sizes))
_zip_size(a, ::Tuple{}) = a
_zip_size(a, rest::Tuple) = _zip_size(_zip_size_of_two(a, rest[1]), tail(rest))
_zip_size_of_two(::IsInfinite, ::IsInfinite) = IsInfinite()
_zip_size_of_two(a, ::IsInfinite) = a isa HasShape ? HasLength() : a
_zip_size_of_two(::IsInfinite, b) = b isa HasShape ? HasLength() : b
_zip_size_of_two(a::HasShape, b::HasShape) = a === b ? a : HasLength()
_zip_size_of_two(::SizeUnknown, b) = SizeUnknown()
_zip_size_of_two(a, ::SizeUnknown) = SizeUnknown()
_zip_size_of_two(::SizeUnknown, ::SizeUnknown) = SizeUnknown()
_zip_size_of_two(::SizeUnknown, ::IsInfinite) = SizeUnknown()
_zip_size_of_two(::IsInfinite, ::SizeUnknown) = SizeUnknown()
_zip_size_of_two(a, b) = HasLength()
IteratorEltype(::Type{Zip{Is}}) where {Is} =
    all(t -> IteratorEltype(t) isa HasEltype, fieldtypes(Is)) ? HasEltype() : EltypeUnknown()
eltype(::Type{Zip{Is}}) where {Is} = Tuple{map(eltype, fieldtypes(Is))...}
function length(z::Zip)
    n = -1
    for itr in z.is
        IteratorSize(itr) isa IsInfinite && continue
        m = length(itr)
        n = n < 0 ? m : min(n, m)
    end
    n < 0 && throw(ArgumentError("iterator is of undefined length"))
    return n
end
function size(z::Zip)
    sizes = map(size, filter(itr -> !(IteratorSize(itr) isa IsInfinite), z.is))
    return _shortest_sizes(sizes[1], tail(sizes))
end
_shortest_sizes(a, ::Tuple{}) = a
function _shortest_sizes(a, rest::Tuple)
    b = rest[1]
    length(a) == length(b) || throw(DimensionMismatch("dimensions must match: a has dims $a, b has dims $b"))
    length(a) == 1 && return _shortest_sizes((min(a[1], b[1]),), tail(rest))
    a == b || throw(DimensionMismatch("dimensions must match: a has dims $(map(OneTo, a)), b has dims $(map(OneTo, b))"))
    return _shortest_sizes(a, tail(rest))
end
axes(z::Zip) = map(OneTo, size(z))
ndims(z::Zip) = ndims(z.is[1])
iterate(z::Zip{Tuple{}}) = ((), ())
iterate(z::Zip{Tuple{}}, state) = ((), ())
function iterate(z::Zip{<:Tuple{Any}})
    n = iterate(z.is[1])
    n === nothing && return nothing
    return ((n[1],), n[2])
end
function iterate(z::Zip{<:Tuple{Any}}, state)
    n = iterate(z.is[1], state)
    n === nothing && return nothing
    return ((n[1],), n[2])
end
function iterate(z::Zip{<:Tuple{Any,Any}})
    a = iterate(z.is[1])
    a === nothing && return nothing
    b = iterate(z.is[2])
    b === nothing && return nothing
    return ((a[1], b[1]), (a[2], b[2]))
end
function iterate(z::Zip{<:Tuple{Any,Any}}, state)
    a = iterate(z.is[1], state[1])
    a === nothing && return nothing
    b = iterate(z.is[2], state[2])
    b === nothing && return nothing
    return ((a[1], b[1]), (a[2], b[2]))
end
iterate(z::Zip) = _zip_next(z.is, (), ())
function _zip_next(itrs::Tuple, values, states)
    isempty(itrs) && return (values, states)
    n = iterate(itrs[1])
    n === nothing && return nothing
    return _zip_next(tail(itrs), (values..., n[1]), (states..., n[2]))
end
iterate(z::Zip, state) = _zip_next(z.is, state, (), ())
function _zip_next(itrs::Tuple, old, values, states)
    isempty(itrs) && return (values, states)
    n = iterate(itrs[1], old[1])
    n === nothing && return nothing
    return _zip_next(tail(itrs), tail(old), (values..., n[1]), (states..., n[2]))
end
last(z::Zip) = map(last, z.is)
keys(z::Zip) = OneTo(length(z))
lazy_reverse(z::Zip) = _new(Zip{typeof(map(lazy_reverse, z.is))}, map(lazy_reverse, z.is))

# ---- a function of each element, and those that pass a test

lazy_map(f, itr) = Generator(f, itr)
lazy_map(f, itr, itrs...) = Generator(f, itr, itrs...)

lazy_filter(f, itr) = _new(Filter{_Typeof(f),typeof(itr)}, f, itr)
Filter(f, itr) = lazy_filter(f, itr)
IteratorSize(::Type{<:Filter}) = SizeUnknown()
IteratorEltype(::Type{Filter{F,I}}) where {F,I} = IteratorEltype(I)
eltype(::Type{Filter{F,I}}) where {F,I} = eltype(I)
function iterate(f::Filter)
    n = iterate(f.itr)
    while n !== nothing
        f.flt(n[1]) && return n
        n = iterate(f.itr, n[2])
    end
    return nothing
end
function iterate(f::Filter, state)
    n = iterate(f.itr, state)
    while n !== nothing
        f.flt(n[1]) && return n
        n = iterate(f.itr, n[2])
    end
    return nothing
end
lazy_reverse(f::Filter) = lazy_filter(f.flt, lazy_reverse(f.itr))
pairs(f::Filter) = lazy_filter(p -> f.flt(p[2]), pairs(f.itr))
keys(f::Filter) = (p[1] for p in pairs(f))
last(f::Filter) = first(lazy_reverse(f))

# ---- running reductions

struct _AccumulateState{T,S}
    value::T
    state::S
end
lazy_accumulate(f, itr; init=_InitialValue()) = _new(Accumulate{_Typeof(f),typeof(itr),typeof(init)}, f, itr, init)
length(a::Accumulate) = length(a.itr)
size(a::Accumulate) = size(a.itr)
axes(a::Accumulate) = axes(a.itr)
ndims(a::Accumulate) = ndims(a.itr)
IteratorSize(::Type{Accumulate{F,I,T}}) where {F,I,T} = IteratorSize(I)
IteratorEltype(::Type{<:Accumulate}) = EltypeUnknown()
function iterate(a::Accumulate)
    n = iterate(a.itr)
    n === nothing && return nothing
    v = a.init isa _InitialValue ? reduce_first(a.f, n[1]) : a.f(a.init, n[1])
    return (v, _AccumulateState(v, n[2]))
end
function iterate(a::Accumulate, s)
    n = iterate(a.itr, s.state)
    n === nothing && return nothing
    v = a.f(s.value, n[1])
    return (v, _AccumulateState(v, n[2]))
end

# ---- backwards

lazy_reverse(itr) = _new(Reverse{typeof(itr)}, itr)
lazy_reverse(r::Reverse) = r.itr
lazy_reverse(r::AbstractRange) = reverse(r)
lazy_reverse(t::Tuple) = reverse(t)
lazy_reverse(t::NamedTuple) = _new(Reverse{typeof(t)}, t)
lazy_reverse(g::Generator) = Generator(g.f, lazy_reverse(g.iter))
length(r::Reverse) = length(r.itr)
size(r::Reverse) = size(r.itr)
axes(r::Reverse) = axes(r.itr)
ndims(r::Reverse) = ndims(r.itr)
IteratorSize(::Type{Reverse{T}}) where {T} = IteratorSize(T)
IteratorEltype(::Type{Reverse{T}}) where {T} = IteratorEltype(T)
eltype(::Type{Reverse{T}}) where {T} = eltype(T)
first(r::Reverse) = last(r.itr)
last(r::Reverse) = first(r.itr)
iterate(r::Reverse{<:AbstractArray}) = iterate(r, length(r.itr))
iterate(r::Reverse{<:AbstractArray}, i) = i < 1 ? nothing : (r.itr[i], i - 1)
iterate(r::Reverse{<:AbstractString}) = iterate(r, ncodeunits(r.itr) + 1)
function iterate(r::Reverse{<:AbstractString}, i)
    i <= 1 && return nothing
    j = prevind(r.itr, i)
    return (r.itr[j], j)
end
iterate(r::Reverse{<:NamedTuple}) = iterate(r, length(r.itr))
iterate(r::Reverse{<:NamedTuple}, i) = i < 1 ? nothing : (r.itr[i], i - 1)
function iterate(r::Reverse{<:Enumerate})
    n = length(r.itr)
    return _reverse_enumerate(n, iterate(lazy_reverse(r.itr.itr)))
end
iterate(r::Reverse{<:Enumerate}, s) = _reverse_enumerate(s[1], iterate(lazy_reverse(r.itr.itr), s[2]))
_reverse_enumerate(n, ::Nothing) = nothing
_reverse_enumerate(n, next) = ((n, next[1]), (n - 1, next[2]))
iterate(r::Reverse{<:Pairs}) = _reverse_pairs(r.itr, iterate(lazy_reverse(r.itr.itr)))
iterate(r::Reverse{<:Pairs}, s) = _reverse_pairs(r.itr, iterate(lazy_reverse(r.itr.itr), s))
_reverse_pairs(p, ::Nothing) = nothing
_reverse_pairs(p, next) = (next[1] => p.data[next[1]], next[2])

# ---- the first ones, and all but the first ones

take(itr, n::Integer) = _take(itr, Int(n))
function _take(itr, n::Int)
    n < 0 && throw(ArgumentError("Take length must be non-negative"))
    return _new(Take{typeof(itr)}, itr, n)
end
_take(t::Take, n::Int) = _take(t.xs, min(n, t.n))
IteratorSize(::Type{Take{I}}) where {I} = _take_size(IteratorSize(I))
_take_size(::SizeUnknown) = SizeUnknown()
_take_size(::IteratorSize) = HasLength()
IteratorEltype(::Type{Take{I}}) where {I} = IteratorEltype(I)
eltype(::Type{Take{I}}) where {I} = eltype(I)
length(t::Take) = _take_length(t.xs, t.n, IteratorSize(t.xs))
_take_length(xs, n, ::IsInfinite) = n
_take_length(xs, n, ::IteratorSize) = min(n, length(xs))
iterate(t::Take) = t.n <= 0 ? nothing : _take_next(iterate(t.xs), t.n - 1)
iterate(t::Take, s) = s[1] <= 0 ? nothing : _take_next(iterate(t.xs, s[2]), s[1] - 1)
_take_next(::Nothing, n) = nothing
_take_next(next, n) = (next[1], (n, next[2]))

drop(itr, n::Integer) = _drop(itr, Int(n))
function _drop(itr, n::Int)
    n < 0 && throw(ArgumentError("Drop length must be non-negative"))
    return _new(Drop{typeof(itr)}, itr, n)
end
IteratorSize(::Type{Drop{I}}) where {I} = _drop_size(IteratorSize(I))
_drop_size(::HasShape) = HasLength()
_drop_size(s::IteratorSize) = s
IteratorEltype(::Type{Drop{I}}) where {I} = IteratorEltype(I)
eltype(::Type{Drop{I}}) where {I} = eltype(I)
length(d::Drop) = max(0, length(d.xs) - d.n)
function iterate(d::Drop)
    n = iterate(d.xs)
    for i in 1:d.n
        n === nothing && return nothing
        n = iterate(d.xs, n[2])
    end
    return n
end
iterate(d::Drop, state) = iterate(d.xs, state)

struct TakeWhile{I,P<:Function}
    pred::P
    xs::I
end
takewhile(pred, xs) = TakeWhile(pred, xs)
IteratorSize(::Type{<:TakeWhile}) = SizeUnknown()
IteratorEltype(::Type{TakeWhile{I,P}}) where {I,P} = IteratorEltype(I)
eltype(::Type{TakeWhile{I,P}}) where {I,P} = eltype(I)
iterate(t::TakeWhile) = _take_while(t, iterate(t.xs))
iterate(t::TakeWhile, state) = _take_while(t, iterate(t.xs, state))
_take_while(t, ::Nothing) = nothing
_take_while(t, next) = t.pred(next[1]) ? next : nothing

struct DropWhile{I,P<:Function}
    pred::P
    xs::I
end
dropwhile(pred, xs) = DropWhile(pred, xs)
IteratorSize(::Type{<:DropWhile}) = SizeUnknown()
IteratorEltype(::Type{DropWhile{I,P}}) where {I,P} = IteratorEltype(I)
eltype(::Type{DropWhile{I,P}}) where {I,P} = eltype(I)
function iterate(d::DropWhile)
    n = iterate(d.xs)
    while n !== nothing && d.pred(n[1])
        n = iterate(d.xs, n[2])
    end
    return n
end
iterate(d::DropWhile, state) = iterate(d.xs, state)

struct Rest{I,S}
    itr::I
    st::S
end
lazy_rest(itr, state) = Rest(itr, state)
lazy_rest(itr) = itr
lazy_rest(r::Rest, state) = Rest(r.itr, state)
iterate(r::Rest) = iterate(r.itr, r.st)
iterate(r::Rest, state) = iterate(r.itr, state)
IteratorSize(::Type{<:Rest{I}}) where {I} = IteratorSize(I) isa IsInfinite ? IsInfinite() : SizeUnknown()
IteratorEltype(::Type{<:Rest{I}}) where {I} = IteratorEltype(I)
eltype(::Type{<:Rest{I}}) where {I} = eltype(I)
isdone(itr, state...) = iterate(itr, state...) === nothing
function peel(itr)
    n = iterate(itr)
    n === nothing && return nothing
    return (n[1], lazy_rest(itr, n[2]))
end

# ---- without end

struct Count{T,S}
    start::T
    step::S
end
countfrom(start::T, step::S) where {T,S} = Count{typeof(start + step),S}(start, step)
countfrom(start::Number=1) = Count(start, one(start))
eltype(::Type{<:Count{T}}) where {T} = T
IteratorSize(::Type{<:Count}) = IsInfinite()
IteratorEltype(::Type{<:Count}) = HasEltype()
iterate(c::Count) = (c.start, c.start + c.step)
iterate(c::Count, state) = (state, state + c.step)

struct Repeated{O}
    x::O
end
repeated(x) = Repeated(x)
repeated(x, n::Integer) = take(Repeated(x), n)
eltype(::Type{Repeated{O}}) where {O} = O
IteratorSize(::Type{<:Repeated}) = IsInfinite()
IteratorEltype(::Type{<:Repeated}) = HasEltype()
iterate(r::Repeated) = (r.x, nothing)
iterate(r::Repeated, state) = (r.x, nothing)

cycle(xs) = _new(Cycle{typeof(xs)}, xs)
cycle(xs, n::Integer) = flatten(repeated(xs, n))
eltype(::Type{Cycle{I}}) where {I} = eltype(I)
IteratorEltype(::Type{Cycle{I}}) where {I} = IteratorEltype(I)
IteratorSize(::Type{<:Cycle}) = IsInfinite()
iterate(c::Cycle) = iterate(c.xs)
function iterate(c::Cycle, state)
    n = iterate(c.xs, state)
    return n === nothing ? iterate(c.xs) : n
end

# ---- one iterator out of many

flatten(itr) = _new(Flatten{typeof(itr)}, itr)
Flatten(itr) = flatten(itr)
flatmap(f, c...) = flatten(lazy_map(f, c...))
eltype(::Type{Flatten{I}}) where {I} = eltype(eltype(I))
eltype(::Type{Flatten{I}}) where {I<:Tuple} = promote_typejoin(map(eltype, fieldtypes(I))...)
eltype(::Type{Flatten{Tuple{}}}) = Union{}
IteratorEltype(::Type{Flatten{I}}) where {I} = _flatten_eltype(IteratorEltype(I), I)
_flatten_eltype(::HasEltype, ::Type{I}) where {I} = IteratorEltype(eltype(I))
_flatten_eltype(::HasEltype, ::Type{I}) where {I<:Tuple} =
    all(t -> IteratorEltype(t) isa HasEltype, fieldtypes(I)) ? HasEltype() : EltypeUnknown()
_flatten_eltype(::EltypeUnknown, ::Type{I}) where {I} = EltypeUnknown()
IteratorSize(::Type{<:Flatten}) = SizeUnknown()
IteratorSize(::Type{Flatten{I}}) where {I<:Tuple} = HasLength()
length(f::Flatten) = sum(length, f.it; init=0)
function iterate(f::Flatten)
    outer = iterate(f.it)
    while outer !== nothing
        inner = iterate(outer[1])
        inner === nothing || return (inner[1], (outer[2], outer[1], inner[2]))
        outer = iterate(f.it, outer[2])
    end
    return nothing
end
function iterate(f::Flatten, state)
    inner = iterate(state[2], state[3])
    inner === nothing || return (inner[1], (state[1], state[2], inner[2]))
    outer = iterate(f.it, state[1])
    while outer !== nothing
        inner = iterate(outer[1])
        inner === nothing || return (inner[1], (outer[2], outer[1], inner[2]))
        outer = iterate(f.it, outer[2])
    end
    return nothing
end
lazy_reverse(f::Flatten) = flatten(lazy_reverse(itr) for itr in lazy_reverse(f.it))
last(f::Flatten) = last(last(f.it))

# ---- all combinations

product(itrs...) = _new(ProductIterator{typeof(itrs)}, itrs)
IteratorSize(::Type{ProductIterator{Tuple{}}}) = HasShape{0}()
IteratorSize(::Type{ProductIterator{T}}) where {T<:Tuple} = _product_size(map(IteratorSize, fieldtypes(T)))
_product_size(sizes::Tuple{}) = HasShape{0}()
function _product_size(sizes::Tuple)
    any(s -> s isa SizeUnknown, sizes) && return SizeUnknown()
    any(s -> s isa IsInfinite, sizes) && return IsInfinite()
    return HasShape{sum(_rank_of_size, sizes)}()
end
_rank_of_size(::HasShape{N}) where {N} = N
_rank_of_size(::HasLength) = 1
IteratorEltype(::Type{ProductIterator{T}}) where {T<:Tuple} =
    all(t -> IteratorEltype(t) isa HasEltype, fieldtypes(T)) ? HasEltype() : EltypeUnknown()
eltype(::Type{ProductIterator{T}}) where {T<:Tuple} = Tuple{map(eltype, fieldtypes(T))...}
size(p::ProductIterator) = _product_sizes(p.iterators)
_product_sizes(::Tuple{}) = ()
_product_sizes(itrs::Tuple) = (_size_of(itrs[1], IteratorSize(itrs[1]))..., _product_sizes(tail(itrs))...)
_size_of(itr, ::HasShape) = size(itr)
_size_of(itr, ::HasLength) = (length(itr),)
_size_of(itr, ::IteratorSize) =
    throw(ArgumentError("Cannot compute size for object of type $(typeof(itr))"))
axes(p::ProductIterator) = map(OneTo, size(p))
ndims(p::ProductIterator) = length(axes(p))
length(p::ProductIterator) = prod(size(p); init=1)
keys(p::ProductIterator) = CartesianIndices(size(p))
function iterate(p::ProductIterator)
    firsts = map(iterate, p.iterators)
    any(isnothing, firsts) && return nothing
    return (map(first, firsts), firsts)
end
function iterate(p::ProductIterator, state)
    next = _product_next(p.iterators, state)
    next === nothing && return nothing
    return (map(first, next), next)
end
_product_next(::Tuple{}, ::Tuple{}) = nothing
function _product_next(itrs::Tuple, state::Tuple)
    n = iterate(itrs[1], state[1][2])
    n === nothing || return (n, tail(state)...)
    rest = _product_next(tail(itrs), tail(state))
    rest === nothing && return nothing
    start = iterate(itrs[1])
    start === nothing && return nothing
    return (start, rest...)
end
lazy_reverse(p::ProductIterator) = product(map(lazy_reverse, p.iterators)...)
last(p::ProductIterator) = map(last, p.iterators)
first(p::ProductIterator) = map(first, p.iterators)

# ---- in parts

function partition(c, n::Integer)
    n < 1 && throw(ArgumentError("cannot create partitions of length $n"))
    return _new(PartitionIterator{typeof(c)}, c, Int(n))
end
eltype(::Type{PartitionIterator{T}}) where {T} = Vector{eltype(T)}
eltype(::Type{PartitionIterator{T}}) where {T<:AbstractRange} = Any
eltype(::Type{PartitionIterator{T}}) where {T<:AbstractUnitRange{Int}} = UnitRange{Int}
IteratorEltype(::Type{<:PartitionIterator{T}}) where {T} = T <: AbstractArray && !(T <: AbstractUnitRange) ? EltypeUnknown() : IteratorEltype(T)
IteratorSize(::Type{PartitionIterator{T}}) where {T} = _partition_size(IteratorSize(T))
_partition_size(::HasShape) = HasLength()
_partition_size(s::IteratorSize) = s
length(p::PartitionIterator) = cld(length(p.c), p.n)
iterate(p::PartitionIterator{<:AbstractRange}, i=1) =
    i > length(p.c) ? nothing : (p.c[i:min(i+p.n-1, length(p.c))], i + p.n)
iterate(p::PartitionIterator{<:AbstractArray}, i=1) =
    i > length(p.c) ? nothing : (view(vec(p.c), i:min(i+p.n-1, length(p.c))), i + p.n)
iterate(p::PartitionIterator) = _partition_next(p, iterate(p.c))
iterate(p::PartitionIterator, state) = state === nothing ? nothing : _partition_next(p, iterate(p.c, state[1]))
function _partition_next(p, next)
    next === nothing && return nothing
    v = Vector{eltype(p.c)}()
    while true
        push!(v, next[1])
        state = next[2]
        length(v) == p.n && return (v, (state,))
        next = iterate(p.c, state)
        next === nothing && return (v, nothing)
    end
end

# ---- the only element

function only(x)
    n = iterate(x)
    n === nothing && throw(ArgumentError("Collection is empty, must contain exactly 1 element"))
    iterate(x, n[2]) === nothing || throw(ArgumentError("Collection has multiple elements, must contain exactly 1 element"))
    return n[1]
end
only(x::Tuple{Any}) = x[1]
only(x::Tuple) = throw(ArgumentError("Tuple contains $(length(x)) elements, must contain exactly 1 element"))
only(x::NamedTuple{names,<:Tuple{Any}}) where {names} = x[1]
only(x::NamedTuple) = throw(ArgumentError("NamedTuple contains $(length(x)) elements, must contain exactly 1 element"))
only(x::AbstractArray{<:Any,0}) = x[]
only(x::Ref) = x[]
only(x::AbstractChar) = x
