# An iterator that remembers how far it is.

mutable struct Stateful{T,VS}
    itr::T
    next::VS
    Stateful{T,VS}(itr::T) where {T,VS} = new{T,VS}(itr, iterate(itr))
end
Stateful(itr::T) where {T} = Stateful{T,Any}(itr)
function reset!(s::Stateful{T}, itr::T = s.itr) where {T}
    s.itr = itr
    s.next = iterate(itr)
    return s
end
isempty(s::Stateful) = s.next === nothing
isdone(s::Stateful, state = nothing) = s.next === nothing
function popfirst!(s::Stateful)
    s.next === nothing && throw(EOFError())
    value, state = s.next
    s.next = iterate(s.itr, state)
    return value
end
peek(s::Stateful, sentinel = nothing) = s.next === nothing ? sentinel : s.next[1]
iterate(s::Stateful, state = nothing) = s.next === nothing ? nothing : (popfirst!(s), nothing)
eltype(::Type{<:Stateful{T}}) where {T} = eltype(T)
IteratorEltype(::Type{<:Stateful{T}}) where {T} = IteratorEltype(T)
IteratorSize(::Type{<:Stateful{T}}) where {T} = IteratorSize(T) isa IsInfinite ? IsInfinite() : SizeUnknown()
function show(io::IO, s::Stateful)
    print(io, "Base.Iterators.Stateful(")
    show(io, s.itr)
    print(io, ')')
end
nth(itr, n::Integer) = _nth(itr, n)
function _nth(itr, n)
    n >= 1 || throw(ArgumentError("n must be positive."))
    y = iterate(drop(itr, n - 1))
    return y === nothing ? throw(BoundsError(itr, n)) : y[1]
end
_nth(A::AbstractArray, n) = A[begin-1+n]
