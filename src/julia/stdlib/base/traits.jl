# Types that say how arrays are indexed and how things iterate.

struct UndefInitializer end
const undef = UndefInitializer()
const (:) = _new(Colon)
const nothing = _new(Nothing)
const Dims{N} = NTuple{N,Int}
const Callable = Union{Function,Type}

abstract type IndexStyle end
struct IndexLinear <: IndexStyle end
struct IndexCartesian <: IndexStyle end

abstract type IteratorSize end
struct SizeUnknown <: IteratorSize end
struct HasLength <: IteratorSize end
struct HasShape{N} <: IteratorSize end
struct IsInfinite <: IteratorSize end
abstract type IteratorEltype end
struct EltypeUnknown <: IteratorEltype end
struct HasEltype <: IteratorEltype end

export :, nothing, Callable
export IndexStyle, IndexLinear, IndexCartesian, Dims, undef, UndefInitializer

# A value that may be absent, as compiled code holds what is `nothing` on some ways and a T on others.
struct _Maybe{T}
    found::Bool
    value::T
end
