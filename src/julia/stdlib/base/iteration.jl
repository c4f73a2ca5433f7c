# The iteration protocol: traits, the builtin containers, collecting.

IteratorSize(x) = IteratorSize(typeof(x))
IteratorSize(::Type) = HasLength()
IteratorSize(::Type{Any}) = SizeUnknown()
IteratorSize(::Type{<:Tuple}) = HasLength()
IteratorSize(::Type{<:AbstractArray{<:Any,N}}) where {N} = HasShape{N}()
IteratorSize(::Type{<:Union{Number,AbstractChar}}) = HasShape{0}()
IteratorSize(::Type{<:Generator{I}}) where {I} = IteratorSize(I)
haslength(itr) = IteratorSize(itr) isa Union{HasLength,HasShape}
IteratorEltype(x) = IteratorEltype(typeof(x))
IteratorEltype(::Type) = HasEltype()
IteratorEltype(::Type{Any}) = EltypeUnknown()
IteratorEltype(::Type{<:Generator}) = EltypeUnknown()

iterate(A::Array) = _array_iterate(A)
iterate(A::Array, i::Int) = _array_iterate(A, i)
iterate(A::BitArray) = _array_iterate(A)
iterate(A::BitArray, i::Int) = _array_iterate(A, i)
iterate(A::AbstractArray) = iterate(A, (eachindex(A),))
function iterate(A::AbstractArray, state)
    next = iterate(state...)
    next === nothing && return nothing
    return (A[next[1]], (state[1], next[2]))
end
isdone(itr, state...) = missing

indexed_iterate(t::Tuple, i::Int, state=1) = (t[i], i + 1)
indexed_iterate(A::Array, i::Int, state=1) = (A[i], i + 1)
indexed_iterate(p::Pair, i::Int, state=1) = (p[i], i + 1)
function indexed_iterate(itr, i::Int, state...)
    next = iterate(itr, state...)
    next === nothing && throw(BoundsError(itr, i))
    return next
end
rest(t::Tuple, i::Int=1) = _tuple_select(t, i:length(t))
rest(A::Array, i::Int=1) = A[i:end]
rest(itr, state...) = collect_rest(itr, state...)
function collect_rest(itr, state...)
    out = eltype(itr)[]
    next = iterate(itr, state...)
    while next !== nothing
        push!(out, next[1])
        next = iterate(itr, next[2])
    end
    return out
end
split_rest(t::Tuple, n::Int, i=1) = (_tuple_select(t, i:length(t)-n), _tuple_select(t, length(t)-n+1:length(t)))
split_rest(A::Array, n::Int, i=1) = (A[i:end-n], A[end-n+1:end])
function split_rest(itr, n::Int, state...)
    all = collect_rest(itr, state...)
    length(all) < n && throw(BoundsError(itr, n))
    return (all[1:end-n], all[end-n+1:end])
end

# ---- generators

(::Type{Generator})(f, iter) = _new(Generator{typeof(iter),typeof(f)}, f, iter)
(::Type{Generator})(f, first_iter, second_iter, iters...) = Generator(x -> f(x...), zip(first_iter, second_iter, iters...))
(::Type{Generator})(T::Type, iter) = _new(Generator{typeof(iter),Type{T}}, T, iter)
function iterate(g::Generator, state...)
    next = iterate(g.iter, state...)
    next === nothing && return nothing
    return (g.f(next[1]), next[2])
end
length(g::Generator) = length(g.iter)
size(g::Generator) = size(g.iter)
size(g::Generator, d) = size(g.iter, d)
axes(g::Generator) = axes(g.iter)
ndims(g::Generator) = ndims(g.iter)
keys(g::Generator) = keys(g.iter)
isempty(g::Generator) = isempty(g.iter)
last(g::Generator) = g.f(last(g.iter))

# ---- collect

# The extents of what is collected; nothing: a vector of as many elements as come.
shape_of(itr) = shape_of(IteratorSize(itr), itr)
shape_of(::HasShape, itr) = size(itr)
shape_of(::HasLength, itr) = nothing
shape_of(::SizeUnknown, itr) = nothing
shape_of(::IsInfinite, itr) = throw(MethodError(collect, (itr,)))
function generator_shape(itr)
    known = _builtin_shape(itr)
    return known === nothing ? shape_of(itr) : known
end
empty_eltype(itr) = IteratorEltype(itr) isa HasEltype ? eltype(itr) : Any
empty_eltype(g::Generator) = g.f === identity ? empty_eltype(g.iter) : g.f isa Type && isconcretetype(g.f) ? g.f : Any

collect(A::Array) = _array_copy(A)
collect(A::BitArray) = copyto!(_array_new(Bool, size(A)), A)
collect(r::MachineRange) = _range_collect(r)
collect(S::SubArray{<:Any,<:Any,<:Array}) = copy_if_same(S, _dense(S))
copy_if_same(S, A) = A
collect(A::AbstractArray{T}) where {T} = copyto!(_array_new(T, size(A)), A)
collect(g::Generator) = _collect_mapped(g.f, g.iter, generator_shape(g.iter), empty_eltype(g))
collect(itr) = collect_any(IteratorEltype(itr), itr)
collect_any(::HasEltype, itr) = _collect_typed(eltype(itr), nothing, itr, shape_of(itr))
collect_any(::EltypeUnknown, itr) = _collect_mapped(nothing, itr, shape_of(itr), Any)
collect(t::Tuple) = isempty(t) ? _array_new(Union{}, 0) : _collect_typed(eltype(t), nothing, t, nothing)
collect(x::Number) = fill(x)
collect(::Type{T}, itr) where {T} = _collect_typed(T, nothing, itr, shape_of(itr))
collect(::Type{T}, g::Generator) where {T} = _collect_typed(T, g.f, g.iter, generator_shape(g.iter))
collect(::Type{T}, A::AbstractArray) where {T} = copyto!(_array_new(T, size(A)), A)

(::Type{Vector})(itr) = collect(itr)
(::Type{Vector{T}})(itr) where {T} = collect(T, itr)
(::Type{Array})(itr) = collect(itr)
(::Type{Array{T}})(itr) where {T} = collect(T, itr)
map_to_array(f, itr) = _collect_mapped(f, itr, generator_shape(itr), Any)

# ---- first, last, only of anything that iterates

function first(itr)
    next = iterate(itr)
    next === nothing && throw(ArgumentError("collection must be non-empty"))
    return next[1]
end
first(A::AbstractArray) = isempty(A) ? throw_first_of_empty(A) : A[first(eachindex(A))]
throw_first_of_empty(A) = throw(BoundsError(A, (1,)))
first(A::Array) = _array_get(A, 1)
last(A::AbstractArray) = A[last(eachindex(A))]
last(A::Array) = _array_get(A, _array_length(A))
last(itr) = itr[end]
function first(itr, n::Integer)
    n < 0 && throw(ArgumentError("Number of elements must be non-negative"))
    out = eltype(itr)[]
    n == 0 && return out
    for x in itr
        push!(out, x)
        length(out) == n && break
    end
    return out
end
function first(A::AbstractVector, n::Integer)
    n < 0 && throw(ArgumentError("Number of elements must be non-negative"))
    return A[1:min(n, checked_count(A))]
end
function last(A::AbstractVector, n::Integer)
    n < 0 && throw(ArgumentError("Number of elements must be non-negative"))
    return A[max(1, checked_count(A) - n + 1):end]
end
checked_count(A) = length(A)
checked_count(r::UnitRange{Int}) = isempty(r) ? 0 : Base.checked_add(Base.checked_sub(r.stop, r.start), 1)
last(itr, n::Integer) = last(collect(itr), n)
function only(itr)
    next = iterate(itr)
    next === nothing && throw(ArgumentError("Collection is empty, must contain exactly 1 element"))
    iterate(itr, next[2]) === nothing || throw(ArgumentError("Collection has multiple elements, must contain exactly 1 element"))
    return next[1]
end
first(g::Generator) = g.f(first(g.iter))

export iterate, collect
