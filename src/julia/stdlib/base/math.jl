# Base.Math: real functions. Of machine numbers each is one operation; other reals are made floats first.

export sqrt, cbrt, fourthroot, exp, exp2, exp10, expm1, log, log2, log10, log1p, sin, cos, tan, sec, csc, cot, asin, acos, atan, asec,
       acsc, acot, sinh, cosh, tanh, sech, csch, coth, asinh, acosh, atanh, asech, acsch, acoth, sincos, sinpi, cospi, tanpi,
       sincospi, sinc, cosc, sind, cosd, tand, secd, cscd, cotd, asind, acosd, atand, asecd, acscd, acotd, sincosd, hypot,
       deg2rad, rad2deg, isqrt

sqrt(x::MachineReal) = _sqrt(x)
cbrt(x::MachineReal) = _cbrt(x)
exp(x::MachineReal) = _exp(x)
exp2(x::MachineReal) = _exp2(x)
exp10(x::MachineReal) = _exp10(x)
expm1(x::MachineReal) = _expm1(x)
log(x::MachineReal) = _log(x)
log2(x::MachineReal) = _log2(x)
log10(x::MachineReal) = _log10(x)
log1p(x::MachineReal) = _log1p(x)
sin(x::MachineReal) = _sin(x)
cos(x::MachineReal) = _cos(x)
tan(x::MachineReal) = _tan(x)
asin(x::MachineReal) = _asin(x)
acos(x::MachineReal) = _acos(x)
atan(x::MachineReal) = _atan(x)
sinh(x::MachineReal) = _sinh(x)
cosh(x::MachineReal) = _cosh(x)
tanh(x::MachineReal) = _tanh(x)
asinh(x::MachineReal) = _asinh(x)
acosh(x::MachineReal) = _acosh(x)
atanh(x::MachineReal) = _atanh(x)
sinpi(x::MachineReal) = _sinpi(x)
cospi(x::MachineReal) = _cospi(x)
tanpi(x::MachineReal) = _tanpi(x)
sind(x::MachineReal) = _sind(x)
cosd(x::MachineReal) = _cosd(x)
tand(x::MachineReal) = _tand(x)
sincos(x::MachineReal) = _sincos(x)
sincospi(x::MachineReal) = _sincospi(x)
sincosd(x::MachineReal) = _sincosd(x)
atan(y::MachineReal, x::MachineReal) = _atan2(y, x)
log(b::MachineReal, x::MachineReal) = _log_base(b, x)
hypot(x::MachineReal, y::MachineReal) = _hypot(x, y)

sqrt(x::Real) = sqrt(float(x))
cbrt(x::Real) = cbrt(float(x))
exp(x::Real) = exp(float(x))
exp2(x::Real) = exp2(float(x))
exp10(x::Real) = exp10(float(x))
expm1(x::Real) = expm1(float(x))
log(x::Real) = log(float(x))
log2(x::Real) = log2(float(x))
log10(x::Real) = log10(float(x))
log1p(x::Real) = log1p(float(x))
sin(x::Real) = sin(float(x))
cos(x::Real) = cos(float(x))
tan(x::Real) = tan(float(x))
asin(x::Real) = asin(float(x))
acos(x::Real) = acos(float(x))
atan(x::Real) = atan(float(x))
sinh(x::Real) = sinh(float(x))
cosh(x::Real) = cosh(float(x))
tanh(x::Real) = tanh(float(x))
asinh(x::Real) = asinh(float(x))
acosh(x::Real) = acosh(float(x))
atanh(x::Real) = atanh(float(x))
sinpi(x::Real) = sinpi(float(x))
cospi(x::Real) = cospi(float(x))
tanpi(x::Real) = tanpi(float(x))
sind(x::Real) = sind(float(x))
cosd(x::Real) = cosd(float(x))
tand(x::Real) = tand(float(x))
sincos(x) = (sin(x), cos(x))
sincospi(x) = (sinpi(x), cospi(x))
sincosd(x) = (sind(x), cosd(x))
atan(y::Real, x::Real) = atan(promote(float(y), float(x))...)
log(b::Number, x::Number) = log(promote(b, x)...)
log(b::T, x::T) where {T<:Number} = log(x) / log(b)
fourthroot(x::Number) = sqrt(sqrt(x))

const √ = sqrt
const ∛ = cbrt
const ∜ = fourthroot

# ---- reciprocals and their inverses

sec(z::Number) = inv(cos(z))
csc(z::Number) = inv(sin(z))
cot(z::Number) = inv(tan(z))
sech(z::Number) = inv(cosh(z))
csch(z::Number) = inv(sinh(z))
coth(z::Number) = inv(tanh(z))
secd(z::Number) = inv(cosd(z))
cscd(z::Number) = inv(sind(z))
cotd(z::Number) = inv(tand(z))
asec(y::Number) = acos(inv(y))
acsc(y::Number) = asin(inv(y))
acot(y::Number) = atan(inv(y))
asech(y::Number) = acosh(inv(y))
acsch(y::Number) = asinh(inv(y))
acoth(y::Number) = atanh(inv(y))

# ---- degrees

rad2deg(x::AbstractFloat) = x * (180 / oftype(x, π))
deg2rad(x::AbstractFloat) = x * (oftype(x, π) / 180)
rad2deg(x::Real) = rad2deg(float(x))
deg2rad(x::Real) = deg2rad(float(x))
rad2deg(x::Number) = x * (180 / π)
deg2rad(x::Number) = x * (π / 180)
asind(y::Number) = rad2deg(asin(y))
acosd(y::Number) = rad2deg(acos(y))
atand(y::Number) = rad2deg(atan(y))
atand(y::Real, x::Real) = rad2deg(atan(y, x))
asecd(y::Number) = rad2deg(asec(y))
acscd(y::Number) = rad2deg(acsc(y))
acotd(y::Number) = rad2deg(acot(y))

# ---- sinc

sinc(x::Number) = _sinc(float(x))
_sinc(x) = iszero(x) ? one(x) : isinf_number(x) ? zero(x) : sinpi(x) / (oftype(x, π) * x)
isinf_number(x::Real) = isinf(x)
isinf_number(x::Number) = isinf(real(x))
cosc(x::Number) = _cosc(float(x))
function _cosc(x)
    isinf_number(x) && return zero(x)
    # Near zero the difference below loses its digits: the series instead.
    if abs(x) < 0.5
        a = (oftype(x, π) * x)^2
        term = -oftype(x, π)^2 * x / 3
        s = zero(x)
        k = 1
        while k < 12
            s += term * (2k + 0) / (2k)
            term = -term * a * (2k + 2) / ((2k) * (2k + 2) * (2k + 3))
            k += 1
        end
        return s
    end
    return (cospi(x) - sinpi(x) / (oftype(x, π) * x)) / x
end

# ---- hypot

hypot(x::Number) = abs(float(x))
hypot(x::Number, y::Number) = _hypot_of(promote(abs(float(x)), abs(float(y)))...)
hypot(x::Complex, y::Complex) = hypot(abs(x), abs(y))
hypot(x::Number, y::Number, z::Number, rest::Number...) = _hypot_all(promote(map(v -> abs(float(v)), (x, y, z, rest...))...)...)
_hypot_of(x::MachineReal, y::MachineReal) = _hypot(x, y)
function _hypot_of(x, y)
    a, b = minmax(abs(x), abs(y))
    return iszero(b) ? b : b * sqrt(one(b) + (a / b)^2)
end
