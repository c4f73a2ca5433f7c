# Rounding modes, and rounding to integers, digits and significant digits.

export RoundingMode, RoundNearest, RoundToZero, RoundDown, RoundUp, RoundFromZero, RoundNearestTiesAway, RoundNearestTiesUp,
       round, trunc, floor, ceil, rounding

struct RoundingMode{T} end
const RoundNearest = RoundingMode{:Nearest}()
const RoundToZero = RoundingMode{:ToZero}()
const RoundUp = RoundingMode{:Up}()
const RoundDown = RoundingMode{:Down}()
const RoundFromZero = RoundingMode{:FromZero}()
const RoundNearestTiesAway = RoundingMode{:NearestTiesAway}()
const RoundNearestTiesUp = RoundingMode{:NearestTiesUp}()
rounding(::Type{T}) where {T<:AbstractFloat} = RoundNearest

module Rounding
import ..Base: RoundingMode, RoundNearest, RoundToZero, RoundUp, RoundDown, RoundFromZero, RoundNearestTiesAway, RoundNearestTiesUp, rounding
# The rounding modes of x86's control word.
to_fenv(::RoundingMode{:Nearest}) = 0
to_fenv(::RoundingMode{:Down}) = 1024
to_fenv(::RoundingMode{:Up}) = 2048
to_fenv(::RoundingMode{:ToZero}) = 3072
function from_fenv(mode::Integer)
    mode == 0 && return RoundNearest
    mode == 1024 && return RoundDown
    mode == 2048 && return RoundUp
    mode == 3072 && return RoundToZero
    throw(ArgumentError("invalid rounding mode code: $mode"))
end
end

round(x::MachineReal) = _round(x)
trunc(x::MachineReal) = _trunc(x)
floor(x::MachineReal) = _floor(x)
ceil(x::MachineReal) = _ceil(x)
round(x::MachineReal, r::RoundingMode) = _round(x, r)
round(T::Type{<:MachineReal}, x::MachineReal) = _round_to(T, x)
trunc(T::Type{<:MachineReal}, x::MachineReal) = _trunc_to(T, x)
floor(T::Type{<:MachineReal}, x::MachineReal) = _floor_to(T, x)
ceil(T::Type{<:MachineReal}, x::MachineReal) = _ceil_to(T, x)
round(T::Type{<:MachineReal}, x::MachineReal, r::RoundingMode) = _round_to(T, x, r)
round(T::Type{<:IEEEFloat}, x::BitOrBool, r::RoundingMode) = _to_float_rounded(T, x, r)
trunc(T::Type{<:IEEEFloat}, x::BitOrBool) = _to_float_rounded(T, x, RoundToZero)
floor(T::Type{<:IEEEFloat}, x::BitOrBool) = _to_float_rounded(T, x, RoundDown)
ceil(T::Type{<:IEEEFloat}, x::BitOrBool) = _to_float_rounded(T, x, RoundUp)
(T::Type{<:IEEEFloat})(x::MachineReal, r::RoundingMode) = _to_float_rounded(T, x, r)

# A call with keywords chooses among the methods that take keywords; without them machine numbers have the ones above.
round(x::Real; digits=nothing, sigdigits=nothing, base=nothing) = _round_digits(x, RoundNearest, digits, sigdigits, base)
trunc(x::Real; digits=nothing, sigdigits=nothing, base=nothing) = _round_digits(x, RoundToZero, digits, sigdigits, base)
floor(x::Real; digits=nothing, sigdigits=nothing, base=nothing) = _round_digits(x, RoundDown, digits, sigdigits, base)
ceil(x::Real; digits=nothing, sigdigits=nothing, base=nothing) = _round_digits(x, RoundUp, digits, sigdigits, base)
round(x::Real, r::RoundingMode; digits=nothing, sigdigits=nothing, base=nothing) = _round_digits(x, r, digits, sigdigits, base)

trunc(::Type{T}, x) where {T} = round(T, x, RoundToZero)
floor(::Type{T}, x) where {T} = round(T, x, RoundDown)
ceil(::Type{T}, x) where {T} = round(T, x, RoundUp)
round(::Type{T}, x) where {T} = round(T, x, RoundNearest)
round(::Type{T}, x, r::RoundingMode) where {T} = convert(T, round(x, r))
round(::Type{Integer}, x::MachineReal, r::RoundingMode) = x isa Integer ? x : _round_to(Int, x, r)
round(::Type{Signed}, x::MachineReal, r::RoundingMode) = x isa Integer ? signed(x) : _round_to(Int, x, r)
round(::Type{Unsigned}, x::MachineReal, r::RoundingMode) = x isa Integer ? Unsigned(x) : _round_to(UInt, x, r)
round(::Type{T}, x; k...) where {T<:Real} = convert(T, round(x; k...))

# A type that has no rounding of its own is taken as a float.
_round_plain(x::MachineReal, r) = _round(x, r)
_round_plain(x::Integer, r) = x
_round_plain(x::Real, r) = _round_plain(float(x), r)

function _round_digits(x, r, digits, sigdigits, base)
    digits === nothing && sigdigits === nothing && return _round_plain(x, r)
    digits === nothing || sigdigits === nothing ||
        throw(ArgumentError("`round` cannot use both `digits` and `sigdigits` arguments."))
    b = base === nothing ? 10 : base
    sigdigits === nothing && return _round_to_digits(x, r, digits, b)
    return _round_to_sigdigits(x, r, sigdigits, b)
end

function _round_to_digits(x::Integer, r, digits, base)
    digits >= 0 && return x
    unit = oftype(x, base)^(-digits)
    return div(x, unit, r) * unit
end
_round_to_digits(x::Real, r, digits, base) = _round_to_digits(float(x), r, digits, base)
function _round_to_digits(x::AbstractFloat, r, digits, base)
    isfinite(x) || return x
    scale = oftype(x, base)^abs(digits)
    if digits < 0
        y = _round_plain(x / scale, r) * scale
    else
        y = _round_plain(x * scale, r)
        isfinite(scale) || return x
        isfinite(y) || return x
        y = y / scale
    end
    return isfinite(y) ? y : x
end

function _round_to_sigdigits(x::Real, r, sigdigits, base)
    y = float(x)
    sigdigits <= 0 && throw(ArgumentError("`sigdigits` must be positive"))
    (iszero(y) || !isfinite(y)) && return y
    h = _digits_before_point(y, base)
    out = _round_to_digits_wide(y, r, sigdigits - h, base)
    isfinite(out) || return x
    return x isa Integer ? oftype(x, out) : out
end
# The scale of a very small number may be beyond the floats: then in two steps.
function _round_to_digits_wide(y, r, digits, base)
    digits > 300 || return _round_to_digits(y, r, digits, base)
    first = oftype(y, base)^(digits - 300)
    return _round_to_digits(y * first, r, 300, base) / first
end
function _digits_before_point(y, base)
    e = base == 10 ? floor(Int, log10(abs(y))) : base == 2 ? exponent(y) : floor(Int, log(base, abs(y)))
    # The logarithm is rounded: the power decides.
    oftype(y, base)^(e + 1) <= abs(y) && (e += 1)
    abs(e) < 300 && oftype(y, base)^e > abs(y) && (e -= 1)
    return e + 1
end
