# Ranges of floats as compiled code has them: the end points are taken for the decimal fractions that they come from.

# a b + c, rounded once: the parts that a plain sum would lose are added with a last bit that keeps the rounding right.
function _compiled_fma(a::Float64, b::Float64, c::Float64)
    p = a * b
    (!isfinite(p + c) || iszero(p)) && return p + c
    # Beyond these the parts of the product have no exact form.
    is_far = abs(a) > 0x1p900 || abs(b) > 0x1p900 || abs(p) > 0x1p1000 || abs(p) < 0x1p-900 || abs(c) > 0x1p1000
    is_far && throw(ArgumentError("fma of numbers that are left to the host"))
    e = _product_error(a, b, p)
    t, u = two_sum(c, e)
    v, w = two_sum(p, t)
    return v + _odd_sum(u, w)
end
function _compiled_fma(a::T, b::T, c::T) where {T<:Union{Float32,Float16}}
    return T(_odd_sum(Float64(a) * Float64(b), Float64(c)))
end
_high_half(x::Float64) = (c = 134217729.0 * x; c - (c - x))
function _product_error(a::Float64, b::Float64, p::Float64)
    a_high = _high_half(a)
    b_high = _high_half(b)
    a_low = a - a_high
    b_low = b - b_high
    return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low
end
# A sum that is exact or ends in an odd bit.
function _odd_sum(a::Float64, b::Float64)
    s, e = two_sum(a, b)
    (iszero(e) || !isfinite(s)) && return s
    u = reinterpret(UInt64, s)
    isodd(u) && return s
    return reinterpret(Float64, signbit(s) == signbit(e) ? u + UInt64(1) : u - UInt64(1))
end

# Integers of up to 106 bits as two floats.
_exact_product(a::Int, b::Int) = (x = Float64(a); y = Float64(b); p = x * y; (p, _product_error(x, y, p)))
function _exact_sum(a, b)
    s, e = two_sum(a[1], b[1])
    return two_sum(s, e + (a[2] + b[2]))
end

_largest_term(::Type{Float64}) = 16777216.0
_largest_term(::Type{T}) where {T} = 2048.0
_largest_integer(::Type{Float64}) = 9007199254740992.0
_largest_integer(::Type{Float32}) = 16777216.0
_largest_integer(::Type{Float16}) = 2048.0

# The first convergent of the continued fraction that rounds to x; the last one with small terms when none does.
function _fraction_of(x::T) where {T}
    n, n_before, d, d_before = 1, 0, 0, 1
    rest = x
    most = _largest_term(T)
    left = true
    while left && abs(rest) <= most
        whole = trunc(rest)
        rest = rest - whole
        f = unsafe_trunc(Int, whole)
        n, n_before = f * n + n_before, n
        d, d_before = f * d + d_before, d
        if max(abs(n), abs(d)) > most
            n, d = n_before, d_before
            left = false
        elseif T(Float64(n) / Float64(d)) == x
            left = false
        else
            rest = one(T) / rest
        end
    end
    return (n, d)
end
_is_fraction(n, d, x::T) where {T} = d != 0 && T(Float64(n) / Float64(d)) == x

# Both as fractions of one denominator, which is 0 when there is none.
function _common_fractions(a::T, b::T) where {T}
    n, c = _fraction_of(a)
    m, d = _fraction_of(b)
    (_is_fraction(n, c, a) && _is_fraction(m, d, b)) || return (0, 0, 0)
    e = div(abs(c), gcd(c, d)) * abs(d)
    x = Float64(a) * Float64(e)
    y = Float64(b) * Float64(e)
    most = _largest_integer(T)
    (e == 0 || abs(x) > most || abs(y) > most) && return (0, 0, 0)
    return (Int(round(x)), Int(round(y)), e)
end

# Bits that the high part of a step leaves free, so that its products with the positions are exact.
function _free_bits(len, offset)
    len < 2 && return 0
    return min(64 - leading_zeros(max(offset - 1, len - offset)), 27)
end
function _with_free_bits(p, bits)
    h = reinterpret(Float64, reinterpret(UInt64, p[1]) & (~UInt64(0) << bits))
    return (h, (p[1] - h) + p[2])
end

_float_range_of(::Type{Float64}, ref, step, len, offset) =
    _new(StepRangeLen{Float64,TwicePrecision{Float64},TwicePrecision{Float64},Int}, TwicePrecision(ref[1], ref[2]),
        TwicePrecision(step[1], step[2]), max(len, 0), offset)
_float_range_of(::Type{T}, ref, step, len, offset) where {T} =
    _new(StepRangeLen{T,Float64,Float64,Int}, ref[1] + ref[2], step[1] + step[2], max(len, 0), offset)

# n / d of integers below 2^53 with the digits of two floats.
function _exact_quotient(n::Int, d::Int)
    x = Float64(n)
    y = Float64(d)
    h = x / y
    p = h * y
    return (h, ((x - p) - _product_error(h, y, p)) / y)
end
# The element next to zero, of which the others are counted.
function _reference_offset(at::Float64, len)
    return len < 2 ? 1 : at <= 1 || isnan(at) ? 1 : at >= len ? len : Int(at)
end

# Elements (start + i step) / d.
function _fraction_range(::Type{T}, start, step, len, d) where {T}
    is_plain = len < 2 || step == 0
    offset = is_plain ? 1 : _reference_offset(round(-Float64(start) / Float64(step) + 1), len)
    bits = is_plain ? 0 : _free_bits(len, offset)
    return _float_range_of(T, _exact_quotient(start + (offset - 1) * step, d),
        _with_free_bits(_exact_quotient(step, d), bits), len, offset)
end

_lies_between(a, x, b) = (a <= x && x <= b) || (b <= x && x <= a)

# How many of start, start + step, … lie up to stop, all of them fractions: -1 when that is not known.
function _count_of_fractions(start::T, step::T, stop::T, a, b, d) where {T}
    n, c = _fraction_of(stop)
    (d != 0 && b != 0 && _is_fraction(n, c, stop)) || return -1
    unit = _exact_product(b, c)
    reach = _exact_sum(_exact_sum(_exact_product(d, n), _exact_product(-c, a)), unit)
    q = reach[1] / unit[1]
    q < 1e15 || return -1
    k = trunc(q)
    # What is left after k whole ones tells whether the quotient was rounded across an integer.
    p = k * unit[1]
    rest = _exact_sum(reach, (-p, -(_product_error(k, unit[1], p) + k * unit[2])))
    left = unit[1] < 0 ? -rest[1] : rest[1]
    size = abs(unit[1])
    k += left < 0 ? -1.0 : left >= size ? 1.0 : 0.0
    len = k > 0 ? Int(k) : 0
    x = Float64(start)
    s = Float64(step)
    e = Float64(stop)
    is_inside = len == 0 || _lies_between(x, x + (len - 1) * s, e + s / 2)
    is_all = !_lies_between(x, x + len * s, e)
    return is_inside && is_all ? len : -1
end

function _compiled_float_colon(start::T, step::T, stop::T) where {T<:IEEEFloat}
    step == 0 && throw(ArgumentError("range step cannot be zero"))
    (isfinite(start) && isfinite(step) && !isnan(stop)) || throw(ArgumentError("range bounds and step must be finite"))
    a, b, d = _common_fractions(start, step)
    len = _count_of_fractions(start, step, stop, a, b, d)
    len >= 0 && return _fraction_range(T, a, b, len, d)
    x = Float64(start)
    s = Float64(step)
    e = Float64(stop)
    steps = Float64(T((e - x) / s))
    steps > 9e18 && throw(ArgumentError("the range has too many elements"))
    n = steps < 0 ? 0 : steps > 0 ? Int(round(steps)) + 1 : 1
    last = x + (n - 1) * s
    if steps > 0 && ((x < e && e < last) || (x > e && e > last))
        n -= 1
    end
    return _float_range_of(T, (x, 0.0), (s, 0.0), n, 1)
end

function _compiled_float_step_range(start::T, step::T, len) where {T<:IEEEFloat}
    n = Int(len)
    n < 0 && throw(ArgumentError("length cannot be negative"))
    a, b, d = _common_fractions(start, step)
    d != 0 && return _fraction_range(T, a, b, n, d)
    return _float_range_of(T, (Float64(start), 0.0), (Float64(step), 0.0), n, 1)
end

function _compiled_float_range(start::T, stop::T, len) where {T<:IEEEFloat}
    n = Int(len)
    n < 0 && throw(ArgumentError("length cannot be negative"))
    n == 1 && start != stop && throw(ArgumentError("endpoints differ"))
    (isfinite(start) && isfinite(stop)) || throw(ArgumentError("start and stop must be finite"))
    x = Float64(start)
    y = Float64(stop)
    n < 2 && return _float_range_of(T, (x, 0.0), (n == 0 ? y - x : 0.0, 0.0), n, 1)
    start == stop && return _float_range_of(T, (x, 0.0), (0.0, 0.0), n, 1)
    a, b, d = _common_fractions(start, stop)
    (d != 0 && _is_fraction(a, d, start) && _is_fraction(b, d, stop)) && return _spaced_fractions(T, a, b, n, d)
    return _spaced_floats(T, x, y, n)
end

function _spaced_fractions(::Type{T}, start, stop, len, d) where {T}
    at = -Float64(start) / (Float64(stop) - Float64(start))
    offset = _reference_offset(round(at * (len - 1) + 1), len)
    all = _exact_product(len - 1, d)
    sum = _exact_sum(_exact_product(len - offset, start), _exact_product(offset - 1, stop))
    step = _quotient_of_parts((Float64(stop) - Float64(start), 0.0), all)
    return _float_range_of(T, _quotient_of_parts(sum, all), _with_free_bits(step, _free_bits(len, offset)), len, offset)
end
# A quotient of numbers in two parts.
function _quotient_of_parts(n, d)
    h = n[1] / d[1]
    p = h * d[1]
    rest = _exact_sum(n, (-p, -(_product_error(h, d[1], p) + h * d[2])))
    return two_sum(h, rest[1] / d[1])
end

function _spaced_floats(::Type{T}, start, stop, len) where {T}
    n = Float64(len - 1)
    T === Float64 || return _float_range_of(T, (start, 0.0), ((stop - start) / n, 0.0), len, 1)
    # The element of the smallest magnitude is the reference; the low parts make both ends exact.
    at = -(start / (stop - start))
    offset = isfinite(at) ? _reference_offset(round(at * n + 1), len) : abs(stop) < abs(start) ? len : 1
    t = Float64(offset - 1) / n
    middle = (1 - t) * start + t * stop
    is_inner = offset > 1 && offset < len
    ref = is_inner ? middle : offset == len ? stop : start
    step = !is_inner ? stop / n - start / n :
        offset - 1 < len - offset ? (ref - start) / Float64(offset - 1) : (stop - ref) / Float64(len - offset)
    high = _with_free_bits((step, 0.0), _free_bits(len, offset))[1]
    first = two_sum((1 - offset) * high, ref)
    last = two_sum((len - offset) * high, ref)
    a = (start - first[1]) - first[2]
    b = (stop - last[1]) - last[2]
    low = (b - a) / n
    return _float_range_of(T, (ref, a - (1 - offset) * low), (high, low), len, offset)
end
