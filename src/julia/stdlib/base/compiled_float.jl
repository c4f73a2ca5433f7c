# Functions and parts of floats as compiled code has them.

_compiled_eps(x::IEEEFloat) = isfinite(x) ? _distance(abs(x)) : oftype(x, NaN)
function _distance(x::T) where {T}
    x < floatmin(T) && return nextfloat(zero(T))
    y = nextfloat(x)
    return isfinite(y) ? y - x : x - prevfloat(x)
end

_float_bits(x::Float64) = reinterpret(UInt64, x)
_float_bits(x::Float32) = reinterpret(UInt32, x)
_float_bits(x::Float16) = reinterpret(UInt16, x)
_fraction_bits(::Type{Float64}) = 52
_fraction_bits(::Type{Float32}) = 23
_fraction_bits(::Type{Float16}) = 10
_exponent_bias(::Type{Float64}) = 1023
_exponent_bias(::Type{Float32}) = 127
_exponent_bias(::Type{Float16}) = 15

# A finite number other than zero as (f, e) with 1 ≤ |f| < 2 and x = f 2^e.
function _parts_of_float(x::T) where {T}
    n = _fraction_bits(T)
    # Numbers below the least normal one have their exponent in their leading bits.
    is_small = abs(x) < floatmin(T)
    y = is_small ? x * oftype(x, 1 << (n + 1)) : x
    u = _float_bits(y)
    top = one(u) << (8 * sizeof(T) - 1)
    e = Int((u & ~top) >> n) - _exponent_bias(T)
    f = (u & (top | ((one(u) << n) - one(u)))) | (oftype(u, _exponent_bias(T)) << n)
    return (reinterpret(T, f), is_small ? e - n - 1 : e)
end

function _compiled_exponent(x::IEEEFloat)
    isfinite(x) || throw(DomainError(x, "Cannot be NaN or Inf."))
    iszero(x) && throw(DomainError(x, "Cannot be ±0.0."))
    return _parts_of_float(x)[2]
end
_compiled_significand(x::IEEEFloat) = !isfinite(x) || iszero(x) ? x : _parts_of_float(x)[1]
function _compiled_frexp(x::IEEEFloat)
    (!isfinite(x) || iszero(x)) && return (x, 0)
    f, e = _parts_of_float(x)
    return (f / oftype(x, 2), e + 1)
end

# x 2^n by factors that each are floats; what becomes too small is rounded once.
function _compiled_ldexp(x::T, n::Integer) where {T<:IEEEFloat}
    (!isfinite(x) || iszero(x)) && return x
    f, e = _parts_of_float(x)
    bias = _exponent_bias(T)
    to = e + clamp(Int64(n), -100000, 100000)
    to > bias && return copysign(oftype(x, Inf), x)
    low = 1 - bias
    to >= low && return f * _two_to(T, to)
    to < low - _fraction_bits(T) - 2 && return copysign(zero(x), x)
    half = _two_to(T, low)
    return (f * half) * _two_to(T, to - low)
end
function _two_to(::Type{T}, e::Int) where {T}
    u = _float_bits(one(T))
    return reinterpret(T, ((e + _exponent_bias(T)) % typeof(u)) << _fraction_bits(T))
end

function _compiled_modf(x::IEEEFloat)
    isinf(x) && return (copysign(zero(x), x), x)
    whole = trunc(x)
    return (copysign(x - whole, x), whole)
end
_compiled_issubnormal(x::T) where {T<:IEEEFloat} = !iszero(x) && abs(x) < floatmin(T)
_compiled_issubnormal(x::Integer) = false

function _compiled_hypot_all(xs::T...) where {T<:IEEEFloat}
    any(isinf, xs) && return oftype(xs[1], Inf)
    m = maximum(xs)
    (isnan(m) || iszero(m)) && return m
    s = zero(m)
    for x in xs
        s += (x / m) * (x / m)
    end
    return m * sqrt(s)
end

# Floats in their order are integers: zeros of both signs are 0.
function _compiled_step_float(x::T, n::Int) where {T<:IEEEFloat}
    isnan(x) && return x
    u = _float_bits(x)
    top = one(u) << (8 * sizeof(T) - 1)
    size = Int(u & ~top)
    limit = Int(_float_bits(oftype(x, Inf)))
    is_negative = signbit(x)
    at = is_negative ? -size : size
    # As far as the infinities, which may be more steps away than an Int counts.
    room = n > 0 ? unsigned(limit) - unsigned(at) : unsigned(limit) + unsigned(at)
    to = unsigned(abs(n)) > room ? (n > 0 ? limit : -limit) : at + n
    v = (abs(to) % typeof(u))
    return reinterpret(T, to < 0 || (to == 0 && is_negative) ? v | top : v)
end

# ---- angles in turns

# (sin, cos) of x quarter turns of `quarter`, exact at the quarters.
function _turns(x::Float64, quarter::Float64)
    isinf(x) && throw(DomainError(x, "`x` cannot be infinite."))
    isnan(x) && return (x, x)
    r = rem(x, 4quarter)
    n = round(r / quarter)
    t = (r - n * quarter) / (2quarter)
    # π in two parts, since t has all its digits.
    h = t * 3.141592653589793
    a = h + (_product_error(t, 3.141592653589793, h) + t * 1.2246467991473532e-16)
    s = sin(a)
    c = cos(a)
    k = mod(Int(n), 4)
    sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c
    cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s
    return (iszero(sine) ? copysign(0.0, x) : sine, iszero(cosine) ? 0.0 : cosine)
end
_result_type(x::IEEEFloat) = typeof(x)
_result_type(x::Real) = Float64
_compiled_sinpi(x) = _result_type(x)(_turns(Float64(x), 0.5)[1])
_compiled_cospi(x) = _result_type(x)(_turns(Float64(x), 0.5)[2])
_compiled_tanpi(x) = _quotient_of_turns(x, 0.5)
_compiled_sind(x) = _result_type(x)(_turns(Float64(x), 90.0)[1])
_compiled_cosd(x) = _result_type(x)(_turns(Float64(x), 90.0)[2])
_compiled_tand(x) = _quotient_of_turns(x, 90.0)
function _quotient_of_turns(x, quarter)
    s, c = _turns(Float64(x), quarter)
    return _result_type(x)(s / c)
end
function _compiled_sincospi(x)
    s, c = _turns(Float64(x), 0.5)
    return (_result_type(x)(s), _result_type(x)(c))
end
function _compiled_sincosd(x)
    s, c = _turns(Float64(x), 90.0)
    return (_result_type(x)(s), _result_type(x)(c))
end

function _compiled_rem2pi(x, side)
    T = _result_type(x)
    w = Float64(x)
    isfinite(w) || return T(NaN)
    s, c = sincos(w)
    r = abs(w) <= 3.141592653589793 ? w : atan(s, c)
    if side == 2 || (side == 1 && w > 0)
        return T(r < 0 ? r + 6.283185307179586 : r)
    elseif side == 3 || (side == 1 && w < 0)
        return T(r > 0 ? r - 6.283185307179586 : r)
    end
    return T(r)
end

function _compiled_log_base(b, x)
    T = promote_type(_result_type(b), _result_type(x))
    u = T(b)
    v = T(x)
    u == 2 && return log2(v)
    u == 10 && return log10(v)
    return T(log(Float64(v)) / log(Float64(u)))
end

# rem(x, y, RoundNearest), exact as rem is.
function _compiled_rem_nearest(x::T, y::T) where {T<:IEEEFloat}
    d = abs(y)
    (isinf(x) || iszero(y) || isnan(y)) && return oftype(x, NaN)
    isinf(y) && return x
    # Half of the divisor may be no float; twice the rest may be infinite.
    r = abs(rem(x, d))
    is_odd = d < floatmax(T) / 2 ? rem(abs(x), d + d) >= d : abs(x) >= d
    rest = d - r
    out = r > rest || (r == rest && is_odd) ? -rest : r
    return iszero(out) ? copysign(zero(x), x) : (signbit(x) ? -out : out)
end

function _compiled_isqrt(x::Integer)
    x < 0 && throw(DomainError(x, "a root of a negative number"))
    n = UInt64(unsigned(x))
    s = min(unsafe_trunc(UInt64, sqrt(Float64(n))), 0x00000000ffffffff)
    while s * s > n
        s -= UInt64(1)
    end
    while s < 0x00000000ffffffff && (s + UInt64(1)) * (s + UInt64(1)) <= n
        s += UInt64(1)
    end
    return s % typeof(x)
end
