# Functions of complex numbers as compiled code has them. They are computed in Float64, by Kahan's formulas ("Branch cuts for complex
# elementary functions"): none of them loses digits near a branch cut or a zero; infinities and NaN are those of C's annex G.

_wide_parts(z::Complex) = (Float64(z.re), Float64(z.im))
_of_parts(z::Complex{T}, (re, im)) where {T} = Complex{T}(T(re), T(im))

_compiled_complex_sinh(z) = _of_parts(z, _sinh_parts(_wide_parts(z)...))
_compiled_complex_cosh(z) = _of_parts(z, _cosh_parts(_wide_parts(z)...))
_compiled_complex_tanh(z) = _of_parts(z, _tanh_parts(_wide_parts(z)...))
_compiled_complex_asin(z) = _of_parts(z, _asin_parts(_wide_parts(z)...))
_compiled_complex_acos(z) = _of_parts(z, _acos_parts(_wide_parts(z)...))
_compiled_complex_asinh(z) = _of_parts(z, _asinh_parts(_wide_parts(z)...))
_compiled_complex_acosh(z) = _of_parts(z, _acosh_parts(_wide_parts(z)...))
_compiled_complex_atanh(z) = _of_parts(z, _atanh_parts(_wide_parts(z)...))

# (sin y, cos y) times r, where a zero keeps its sign and infinities times zero are no NaN.
_scaled(r, f) = iszero(f) ? copysign(0.0, signbit(r) ? -f : f) : r * f

function _sinh_parts(x, y)
    if !isfinite(y)
        iszero(x) && return (x, NaN)
        return isinf(x) ? (Inf, NaN) : (NaN, NaN)
    end
    isnan(x) && return (NaN, iszero(y) ? y : NaN)
    s, c = sincos(y)
    if abs(x) > 700
        # Half of the exponential twice: it alone may be too large.
        h = exp(min(abs(x), 1500.0) / 2)
        return (_scaled(h, _scaled(copysign(h, x) / 2, c)), _scaled(h, _scaled(h / 2, s)))
    end
    return (sinh(x) * c, _scaled(cosh(x), s))
end

function _cosh_parts(x, y)
    if !isfinite(y)
        iszero(x) && return (NaN, 0.0)
        return isinf(x) ? (Inf, NaN) : (NaN, NaN)
    end
    isnan(x) && return (NaN, iszero(y) ? y : NaN)
    s, c = sincos(y)
    if abs(x) > 700
        h = exp(min(abs(x), 1500.0) / 2)
        return (_scaled(h, _scaled(h / 2, c)), _scaled(h, _scaled(copysign(h, x) / 2, s)))
    end
    return (cosh(x) * c, _scaled(sinh(x), s))
end

function _tanh_parts(x, y)
    if isinf(x)
        isfinite(y) || return (copysign(1.0, x), isnan(y) ? 0.0 : copysign(0.0, y))
        return (copysign(1.0, x), copysign(0.0, sin(2y)))
    end
    isnan(x) && return (NaN, iszero(y) ? y : NaN)
    isnan(y) && return (NaN, NaN)
    isinf(y) && throw(DomainError(Complex(x, y), "tan(x) is only defined for finite x."))
    if abs(x) > 22
        # exp(-2|x|) is all that is left of the imaginary part.
        s, c = sincos(y)
        return (copysign(1.0, x), 4 * s * c * exp(-2 * abs(x)))
    end
    t = tan(y)
    b = 1 + t * t
    s = sinh(x)
    r = sqrt(1 + s * s)
    isinf(t) && return (r / s, 1 / t)
    d = 1 + b * s * s
    return (b * (r * s) / d, t / d)
end

# The square root with the sign of the imaginary part on its own.
function _sqrt_parts(x, y)
    isinf(y) && return (Inf, y)
    if isinf(x)
        x > 0 && return (x, isnan(y) ? y : copysign(0.0, y))
        return isnan(y) ? (NaN, x) : (0.0, copysign(Inf, y))
    end
    (isnan(x) || isnan(y)) && return (NaN, NaN)
    iszero(x) && iszero(y) && return (0.0, y)
    m = max(abs(x), abs(y))
    scale = m > 0x1p1000 ? 0x1p-4 : m < 0x1p-960 ? 0x1p120 : 1.0
    back = m > 0x1p1000 ? 4.0 : m < 0x1p-960 ? 0x1p-60 : 1.0
    u = x * scale
    v = y * scale
    t = sqrt((abs(u) + hypot(u, v)) / 2)
    x >= 0 && return (t * back, v / (2t) * back)
    return (abs(v) / (2t) * back, copysign(t * back, y))
end

function _acos_parts(x, y)
    if isinf(y)
        isnan(x) && return (NaN, -y)
        isfinite(x) && return (π / 2, -y)
        return (x > 0 ? π / 4 : 3π / 4, -y)
    end
    if isinf(x)
        isnan(y) && return (NaN, Inf)
        return (x > 0 ? 0.0 : Float64(π), copysign(Inf, -y))
    end
    isnan(y) && return (iszero(x) ? π / 2 : NaN, NaN)
    isnan(x) && return (NaN, NaN)
    a, b = _sqrt_parts(1 - x, -y)
    c, d = _sqrt_parts(1 + x, y)
    return (2 * atan(a, c), asinh(b * c - a * d))
end

function _asinh_parts(x, y)
    if isinf(x)
        isnan(y) && return (x, NaN)
        return (x, isinf(y) ? copysign(π / 4, y) : copysign(0.0, y))
    end
    if isinf(y)
        isnan(x) && return (Inf, NaN)
        return (copysign(Inf, x), copysign(π / 2, y))
    end
    isnan(x) && return (NaN, iszero(y) ? y : NaN)
    isnan(y) && return (NaN, NaN)
    # asinh(z) = -i asin(iz), iz = -y + ix
    a, b = _sqrt_parts(1 + y, -x)
    c, d = _sqrt_parts(1 - y, x)
    return (asinh(a * d - b * c), atan(y, a * c - b * d))
end

function _asin_parts(x, y)
    isinf(x) && isnan(y) && return (NaN, Inf)
    re, im = _asinh_parts(-y, x)
    return (im, -re)
end

function _acosh_parts(x, y)
    re, im = _acos_parts(x, y)
    isnan(re) && return (isinf(im) ? Inf : NaN, NaN)
    isnan(im) && return (NaN, iszero(x) ? re : NaN)
    return (abs(im), copysign(re, y))
end

function _atanh_parts(x, y)
    half = copysign(π / 2, y)
    isinf(y) && return (copysign(0.0, isnan(x) ? 1.0 : x), half)
    isinf(x) && return (copysign(0.0, x), isnan(y) ? NaN : half)
    isnan(x) && return (NaN, NaN)
    isnan(y) && return (iszero(x) ? x : NaN, NaN)
    u = abs(x)
    v = abs(y)
    if u > 1e150 || v > 1e150
        # The real part of 1/z: what follows in the series has no digit of it.
        h = max(u, v)
        p = u / h
        q = v / h
        return (copysign(p / (p * p + q * q) / h, x), half)
    end
    if u == 1
        iszero(v) && return (copysign(Inf, x), y)
        l = v > 1 ? log1p(4 / (v * v)) / 4 : log(sqrt(sqrt(4 + v * v)) / sqrt(v))
        return (copysign(l, x), copysign((π / 2 + atan(v / 2)) / 2, y))
    end
    w = 1 - u
    re = log1p(4u / (w * w + v * v)) / 4
    im = atan(2v, w * (1 + u) - v * v) / 2
    return (copysign(re, x), copysign(im, y))
end
