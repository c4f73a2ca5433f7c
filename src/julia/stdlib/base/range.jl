# Ranges: making them, their elements, arithmetic that keeps them ranges.

const MachineReals = Union{BitInteger,IEEEFloat}
# Ranges of machine numbers, whose elements intrinsics compute.
const MachineRange = Union{UnitRange{<:MachineReals},OneTo{<:BitInteger},StepRange{<:BitInteger,<:BitInteger},
    StepRangeLen{<:IEEEFloat,<:Union{IEEEFloat,TwicePrecision},<:Union{IEEEFloat,TwicePrecision}},LinRange{<:IEEEFloat}}

(::Type{UnitRange{T}})(start::Real, stop::Real) where {T<:Real} = unit_range(convert(T, start), convert(T, stop))
(::Type{UnitRange})(start::T, stop::T) where {T<:Real} = unit_range(start, stop)
(::Type{UnitRange})(start::Real, stop::Real) = UnitRange(promote(start, stop)...)
(::Type{UnitRange{T}})(r::AbstractRange) where {T<:Real} = UnitRange{T}(first(r), last(r))
(::Type{UnitRange})(r::AbstractUnitRange{T}) where {T<:Real} = UnitRange{T}(first(r), last(r))
(::Type{UnitRange})(r::AbstractRange) = step(r) == 1 ? UnitRange(first(r), last(r)) : throw(ArgumentError("step must be 1"))
(::Type{AbstractUnitRange{T}})(r::AbstractUnitRange{T}) where {T} = r
(::Type{AbstractUnitRange{T}})(r::UnitRange) where {T} = UnitRange{T}(r)
(::Type{AbstractUnitRange{T}})(r::OneTo) where {T} = OneTo{T}(r)
unit_range(start::Int, stop::Int) = _unit_range(start, stop)
unit_range(start::T, stop::T) where {T<:Integer} = _new(UnitRange{T}, start, stop >= start ? stop : convert(T, start - oneunit(start)))
function unit_range(start::T, stop::T) where {T<:Real}
    stop >= start || return _new(UnitRange{T}, start, start - oneunit(start))
    return _new(UnitRange{T}, start, convert(T, start + floor(stop - start)))
end

(::Type{OneTo{T}})(stop) where {T<:Integer} = _new(OneTo{T}, max(zero(T), convert(T, stop)))
(::Type{OneTo})(stop::T) where {T<:Integer} = _new(OneTo{T}, max(zero(T), stop))
(::Type{OneTo{T}})(r::OneTo) where {T<:Integer} = OneTo{T}(r.stop)
(::Type{OneTo})(r::AbstractRange) = first(r) == 1 && step(r) == 1 ? OneTo(last(r)) :
    throw(ArgumentError("first element must be 1, got $(first(r))"))
oneto(n) = OneTo(n)
(::Type{Slice})(r::AbstractUnitRange) = _new(Slice{typeof(r)}, r)
(::Type{IdentityUnitRange})(r::AbstractUnitRange) = _new(IdentityUnitRange{typeof(r)}, r)
(::Type{Colon})() = _new(Colon)

(::Type{StepRange{T,S}})(start, step, stop) where {T,S} = step_range(convert(T, start), convert(S, step), convert(T, stop))
(::Type{StepRange})(start::T, step::S, stop::T) where {T,S} = step_range(start, step, stop)
(::Type{StepRange{T,S}})(r::AbstractRange) where {T,S} = StepRange{T,S}(first(r), step(r), last(r))
(::Type{StepRange})(r::AbstractRange) = StepRange(first(r), step(r), last(r))
function step_range(start::T, step::S, stop::T) where {T<:BitInteger,S<:BitInteger}
    step == 0 && throw(ArgumentError("step cannot be zero"))
    return _new(StepRange{T,S}, start, step, _step_range_stop(start, step, stop))
end
function step_range(start::T, step::S, stop::T) where {T,S}
    step == zero(step) && throw(ArgumentError("step cannot be zero"))
    T <: AbstractFloat && throw(ArgumentError("StepRange should not be used with floating point"))
    T <: Integer && !isinteger(step) && throw(ArgumentError("StepRange of integers cannot have the step $step"))
    return _new(StepRange{T,S}, start, step, steprange_last(start, step, stop))
end
function steprange_last(start::T, step, stop) where {T}
    start == stop && return stop
    if (step > zero(step)) != (stop > start)
        return T <: Integer ? convert(T, start - oneunit(step)) : start - step
    end
    return T <: AbstractChar ? start + div(stop - start, step) * step : convert(T, stop - rem(stop - start, step))
end

(::Type{StepRangeLen{T,R,S,L}})(ref, step, len, offset=1) where {T,R,S,L} =
    _new(StepRangeLen{T,R,S,L}, convert(R, ref), convert(S, step), checked_length(len), convert(L, offset))
(::Type{StepRangeLen{T,R,S}})(ref, step, len, offset=1) where {T,R,S} =
    _new(StepRangeLen{T,R,S,Int}, convert(R, ref), convert(S, step), checked_length(len), Int(offset))
(::Type{StepRangeLen})(ref::R, step::S, len::Integer, offset::Integer=1) where {R,S} =
    _new(StepRangeLen{typeof(ref + zero(step)),R,S,Int}, ref, step, checked_length(len), Int(offset))
function (::Type{StepRangeLen{T}})(ref::R, step::S, len::Integer, offset::Integer=1) where {T,R,S}
    T <: Integer && !(step isa Integer) && throw(ArgumentError("StepRangeLen{<:Integer} cannot have non-integer step"))
    return _new(StepRangeLen{T,R,S,Int}, ref, step, checked_length(len), Int(offset))
end
(::Type{StepRangeLen{T}})(r::AbstractRange) where {T} = StepRangeLen{T}(convert(T, first(r)), convert(T, step(r)), length(r))
(::Type{StepRangeLen{T}})(r::AbstractRange) where {T<:IEEEFloat} = _float_step_range(convert(T, first(r)), convert(T, step(r)), length(r))
(::Type{StepRangeLen{T}})(r::StepRangeLen{T}) where {T<:IEEEFloat} = r
(::Type{StepRangeLen{T}})(r::StepRangeLen{<:IEEEFloat,<:IEEEFloat}) where {T<:IEEEFloat} =
    _float_step_range(convert(T, r.ref + (1 - r.offset) * r.step), convert(T, r.step), length(r))
(::Type{StepRangeLen{T,R,S,L}})(r::AbstractRange) where {T<:IEEEFloat,R,S,L} = StepRangeLen{T}(r)
(::Type{StepRangeLen{T,R,S,L}})(r::AbstractRange) where {T,R,S,L} =
    StepRangeLen{T,R,S,L}(convert(R, first(r)), convert(S, step(r)), length(r))
(::Type{StepRangeLen})(r::AbstractRange) = StepRangeLen(first(r), step(r), length(r))
checked_length(len) = len >= 0 ? Int(len) : throw(ArgumentError("length cannot be negative, got $len"))

(::Type{LinRange{T}})(start, stop, len::Integer) where {T} = lin_range(convert(T, start), convert(T, stop), len)
(::Type{LinRange{T,L}})(start, stop, len::Integer) where {T,L} = lin_range(convert(T, start), convert(T, stop), len)
function (::Type{LinRange})(start, stop, len::Integer)
    T = typeof((stop - start) / max(len - 1, 1))
    return lin_range(convert(T, start), convert(T, stop), len)
end
(::Type{LinRange})(r::AbstractRange{T}) where {T} = lin_range(convert(T, first(r)), convert(T, last(r)), length(r))
(::Type{LinRange{T}})(r::AbstractRange) where {T} = lin_range(convert(T, first(r)), convert(T, last(r)), length(r))
function lin_range(start::T, stop::T, len::Integer) where {T}
    len >= 0 || throw(ArgumentError("range($start, stop=$stop, length=$len): negative length"))
    len == 1 && start != stop && throw(ArgumentError("range($start, stop=$stop, length=$len): endpoints differ"))
    T <: Integer && len > 1 && rem(stop - start, len - 1) != 0 &&
        throw(ArgumentError("cannot create LinRange{$T} with $len elements from $start to $stop"))
    return _new(LinRange{T,Int}, start, stop, Int(len), max(Int(len) - 1, 1))
end

# ---- the colon

(::Colon)(start::Int, stop::Int) = _unit_range(start, stop)
(::Colon)(start::T, stop::T) where {T<:Real} = unit_range(start, stop)
(::Colon)(start::Real, stop::Real) = (:)(promote(start, stop)...)
(::Colon)(start::T, stop::T) where {T<:AbstractFloat} = (:)(start, one(T), stop)
(::Colon)(start::T, stop::T) where {T} = (:)(start, oneunit(stop - start), stop)
(::Colon)(start::AbstractChar, stop::AbstractChar) = StepRange(start, 1, stop)
(::Colon)(start::Int, step::Int, stop::Int) = step_range(start, step, stop)
(::Colon)(start::Real, step::Real, stop::Real) = real_colon(promote(start, stop)..., step)
real_colon(start, stop, step) = step_range(start, step, stop)
real_colon(start::Integer, stop::Integer, step::Rational) = step_range(promote(start, step)[1], step, promote(stop, step)[1])
real_colon(start::AbstractFloat, stop::AbstractFloat, step::Real) = float_colon(promote(start, step, stop)...)
real_colon(start::Real, stop::Real, step::AbstractFloat) = float_colon(promote(start, step, stop)...)
real_colon(start::AbstractFloat, stop::AbstractFloat, step::AbstractFloat) = float_colon(promote(start, step, stop)...)
float_colon(start::T, step::T, stop::T) where {T<:IEEEFloat} = _float_colon(start, step, stop)
(::Colon)(start::T, step, stop::T) where {T} = step_range(start, step, stop)
(::Colon)(start::CartesianIndex{N}, stop::CartesianIndex{N}) where {N} = CartesianIndices(range_each(start.I, stop.I))
(::Colon)(start::CartesianIndex{N}, step::CartesianIndex{N}, stop::CartesianIndex{N}) where {N} =
    CartesianIndices(range_each(start.I, step.I, stop.I))
range_each(::Tuple{}, ::Tuple{}) = ()
range_each(a::Tuple, b::Tuple) = (a[1]:b[1], range_each(tail(a), tail(b))...)
range_each(::Tuple{}, ::Tuple{}, ::Tuple{}) = ()
range_each(a::Tuple, s::Tuple, b::Tuple) = (a[1]:s[1]:b[1], range_each(tail(a), tail(s), tail(b))...)

range(start; stop=nothing, length::Union{Integer,Nothing}=nothing, step=nothing) = any_range(start, step, stop, length)
range(start, stop; length::Union{Integer,Nothing}=nothing, step=nothing) = any_range(start, step, stop, length)
range(start, stop, length::Integer) = any_range(start, nothing, stop, length)
range(; start=nothing, stop=nothing, length::Union{Integer,Nothing}=nothing, step=nothing) = any_range(start, step, stop, length)
any_range(start, step, stop, len::Integer) = range_of(start, step, stop, Int(len))
any_range(start, step, stop, ::Nothing) = range_of(start, step, stop, nothing)
function range_of(start, step, stop, len)
    if start === nothing && stop === nothing
        len !== nothing && step === nothing && return oneto(len)
        throw_range_arguments(start, step, stop, len)
    elseif start === nothing
        len === nothing && (step === nothing ? (return stop isa Integer ? oneto(stop) : (oneunit(stop):stop)) :
            throw_range_arguments(start, step, stop, len))
        return step === nothing ? range_to(stop - oneunit(stop) * (len - 1), stop, len) : range_stop_step_length(stop, step, len)
    elseif stop === nothing
        len === nothing && throw_range_arguments(start, step, stop, len)
        return step === nothing ? range_start_length(start, len) : range_start_step_length(start, step, len)
    elseif len === nothing
        return step === nothing ? (start:stop) : (start:step:stop)
    elseif step === nothing
        return range_start_stop_length(start, stop, len)
    end
    throw(ArgumentError("Too many arguments specified; try passing only one of `stop` or `length`; or only `start`, `stop`, `step`"))
end
function throw_range_arguments(start, step, stop, len)
    throw(ArgumentError("Cannot construct range from arguments:\nstart = $start\nstep = $step\nstop = $stop\nlength = $len\n"))
end
range_to(start::Integer, stop::Integer, len) = UnitRange(promote(oftype(stop, start), stop)...)
range_to(start, stop, len) = range_start_step_length(start, oneunit(stop), len)
range_start_length(start::Integer, len::Integer) = UnitRange(start, oftype(start, start + len - 1))
range_start_length(start, len::Integer) = range_start_step_length(start, oneunit(start), len)
range_start_step_length(start::Integer, step::Integer, len::Integer) =
    step_range(promote(start, oftype(start + step, start))[2], step, start + step * oftype(step, len - 1))
function range_start_step_length(start::AbstractFloat, step::AbstractFloat, len::Integer)
    a, s = promote(start, step)
    return _float_step_range(a, s, len)
end
range_start_step_length(start::AbstractFloat, step::Real, len::Integer) = range_start_step_length(start, oftype(start, step), len)
range_start_step_length(start::Real, step::AbstractFloat, len::Integer) = range_start_step_length(oftype(step, start), step, len)
range_start_step_length(start, step, len::Integer) = StepRangeLen(start, step, len)
range_start_step_length(start::Rational, step::Union{Integer,Rational}, len::Integer) = rational_range(start, start + step * (len - 1), step)
range_start_step_length(start::Integer, step::Rational, len::Integer) = rational_range(start, start + step * (len - 1), step)
rational_range(start, stop, step) = step_range(promote(start, stop)[1], promote(step, stop)[1], promote(start, stop)[2])
range_stop_step_length(stop::Integer, step::Integer, len::Integer) = (stop - step * (len - 1)):step:stop
range_stop_step_length(stop, step, len::Integer) = range_start_step_length(stop - step * (len - 1), step, len)
range_start_stop_length(start::T, stop::T, len::Integer) where {T<:IEEEFloat} = _float_range(start, stop, len)
function range_start_stop_length(start::Real, stop::Real, len::Integer)
    a, b = promote(float(start), float(stop))
    return range_start_stop_length(a, b, len)
end
range_start_stop_length(start::Integer, stop::Integer, len::Integer) = range_start_stop_length(float(start), float(stop), len)
range_start_stop_length(start::Rational, stop::Rational, len::Integer) = rational_range_length(promote(start, stop)..., len)
function rational_range_length(start, stop, len)
    len == 1 && return step_range(start, oneunit(start), stop)
    return step_range(start, (stop - start) // (len - 1), stop)
end
range_start_stop_length(start, stop, len::Integer) = LinRange(start, stop, len)
# ---- what a range says of itself

size(r::AbstractRange) = (length(r),)
isempty(r::AbstractRange) = length(r) == 0
isempty(r::AbstractUnitRange) = first(r) > last(r)
isempty(r::StepRange) = (r.start != r.stop) & ((r.step > zero(r.step)) != (r.stop > r.start))
length(r::OneTo) = Int(r.stop)
length(r::StepRangeLen) = r.len
length(r::LinRange) = r.len
length(r::AbstractUnitRange) = isempty(r) ? 0 : Int(last(r) - first(r)) + 1
length(r::UnitRange{<:Real}) = isempty(r) ? 0 : Int(floor(last(r) - first(r))) + 1
length(r::StepRange) = isempty(r) ? 0 : Int(div(r.stop - r.start, r.step)) + 1
length(r::UnitRange{<:MachineReals}) = _range_length(r)
length(r::StepRange{<:BitInteger,<:BitInteger}) = _range_length(r)
first(r::UnitRange) = r.start
first(r::StepRange) = r.start
first(r::OneTo{T}) where {T} = oneunit(T)
first(r::StepRangeLen) = range_element(r, 1)
first(r::LinRange) = r.start
first(r::Union{Slice,IdentityUnitRange}) = first(r.indices)
last(r::UnitRange) = r.stop
last(r::StepRange) = r.stop
last(r::OneTo) = r.stop
last(r::StepRangeLen) = range_element(r, length(r))
last(r::LinRange) = r.stop
last(r::Union{Slice,IdentityUnitRange}) = last(r.indices)
step(r::StepRange) = r.step
step(r::AbstractUnitRange{T}) where {T} = oneunit(T) - zero(T)
step(r::AbstractUnitRange{Bool}) = true
step(r::StepRangeLen{T}) where {T<:IEEEFloat} = T(r.step)
step(r::StepRangeLen) = r.step
step(r::LinRange) = (r.stop - r.start) / r.lendiv
step_hp(r::StepRangeLen) = r.step
step_hp(r::AbstractRange) = step(r)
length(r::Union{Slice,IdentityUnitRange}) = length(r.indices)
axes(r::AbstractRange) = (OneTo(length(r)),)
minimum(r::AbstractUnitRange) = isempty(r) ? throw(ArgumentError("range must be non-empty")) : first(r)
maximum(r::AbstractUnitRange) = isempty(r) ? throw(ArgumentError("range must be non-empty")) : last(r)
minimum(r::AbstractRange) = isempty(r) ? throw(ArgumentError("range must be non-empty")) : min(first(r), last(r))
maximum(r::AbstractRange) = isempty(r) ? throw(ArgumentError("range must be non-empty")) : max(first(r), last(r))
extrema(r::AbstractRange) = (minimum(r), maximum(r))
copy(r::AbstractRange) = r
mod(i::Integer, r::OneTo) = mod1(i, last(r))
mod(i::Integer, r::AbstractUnitRange{<:Integer}) = mod(i - first(r), length(r)) + first(r)
clamp(x::Integer, r::AbstractUnitRange{<:Integer}) = clamp(x, first(r), last(r))
Tuple(r::AbstractRange) = _tuple_collect(r)

# ---- elements

range_element(r::MachineRange, i::Int) = _range_element(r, i)
range_element(r::AbstractUnitRange{T}, i::Integer) where {T} = convert(T, first(r) + (i - 1))
range_element(r::StepRange{T}, i::Integer) where {T} = convert(T, first(r) + (i - 1) * step(r))
range_element(r::StepRangeLen{T}, i::Integer) where {T} = convert(T, r.ref + (i - r.offset) * r.step)
function range_element(r::LinRange, i::Integer)
    t = (i - 1) / r.lendiv
    return (1 - t) * r.start + t * r.stop
end
range_element(r::Union{Slice,IdentityUnitRange}, i::Integer) = r.indices[i]

getindex(r::MachineRange, i::Int) = _range_get(r, i)
function getindex(r::AbstractRange, i::Integer)
    i isa Bool && throw(ArgumentError("invalid index: $i of type Bool"))
    1 <= i <= length(r) || throw_boundserror(r, (i,))
    return range_element(r, Int(i))
end
getindex(r::AbstractRange, ::Colon) = r
getindex(r::AbstractRange, I...) = range_block(r, I)
range_block(r::MachineRange, I::Tuple{Vararg{BuiltinIndex}}) = _block_get(r, I...)
range_block(r::AbstractRange, I::Tuple) = collect(r)[to_indices(r, I)...]
function getindex(r::AbstractUnitRange{<:Integer}, s::AbstractUnitRange{<:Integer})
    checkbounds(r, s)
    f = first(r) + (first(s) - 1)
    return oftype(f, f):oftype(f, f + length(s) - 1)
end
function getindex(r::OneTo{T}, s::OneTo) where {T}
    checkbounds(r, s)
    return OneTo(T(s.stop))
end
function getindex(r::AbstractUnitRange{<:Integer}, s::StepRange{<:Integer})
    checkbounds(r, s)
    f = first(r) + (first(s) - 1)
    return step_range(f, step(s), f + step(s) * (length(s) - 1))
end
function getindex(r::StepRange{T}, s::AbstractRange{<:Integer}) where {T}
    checkbounds(r, s)
    f = convert(T, first(r) + (first(s) - 1) * step(r))
    st = step(r) * step(s)
    return step_range(f, st, convert(T, f + (length(s) - 1) * st))
end
function getindex(r::StepRangeLen{T}, s::OrdinalRange{<:Integer}) where {T}
    checkbounds(r, s)
    step(s) == 1 && return typeof(r)(r.ref, r.step, length(s), r.offset - first(s) + 1)
    ref = hiprec_element(r, first(s))
    return StepRangeLen{T}(ref, r.step * step(s), length(s), 1)
end
function getindex(r::LinRange{T}, s::OrdinalRange{<:Integer}) where {T}
    checkbounds(r, s)
    return LinRange{T}(isempty(s) ? r.start : r[first(s)], isempty(s) ? r.stop : r[last(s)], length(s))
end

iterate(r::Union{OrdinalRange{<:BitInteger,<:BitInteger},OneTo{<:BitInteger}}) = isempty(r) ? nothing : (first(r), first(r))
function iterate(r::OrdinalRange{T}, i) where {T}
    i == last(r) && return nothing
    next = convert(T, i + step(r))
    return (next, next)
end
iterate(r::OrdinalRange) = isempty(r) ? nothing : (first(r), first(r))
iterate(r::Union{StepRangeLen,LinRange}, i::Int=1) = i > length(r) ? nothing : (range_element(r, i), i + 1)
iterate(r::Union{StepRangeLen{<:IEEEFloat},LinRange{<:IEEEFloat}}, i::Int) = _range_iterate(r, i)
iterate(r::UnitRange{<:IEEEFloat}, i::Int=1) = _range_iterate(r, i)

in(x::Real, r::AbstractUnitRange{<:Real}) = first(r) <= x <= last(r) && (isinteger(x - first(r)))
in(x::Integer, r::AbstractUnitRange{<:Integer}) = first(r) <= x <= last(r)
function in(x::Real, r::AbstractRange{<:Real})
    isempty(r) && return false
    minimum(r) <= x <= maximum(r) || return false
    iszero(step(r)) && return x == first(r)
    n = round(Int, (x - first(r)) / step(r)) + 1
    return 1 <= n <= length(r) && r[n] == x
end
in(x::Integer, r::StepRange{<:Integer,<:Integer}) =
    !isempty(r) && minimum(r) <= x <= maximum(r) && (mod(x, step(r)) - mod(first(r), step(r))) == 0
in(x::AbstractChar, r::AbstractRange{<:AbstractChar}) =
    !isempty(r) && minimum(r) <= x <= maximum(r) && mod(Int(x) - Int(first(r)), step(r)) == 0
in(x, r::AbstractRange) = any(y -> y == x, r)

==(r::AbstractUnitRange, s::AbstractUnitRange) = (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (last(r) == last(s)))
==(r::OrdinalRange, s::OrdinalRange) =
    isempty(r) ? isempty(s) : !isempty(s) && (first(r) == first(s)) && (last(r) == last(s)) && (first(r) == last(r) || step(r) == step(s))
==(r::T, s::T) where {T<:Union{StepRangeLen,LinRange}} =
    (isempty(r) & isempty(s)) | ((first(r) == first(s)) & (length(r) == length(s)) & (last(r) == last(s)))
function ==(r::AbstractRange, s::AbstractRange)
    length(r) == length(s) || return false
    for i in 1:length(r)
        r[i] == s[i] || return false
    end
    return true
end
isequal(r::AbstractRange, s::AbstractRange) = (r == s)::Bool

export range, step
