# Irrational constants: exact in comparisons, rounded to the other operand's type in arithmetic.

export π, pi, ℯ, Irrational, AbstractIrrational

Irrational{sym}() where {sym} = _instance(Irrational{sym})

const π = Irrational{:π}()
const pi = π
const ℯ = Irrational{:ℯ}()
const γ = Irrational{:γ}()
const φ = Irrational{:φ}()
const catalan = Irrational{:catalan}()

# The nearest Float64 and what it leaves, twice: together about 160 bits.
_high_part(::Irrational{:π}) = 3.141592653589793
_high_part(::Irrational{:ℯ}) = 2.718281828459045
_high_part(::Irrational{:γ}) = 0.5772156649015329
_high_part(::Irrational{:φ}) = 1.618033988749895
_high_part(::Irrational{:catalan}) = 0.915965594177219
_low_part(::Irrational{:π}) = 1.2246467991473532e-16
_low_part(::Irrational{:ℯ}) = 1.4456468917292502e-16
_low_part(::Irrational{:γ}) = -4.942915152430645e-18
_low_part(::Irrational{:φ}) = -5.432115203682506e-17
_low_part(::Irrational{:catalan}) = 3.747558421514984e-18
_lowest_part(::Irrational{:π}) = -2.9947698097183397e-33
_lowest_part(::Irrational{:ℯ}) = -2.1277171080381768e-33
_lowest_part(::Irrational{:γ}) = -2.322111740706957e-34
_lowest_part(::Irrational{:φ}) = 2.6543252083815655e-33
_lowest_part(::Irrational{:catalan}) = -2.2812159066741463e-34

Float64(x::Irrational) = _high_part(x)
Float32(x::Irrational) = Float32(_high_part(x))
Float16(x::Irrational) = Float16(_high_part(x))
Float64(x::AbstractIrrational) = throw(MethodError(Float64, (x,)))
function (::Type{T})(x::Irrational, r::RoundingMode) where {T<:IEEEFloat}
    f = T(x)
    below = f < x
    r isa RoundingMode{:Up} && return below ? nextfloat(f) : f
    r isa Union{RoundingMode{:Down},RoundingMode{:ToZero}} && return below ? f : prevfloat(f)
    return f
end
AbstractFloat(x::AbstractIrrational) = Float64(x)
float(::Type{<:AbstractIrrational}) = Float64
Complex(x::AbstractIrrational) = Complex(Float64(x))
Complex{T}(x::AbstractIrrational) where {T<:Real} = Complex{T}(T(x), zero(T))
Integer(x::AbstractIrrational) = _throw_inexact(Integer, x)
Bool(x::AbstractIrrational) = _throw_inexact(Bool, x)
(::Type{T})(x::AbstractIrrational) where {T<:BitInteger} = _throw_inexact(T, x)

promote_rule(::Type{<:AbstractIrrational}, ::Type{Float16}) = Float16
promote_rule(::Type{<:AbstractIrrational}, ::Type{Float32}) = Float32
promote_rule(::Type{<:AbstractIrrational}, ::Type{<:AbstractIrrational}) = Float64
promote_rule(::Type{<:AbstractIrrational}, ::Type{T}) where {T<:Real} = promote_type(Float64, T)
promote_rule(::Type{S}, ::Type{T}) where {S<:AbstractIrrational,T<:Number} = promote_type(promote_type(S, real(T)), T)

==(::Irrational{s}, ::Irrational{s}) where {s} = true
==(x::AbstractIrrational, y::AbstractIrrational) = false
==(x::AbstractIrrational, y::Real) = false
==(x::Real, y::AbstractIrrational) = false
==(x::AbstractIrrational, y::MachineReal) = false
==(x::MachineReal, y::AbstractIrrational) = false
==(x::AbstractIrrational, y::Rational) = false
==(x::Rational, y::AbstractIrrational) = false
isequal(x::AbstractIrrational, y::Real) = x === y
isequal(x::Real, y::AbstractIrrational) = x === y
isequal(x::AbstractIrrational, y::AbstractIrrational) = x === y

# Which side of an irrational a number lies on.
_exceeds(x::AbstractIrrational, y) = y < Float64(x)
_exceeds(x::Irrational, y::IEEEFloat) = y < _high_part(x) || (y == _high_part(x) && _low_part(x) > 0)
_exceeds(x::Irrational, y::Integer) = y < _high_part(x)
function _exceeds(x::Irrational, y::Rational)
    isfinite(y) || return y < 0
    # num - den * x in units of 2^-53, then of 2^-106: the multiples of the first two parts are exact in Int128.
    d = Int128(y.den)
    rest = (Int128(y.num) << 53) - d * Int128(ldexp(_high_part(x), 53))
    abs(rest) < Int128(1) << 70 || return rest < 0
    rest = (rest << 53) - d * Int128(ldexp(_low_part(x), 106))
    return Float64(rest) < Float64(d) * ldexp(_lowest_part(x), 106)
end
<(x::AbstractIrrational, y::MachineReal) = !_exceeds(x, y) && !isnan(y)
<(x::MachineReal, y::AbstractIrrational) = _exceeds(y, x)
<=(x::AbstractIrrational, y::MachineReal) = x < y
<=(x::MachineReal, y::AbstractIrrational) = x < y
<(x::AbstractIrrational, y::Rational) = !_exceeds(x, y)
<(x::Rational, y::AbstractIrrational) = _exceeds(y, x)
<=(x::AbstractIrrational, y::Rational) = x < y
<=(x::Rational, y::AbstractIrrational) = x < y
<(x::Irrational{s}, y::Irrational{s}) where {s} = false
<(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) < Float64(y)
<=(x::AbstractIrrational, y::AbstractIrrational) = x == y || x < y
isless(x::AbstractIrrational, y::MachineReal) = isnan(y) || x < y
isless(x::MachineReal, y::AbstractIrrational) = x < y
isless(x::AbstractIrrational, y::AbstractIrrational) = x < y

isfinite(::AbstractIrrational) = true
isinteger(::AbstractIrrational) = false
iszero(::AbstractIrrational) = false
isone(::AbstractIrrational) = false
signbit(x::AbstractIrrational) = false
zero(::Type{<:AbstractIrrational}) = false
one(::Type{<:AbstractIrrational}) = true
zero(::AbstractIrrational) = false
one(::AbstractIrrational) = true
sign(x::AbstractIrrational) = 1.0
abs(x::AbstractIrrational) = x

-(x::AbstractIrrational) = -Float64(x)
+(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) + Float64(y)
-(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) - Float64(y)
*(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) * Float64(y)
/(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) / Float64(y)
^(x::AbstractIrrational, y::AbstractIrrational) = Float64(x)^Float64(y)
*(x::Bool, y::AbstractIrrational) = ifelse(x, Float64(y), 0.0)
*(x::AbstractIrrational, y::Bool) = y * x
^(x::AbstractIrrational, p::Integer) = Float64(x)^p
^(x::AbstractIrrational, p::Rational) = Float64(x)^p
inv(x::AbstractIrrational) = 1 / Float64(x)

^(::Irrational{:ℯ}, x::Number) = exp(x)
^(::Irrational{:ℯ}, x::Integer) = exp(x)
^(::Irrational{:ℯ}, x::Rational) = exp(x)
^(::Irrational{:ℯ}, x::AbstractIrrational) = exp(x)
literal_pow(::typeof(^), ::Irrational{:ℯ}, ::Val{p}) where {p} = exp(p)
log(::Irrational{:ℯ}) = 1
log(::Irrational{:ℯ}, x::Number) = log(x)

# Half a turn is no float: its functions are exact all the same.
sin(::Irrational{:π}) = 0.0
cos(::Irrational{:π}) = -1.0
tan(::Irrational{:π}) = 0.0
sincos(::Irrational{:π}) = (0.0, -1.0)
sin(x::AbstractIrrational) = sin(Float64(x))
round(x::AbstractIrrational, r::RoundingMode) = round(Float64(x), r)
round(x::AbstractIrrational) = round(Float64(x))
floor(x::AbstractIrrational) = floor(Float64(x))
ceil(x::AbstractIrrational) = ceil(Float64(x))
trunc(x::AbstractIrrational) = trunc(Float64(x))
rad2deg(x::AbstractIrrational) = rad2deg(Float64(x))
widen(::Type{T}) where {T<:Irrational} = T

module MathConstants
import ..Base: π, ℯ, γ, φ, catalan
const pi = π
const e = ℯ
const eulergamma = γ
const golden = φ
export π, pi, ℯ, e, γ, eulergamma, φ, golden, catalan
end
