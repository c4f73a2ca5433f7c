# Functions of complex numbers.

sqrt(z::Complex{<:IEEEFloat}) = _complex_sqrt(z)
exp(z::Complex{<:IEEEFloat}) = _complex_exp(z)
expm1(z::Complex{<:IEEEFloat}) = _complex_expm1(z)
log(z::Complex{<:IEEEFloat}) = _complex_log(z)
log1p(z::Complex{<:IEEEFloat}) = _complex_log1p(z)
sin(z::Complex{<:IEEEFloat}) = _complex_sin(z)
cos(z::Complex{<:IEEEFloat}) = _complex_cos(z)
sinh(z::Complex{<:IEEEFloat}) = _complex_sinh(z)
cosh(z::Complex{<:IEEEFloat}) = _complex_cosh(z)
tanh(z::Complex{<:IEEEFloat}) = _complex_tanh(z)
asin(z::Complex{<:IEEEFloat}) = _complex_asin(z)
acos(z::Complex{<:IEEEFloat}) = _complex_acos(z)
asinh(z::Complex{<:IEEEFloat}) = _complex_asinh(z)
acosh(z::Complex{<:IEEEFloat}) = _complex_acosh(z)
atanh(z::Complex{<:IEEEFloat}) = _complex_atanh(z)

sqrt(z::Complex) = sqrt(float(z))
exp(z::Complex) = exp(float(z))
expm1(z::Complex) = expm1(float(z))
log(z::Complex) = log(float(z))
log1p(z::Complex) = log1p(float(z))
sin(z::Complex) = sin(float(z))
cos(z::Complex) = cos(float(z))
sinh(z::Complex) = sinh(float(z))
cosh(z::Complex) = cosh(float(z))
tanh(z::Complex) = tanh(float(z))
asin(z::Complex) = asin(float(z))
acos(z::Complex) = acos(float(z))
asinh(z::Complex) = asinh(float(z))
acosh(z::Complex) = acosh(float(z))
atanh(z::Complex) = atanh(float(z))

# tan(z) = -i tanh(iz), and so for atan.
function tan(z::Complex)
    w = tanh(Complex(-z.im, z.re))
    return Complex(w.im, -w.re)
end
function atan(z::Complex)
    w = atanh(Complex(-z.im, z.re))
    return Complex(w.im, -w.re)
end

function exp2(z::Complex{T}) where {T<:AbstractFloat}
    r = exp2(z.re)
    iszero(z.im) && return Complex(r, z.im)
    s, c = sincos(z.im * log(oftype(r, 2)))
    return Complex(r * c, r * s)
end
function exp10(z::Complex{T}) where {T<:AbstractFloat}
    r = exp10(z.re)
    iszero(z.im) && return Complex(r, z.im)
    s, c = sincos(z.im * log(oftype(r, 10)))
    return Complex(r * c, r * s)
end
exp2(z::Complex) = exp2(float(z))
exp10(z::Complex) = exp10(float(z))
function log10(z::Complex)
    w = log(float(z))
    return Complex(log10(abs(float(z))), w.im / log(oftype(w.im, 10)))
end
function log2(z::Complex)
    w = log(float(z))
    return Complex(log2(abs(float(z))), w.im / log(oftype(w.im, 2)))
end
cbrt(z::Complex) = throw(MethodError(cbrt, (z,)))

function sinpi(z::Complex)
    x, y = reim(float(z))
    t = oftype(y, π) * y
    s, c = sincospi(x)
    return Complex(s * cosh(t), iszero(y) ? c * y : c * sinh(t))
end
function cospi(z::Complex)
    x, y = reim(float(z))
    t = oftype(y, π) * y
    s, c = sincospi(x)
    return Complex(c * cosh(t), iszero(y) || iszero(s) ? -(s * y) : -s * sinh(t))
end

# ---- powers

^(z::Complex{T}, p::Complex{T}) where {T<:Real} = _power(float(z), float(p))
^(z::Complex, p::Complex) = ^(promote(z, p)...)
^(z::Complex, p::AbstractFloat) = ^(promote(z, Complex(p))...)
^(z::Complex, p::Rational) = ^(promote(z, Complex(p))...)
^(x::Real, p::Complex) = _real_base(promote(Complex(x), p)...)
_real_base(z, p) = _real_base_float(float(z), float(p))
function _real_base_float(z::Complex{T}, p::Complex{T}) where {T<:AbstractFloat}
    (z.re > 0 && isfinite(z) && isfinite(p)) || return _power(z, p)
    return _cartesian(z.re^p.re, p.im * log(z.re))
end
^(z::Complex, n::Integer) = power_by_squaring(z, n)
^(z::Complex{<:Integer}, n::Integer) = n < 0 ? power_by_squaring(inv(float(z)), -n) : power_by_squaring(z, n)

_power(z::Complex{T}, p::Complex{T}) where {T<:AbstractFloat} = _power_of_parts(z.re, z.im, p.re, p.im)
_power(z::Complex{T}, p::Complex{T}) where {T<:IEEEFloat} =
    _with_rule(_power_of_parts, _power_rule, z.re, z.im, p.re, p.im)
# Values go by the cases below, each of which looks at some of the parts only; the derivative is that of the power, whatever the case.
function _power_rule(zr, zi, pr, pi_, dzr, dzi, dpr, dpi)
    z, p = Complex(zr, zi), Complex(pr, pi_)
    w = _with_rule(_power_of_parts, _power_rule, zr, zi, pr, pi_)
    by_base = iszero(p) ? zero(w) : p * _with_rule(_power_of_parts, _power_rule, zr, zi, pr - 1, pi_) * Complex(dzr, dzi)
    by_exponent = iszero(z) ? zero(w) : w * log(z) * Complex(dpr, dpi)
    return w, by_base + by_exponent
end
function _power_of_parts(zr::T, zi::T, pr::T, pi_::T) where {T<:AbstractFloat}
    z = Complex(zr, zi)
    if iszero(pi_)
        if isnan(zr) && iszero(zi) && !iszero(pr)
            return isinteger(pr) ? z : Complex(zr, zr)
        end
        iszero(z) && pr < 0 && return Complex(T(NaN), T(NaN))
        if isinteger(pr) && abs(pr) < 2147483647
            iszero(pr) && return Complex(one(T), flipsign(copysign(zero(T), zi), pr))
            return z^Int(pr)
        end
        if iszero(zi)
            if zr >= 0 || isnan(zr)
                # On the positive axis the result stays there, on the side that the angle comes from.
                return Complex(zr^pr, _zero_like(zi * pr, zi, pr))
            end
            r = (-zr)^pr
            isfinite(pr) || return _cartesian(r, pr * copysign(T(π), zi))
            return Complex(_times(r, cospi(pr)), copysign(one(T), zi) * _times(r, sinpi(pr)))
        end
        return _cartesian(abs(z)^pr, pr * angle(z))
    end
    if iszero(zr) && iszero(zi)
        return pr > 0 ? Complex(zr, zi) : Complex(T(NaN), T(NaN))
    end
    if iszero(zi) && zr > 0
        isone(zr) && return Complex(one(T), zero(T))
        return _cartesian(zr^pr, pi_ * log(zr))
    end
    r = abs(z)
    a = angle(z)
    return _cartesian(r^pr * exp(-pi_ * a), pr * a + pi_ * log(r))
end
_zero_like(x, zi, pr) = isnan(x) ? zero(x) : copysign(zero(x), flipsign(zi, pr))
_times(r, f) = iszero(f) ? copysign(zero(r), f) : r * f
function _cartesian(r::T, angle) where {T}
    if isfinite(angle)
        s, c = sincos(angle)
        return Complex(_times(r, c), _times(r, s))
    end
    iszero(r) && return Complex(r, zero(T))
    return Complex(T(NaN), T(NaN))
end
