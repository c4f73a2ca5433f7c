# Broadcasting: what `f.(x, y)` and `x .= …` become.

export broadcast, broadcast!

# ---- styles

abstract type BroadcastStyle end
struct Unknown <: BroadcastStyle end
struct Style{T} <: BroadcastStyle end
const TupleStyle = Style{Tuple}
abstract type AbstractArrayStyle{N} <: BroadcastStyle end
struct ArrayStyle{A} <: AbstractArrayStyle{Any} end
ArrayStyle{A}(::Val) where {A} = ArrayStyle{A}()
struct DefaultArrayStyle{N} <: AbstractArrayStyle{N} end
DefaultArrayStyle(::Val{N}) where {N} = DefaultArrayStyle{N}()
DefaultArrayStyle{M}(::Val{N}) where {N,M} = DefaultArrayStyle{N}()
const DefaultStyles = Union{DefaultArrayStyle,TupleStyle}

BroadcastStyle(::Type) = DefaultArrayStyle{0}()
BroadcastStyle(::Type{<:Tuple}) = TupleStyle()
BroadcastStyle(::Type{<:AbstractArray{T,N}}) where {T,N} = DefaultArrayStyle{N}()
BroadcastStyle(::Type{<:Broadcasted{S}}) where {S} = S()
BroadcastStyle(a::BroadcastStyle, b::BroadcastStyle) = Unknown()
BroadcastStyle(a::BroadcastStyle, ::Unknown) = a
BroadcastStyle(::Unknown, ::Unknown) = Unknown()
BroadcastStyle(a::AbstractArrayStyle{0}, b::TupleStyle) = b
BroadcastStyle(a::AbstractArrayStyle, ::TupleStyle) = a
BroadcastStyle(a::A, b::A) where {A<:ArrayStyle} = a
BroadcastStyle(a::ArrayStyle, b::ArrayStyle) = Unknown()
BroadcastStyle(a::DefaultArrayStyle{M}, b::DefaultArrayStyle{N}) where {M,N} = DefaultArrayStyle{max(M, N)}()
BroadcastStyle(a::AbstractArrayStyle{Any}, b::DefaultArrayStyle) = a
BroadcastStyle(a::AbstractArrayStyle{N}, b::DefaultArrayStyle{N}) where {N} = a
BroadcastStyle(a::AbstractArrayStyle{M}, b::DefaultArrayStyle{N}) where {M,N} = typeof(a)(Val(max(M, N)))

combine_styles() = DefaultArrayStyle{0}()
combine_styles(x) = result_style(BroadcastStyle(typeof(x)))
combine_styles(x, y) = result_style(combine_styles(x), combine_styles(y))
combine_styles(x, ys...) = result_style(combine_styles(x), combine_styles(ys...))
result_style(s::BroadcastStyle) = s
result_style(a::S, b::S) where {S<:BroadcastStyle} = a
result_style(a::BroadcastStyle, b::BroadcastStyle) = _style_of_both(a, b, BroadcastStyle(a, b), BroadcastStyle(b, a))
_style_of_both(a, b, ::Unknown, ::Unknown) = Unknown()
_style_of_both(a, b, ::Unknown, s::BroadcastStyle) = s
_style_of_both(a, b, s::BroadcastStyle, ::Unknown) = s
_style_of_both(a, b, s::S, t::S) where {S<:BroadcastStyle} = s
_style_of_both(a, b, s::BroadcastStyle, t::BroadcastStyle) =
    error("conflicting broadcast rules defined\n  Broadcast.BroadcastStyle(::$(typeof(a)), ::$(typeof(b))) = $s\n" *
          "  Broadcast.BroadcastStyle(::$(typeof(b)), ::$(typeof(a))) = $t\nOne of these should be undefined (and thus return Broadcast.Unknown).")

# ---- arguments

broadcastable(x::Union{Symbol,AbstractString,Function,UndefInitializer,Nothing,RoundingMode,Missing,Val,Pair,Regex,IO}) = Ref(x)
broadcastable(x::Ptr) = Ref(x)
broadcastable(::Type{T}) where {T} = Ref{Type{T}}(T)
broadcastable(x::Union{AbstractArray,Number,AbstractChar,Ref,Tuple,Broadcasted}) = x
broadcastable(x::CartesianIndex) = Ref(x)
broadcastable(::Union{AbstractDict,NamedTuple}) =
    throw(ArgumentError("broadcasting over dictionaries and `NamedTuple`s is reserved"))
broadcastable(x) = collect(x)

# ---- calls

broadcasted(f, arguments...) = _broadcasted(f, arguments...)
broadcasted(style::BroadcastStyle, f, arguments...) = _broadcasted_plain(style, f, arguments...)
_broadcasted_by_style(f, arguments...) = broadcasted(combine_styles(arguments...), f, arguments...)
_broadcasted_ranges(f, arguments...) = broadcasted(DefaultArrayStyle{1}(), f, arguments...)
Broadcasted(style::BroadcastStyle, f, arguments::Tuple, axes=nothing) = _broadcasted_plain(style, f, arguments...)
Broadcasted(f, arguments::Tuple, axes=nothing) = _broadcasted_plain(combine_styles(arguments...), f, arguments...)
Broadcasted{S}(f, arguments::Tuple, axes=nothing) where {S} = _broadcasted_plain(S(), f, arguments...)
instantiate(x) = x

struct KeywordCall{F,K} <: Function
    f::F
    keywords::K
end
(c::KeywordCall)(arguments...) = c.f(arguments...; c.keywords...)
broadcasted_kwsyntax(keywords, f, arguments...) = broadcasted(KeywordCall(f, keywords), arguments...)

andand(a, b) = a && b
oror(a, b) = a || b

broadcast(f, arguments...) = materialize(broadcasted(f, arguments...))
broadcast(f, x::Number, ys::Number...) = f(x, ys...)
broadcast!(f, destination, arguments...) = materialize!(destination, broadcasted(f, arguments...))

struct BroadcastFunction{F} <: Function
    f::F
end
(b::BroadcastFunction)(x...; k...) = materialize(broadcasted_kwsyntax(values(k), b.f, x...))
(b::BroadcastFunction)(x...) = broadcast(b.f, x...)
show(io::IO, b::BroadcastFunction) = print(io, "Base.Broadcast.BroadcastFunction(", b.f, ")")

# ---- results

materialize(x) = x
materialize(bc::Broadcasted{<:DefaultStyles}) = _materialize(bc)
materialize(bc::Broadcasted) = copy(bc)
copy(bc::Broadcasted{<:DefaultStyles}) = _materialize(bc)
function copy(bc::Broadcasted)
    found = _materialize(bc)
    found isa AbstractArray || return found
    destination = similar(bc, eltype(found))
    return destination isa StoredArray ? found : copyto!(destination, bc)
end
similar(bc::Broadcasted, ::Type{T}) where {T} = similar(Array{T}, axes(bc))
similar(bc::Broadcasted, ::Type{T}, shape) where {T} = similar(Array{T}, shape)

materialize!(destination, x) = _materialize_into!(destination, _broadcasted_plain(DefaultArrayStyle{0}(), identity, broadcastable(x)))
materialize!(destination::StoredArray, bc::Broadcasted{<:DefaultStyles}) = _materialize_into!(destination, bc)
materialize!(destination, bc::Broadcasted) = copyto!(destination, bc)
copyto!(destination::AbstractArray, bc::Broadcasted) = _materialize_into!(destination, bc)

# An array without dimensions stays one.
function broadcast_preserving_zero_d(f, arguments...)
    found = broadcast(f, arguments...)
    return found isa AbstractArray || !any(a -> a isa AbstractArray, arguments) ? found : fill(found)
end

dotview(A, I...) = A[I...]
dotview(A::AbstractArray, I...) = view(A, I...)
dotview(A::AbstractArray, I::Number...) = A[I...]
dotgetproperty(x, name) = getproperty(x, name)

# ---- a Broadcasted by itself

size(bc::Broadcasted) = _broadcast_size(bc)
axes(bc::Broadcasted) = map(OneTo, _broadcast_size(bc))
axes(bc::Broadcasted, d::Integer) = d <= ndims(bc) ? axes(bc)[d] : OneTo(1)
length(bc::Broadcasted) = prod(size(bc); init=1)
ndims(bc::Broadcasted) = length(size(bc))
eltype(bc::Broadcasted) = eltype(_materialize(bc))
eachindex(bc::Broadcasted) = ndims(bc) == 1 ? axes(bc)[1] : CartesianIndices(axes(bc))
keys(bc::Broadcasted) = eachindex(bc)
getindex(bc::Broadcasted, I::Int...) = _broadcast_at(bc, I...)
getindex(bc::Broadcasted, I::CartesianIndex) = _broadcast_at(bc, Tuple(I)...)
IteratorSize(::Type{<:Broadcasted}) = SizeUnknown()
IteratorEltype(::Type{<:Broadcasted}) = EltypeUnknown()
iterate(bc::Broadcasted, i=1) = i > length(bc) ? nothing : (_broadcast_at(bc, i), i + 1)
collect(bc::Broadcasted) = _materialize(bc)
mapreduce(f, op, bc::Broadcasted; k...) = mapreduce(f, op, _materialize(bc); k...)

# ---- ranges stay ranges

broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange) = r
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::OrdinalRange{<:Integer}) = range(-first(r), -last(r); step=-step(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::StepRangeLen{T,R,S}) where {T,R,S} = _scaled_range(r, -1)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::LinRange) = LinRange(-first(r), -last(r), length(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), x::Real, r::AbstractUnitRange) = _shifted_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractUnitRange, x::Real) = _shifted_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange, x::Number) = _shifted_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), x::Number, r::AbstractRange) = _shifted_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange, s::AbstractRange) = _sum_of_ranges(+, r, s)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractUnitRange, x::Real) = _shifted_range(r, -x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractRange, x::Number) = _shifted_range(r, -x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), x::Number, r::AbstractRange) = _reflected_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractRange, s::AbstractRange) = _sum_of_ranges(-, r, s)
broadcasted(::DefaultArrayStyle{1}, ::typeof(*), x::Number, r::AbstractRange) = _scaled_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(*), r::AbstractRange, x::Number) = _scaled_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(/), r::AbstractRange, x::Number) = _divided_range(r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(\), x::Number, r::AbstractRange) = _divided_range(r, x)

_plain(f, arguments...) = _broadcasted_plain(DefaultArrayStyle{1}(), f, arguments...)
_sum_of_ranges(f, r, s) = length(r) == length(s) ? f(r, s) : _plain(f, r, s)
_shifted_range(r::AbstractUnitRange{<:Integer}, x::Integer) = (first(r) + x):(last(r) + x)
_shifted_range(r::AbstractUnitRange{<:Real}, x::Real) = range(first(r) + x; step=oneunit(first(r) + x), length=length(r))
_shifted_range(r::StepRange{<:Integer}, x::Integer) = (first(r) + x):step(r):(last(r) + x)
_shifted_range(r::StepRange{<:Real}, x::Real) = range(first(r) + x; step=step(r), length=length(r))
_shifted_range(r::StepRangeLen, x::Real) = _range_with(r, r.ref + x, r.step, eltype(r), x)
_shifted_range(r::LinRange, x::Real) = LinRange(first(r) + x, last(r) + x, length(r))
_shifted_range(r, x) = _plain(+, r, x)
_reflected_range(r::OrdinalRange{<:Integer}, x::Integer) = (x - first(r)):(-step(r)):(x - last(r))
_reflected_range(r::OrdinalRange{<:Real}, x::Real) = range(x - first(r); step=-step(r), length=length(r))
_reflected_range(r::StepRangeLen, x::Real) = _range_with(r, -r.ref + x, -r.step, eltype(r), x)
_reflected_range(r::LinRange, x::Real) = LinRange(x - first(r), x - last(r), length(r))
_reflected_range(r, x) = _plain(-, x, r)
_scaled_range(r::OrdinalRange{<:Integer}, x::Integer) = range_times(r, x)
_scaled_range(r::OrdinalRange{<:Real}, x::Real) = range(first(r) * x; step=step(r) * x, length=length(r))
_scaled_range(r::StepRangeLen{<:Real}, x::Real) = _range_with(r, r.ref * x, r.step * x, eltype(r), x)
_scaled_range(r::LinRange, x::Real) = LinRange(first(r) * x, last(r) * x, length(r))
_scaled_range(r, x) = _plain(*, r, x)
_divided_range(r::OrdinalRange{<:Real}, x::Real) = range(first(r) / x; step=step(r) / x, length=length(r))
_divided_range(r::StepRangeLen{<:Real}, x::Real) = _range_with(r, r.ref / x, r.step / x, eltype(r), x)
_divided_range(r::LinRange, x::Real) = LinRange(first(r) / x, last(r) / x, length(r))
_divided_range(r, x) = _plain(/, r, x)
_range_with(r, ref, step, ::Type{T}, x) where {T} =
    StepRangeLen{promote_type(T, typeof(x))}(ref, step, length(r), r.offset)

_combine_axes(xs...) = axes(_broadcasted_plain(DefaultArrayStyle{0}(), tuple, xs...))
_broadcast_shapes(s::Tuple{Vararg{Integer}}, ss::Tuple{Vararg{Integer}}...) = map(length, _combine_axes(map(_of_shape, (s, ss...))...))
_broadcast_shapes(s::Tuple, ss::Tuple...) = _combine_axes(map(_of_shape, (s, ss...))...)
_of_shape(s) = CartesianIndices(s)

# ---- the module

module Broadcast
import ..Base
const BroadcastStyle = Base.BroadcastStyle
const AbstractArrayStyle = Base.AbstractArrayStyle
const ArrayStyle = Base.ArrayStyle
const DefaultArrayStyle = Base.DefaultArrayStyle
const Style = Base.Style
const Unknown = Base.Unknown
const Broadcasted = Base.Broadcasted
const BroadcastFunction = Base.BroadcastFunction
const broadcast = Base.broadcast
const broadcast! = Base.broadcast!
const broadcasted = Base.broadcasted
const broadcastable = Base.broadcastable
const materialize = Base.materialize
const materialize! = Base.materialize!
const instantiate = Base.instantiate
const combine_styles = Base.combine_styles
const result_style = Base.result_style
const dotview = Base.dotview
const broadcast_axes = Base.axes
const combine_axes = Base._combine_axes
const broadcast_shape = Base._broadcast_shapes
export broadcast, broadcast!, BroadcastStyle, broadcast_axes, broadcastable, dotview, BroadcastFunction
end

export Broadcast
