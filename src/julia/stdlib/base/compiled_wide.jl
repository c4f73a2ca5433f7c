# Integers of 128 bits as compiled code has them: two of 64 bits each. `_wide_X` stands for the intrinsic `_X` where one of its arguments is so wide.

const Wide = Union{Int128,UInt128}
const Narrow = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64}

# Any integer's bits in 128, its sign in the high ones.
_wide_bits(x::Wide) = (_high_word(x), _low_word(x))
_wide_bits(x::Narrow) = (x < 0 ? 0xffffffffffffffff : 0x0000000000000000, x % UInt64)
_wide_made(T, (high, low)) = _of_words(T, high, low)
_wide_type(x, y) = promote_type(typeof(x), typeof(y))
_is_below_zero(x::Union{Int128,Signed}) = x isa Int128 ? _high_word(x) >= 0x8000000000000000 : x < 0
_is_below_zero(x) = false

function _sum_of_words((a, b), (c, d))
    low = b + d
    return (a + c + (low < b ? 0x0000000000000001 : 0x0000000000000000), low)
end
_negated_words((a, b)) = _sum_of_words((~a, ~b), (0x0000000000000000, 0x0000000000000001))
function _product_of_words(a::UInt64, b::UInt64)
    mask = 0x00000000ffffffff
    a0, a1, b0, b1 = a & mask, a >> 32, b & mask, b >> 32
    low = a0 * b0
    cross = a0 * b1
    other = a1 * b0
    middle = (low >> 32) + (cross & mask) + (other & mask)
    return (a1 * b1 + (cross >> 32) + (other >> 32) + (middle >> 32), (low & mask) | (middle << 32))
end
_size_words(x) = _is_below_zero(x) ? _negated_words(_wide_bits(x)) : _wide_bits(x)
_is_less_words((a, b), (c, d)) = a < c || (a == c && b < d)
_signed_words(w, is_negative) = is_negative ? _negated_words(w) : w

_wide_add(x::Integer, y::Integer) = _wide_made(_wide_type(x, y), _sum_of_words(_wide_bits(x), _wide_bits(y)))
_wide_sub(x::Integer, y::Integer) = _wide_made(_wide_type(x, y), _sum_of_words(_wide_bits(x), _negated_words(_wide_bits(y))))
function _wide_mul(x::Integer, y::Integer)
    a, b = _wide_bits(x)
    c, d = _wide_bits(y)
    high, low = _product_of_words(b, d)
    return _of_words(_wide_type(x, y), high + a * d + b * c, low)
end
_wide_neg(x) = _wide_made(typeof(x), _negated_words(_wide_bits(x)))
_wide_abs(x) = _wide_made(typeof(x), _size_words(x))
_wide_sign(x) = _is_below_zero(x) ? _of_words(typeof(x), 0xffffffffffffffff, 0xffffffffffffffff) :
    _of_words(typeof(x), 0x0000000000000000, (_high_word(x) | _low_word(x)) == 0 ? 0x0000000000000000 : 0x0000000000000001)
_wide_signbit(x) = _is_below_zero(x)
_wide_isinteger(x) = true
_wide_isnan(x) = false
_wide_isinf(x) = false
_wide_isfinite(x) = true

# With floats they are floats.
_wide_add(x, y) = (T = _wide_type(x, y); T(x) + T(y))
_wide_sub(x, y) = (T = _wide_type(x, y); T(x) - T(y))
_wide_mul(x, y) = (T = _wide_type(x, y); T(x) * T(y))
_wide_div(x::Integer, y::Integer) = Float64(x) / Float64(y)
_wide_div(x, y) = (T = _wide_type(x, y); T(x) / T(y))

# ---- bits

function _wide_and(x, y)
    a, b = _wide_bits(x)
    c, d = _wide_bits(y)
    return _of_words(_wide_type(x, y), a & c, b & d)
end
function _wide_or(x, y)
    a, b = _wide_bits(x)
    c, d = _wide_bits(y)
    return _of_words(_wide_type(x, y), a | c, b | d)
end
function _wide_xor(x, y)
    a, b = _wide_bits(x)
    c, d = _wide_bits(y)
    return _of_words(_wide_type(x, y), a ⊻ c, b ⊻ d)
end
_wide_not(x) = _of_words(typeof(x), ~_high_word(x), ~_low_word(x))
function _left((a, b), n::Int)
    n >= 128 && return (0x0000000000000000, 0x0000000000000000)
    n >= 64 && return (b << (n - 64), 0x0000000000000000)
    return ((a << n) | (b >> (64 - n)), b << n)
end
function _right((a, b), n::Int, filler::UInt64)
    n >= 128 && return (filler, filler)
    n >= 64 && return (filler, (filler << (128 - n)) | (a >> (n - 64)))
    return ((filler << (64 - n)) | (a >> n), (a << (64 - n)) | (b >> n))
end
_filler(x) = _is_below_zero(x) ? 0xffffffffffffffff : 0x0000000000000000
function _steps(n::Wide)
    a, b = _size_words(n)
    k = a == 0 && b < 0x80 ? Int(b) : 128
    return _is_below_zero(n) ? -k : k
end
_steps(n::Narrow) = n isa Unsigned ? Int(min(n % UInt64, 0x0000000000000080)) : clamp(Int(n), -128, 128)
_shifted_left(x, k) = _wide_made(typeof(x), _left(_wide_bits(x), k))
_shifted_right(x, k, filler) = _wide_made(typeof(x), _right(_wide_bits(x), k, filler))
_wide_shl(x::Wide, n) = (k = _steps(n); k < 0 ? _shifted_right(x, -k, _filler(x)) : _shifted_left(x, k))
_wide_shr(x::Wide, n) = (k = _steps(n); k < 0 ? _shifted_left(x, -k) : _shifted_right(x, k, _filler(x)))
_wide_ushr(x::Wide, n) = (k = _steps(n); k < 0 ? _shifted_left(x, -k) : _shifted_right(x, k, 0x0000000000000000))
_wide_count_ones(x) = count_ones(_high_word(x)) + count_ones(_low_word(x))
_wide_leading_zeros(x) = _high_word(x) == 0 ? 64 + leading_zeros(_low_word(x)) : leading_zeros(_high_word(x))
_wide_trailing_zeros(x) = _low_word(x) == 0 ? 64 + trailing_zeros(_high_word(x)) : trailing_zeros(_low_word(x))
_wide_bswap(x) = _of_words(typeof(x), bswap(_low_word(x)), bswap(_high_word(x)))
_wide_bitreverse(x) = _of_words(typeof(x), bitreverse(_low_word(x)), bitreverse(_high_word(x)))

# ---- order

_wide_eq(x::Integer, y::Integer) = _wide_bits(x) == _wide_bits(y) && _is_below_zero(x) == _is_below_zero(y)
_wide_ne(x::Integer, y::Integer) = !_wide_eq(x, y)
function _wide_lt(x::Integer, y::Integer)
    is_negative = _is_below_zero(x)
    is_negative != _is_below_zero(y) && return is_negative
    return _is_less_words(_wide_bits(x), _wide_bits(y))
end
_wide_gt(x::Integer, y::Integer) = _wide_lt(y, x)
_wide_le(x::Integer, y::Integer) = !_wide_lt(y, x)
_wide_ge(x::Integer, y::Integer) = !_wide_lt(x, y)
_wide_isless(x::Integer, y::Integer) = _wide_lt(x, y)
_wide_isequal(x::Integer, y::Integer) = _wide_eq(x, y)
_wide_min(x::T, y::T) where {T<:Wide} = _wide_lt(y, x) ? y : x
_wide_max(x::T, y::T) where {T<:Wide} = _wide_lt(x, y) ? y : x

# ---- quotients

function _divided_words(n, d)
    (d[1] | d[2]) == 0 && throw(DivideError())
    if (n[1] | d[1]) == 0
        return ((0x0000000000000000, div(n[2], d[2])), (0x0000000000000000, rem(n[2], d[2])))
    end
    q = (0x0000000000000000, 0x0000000000000000)
    r = (0x0000000000000000, 0x0000000000000000)
    for k in 1:128
        is_carried = r[1] >= 0x8000000000000000
        r = (_left(r, 1)[1], (r[2] << 1) | (n[1] >> 63))
        n = _left(n, 1)
        q = _left(q, 1)
        if is_carried || !_is_less_words(r, d)
            r = _sum_of_words(r, _negated_words(d))
            q = (q[1], q[2] | 0x0000000000000001)
        end
    end
    return (q, r)
end
# Of two integers of one type.
function _wide_parts_of_quotient(x::T, y::T) where {T<:Wide}
    q, r = _divided_words(_size_words(x), _size_words(y))
    is_negative = _is_below_zero(x) != _is_below_zero(y)
    T === Int128 && !is_negative && q[1] >= 0x8000000000000000 && throw(DivideError())
    return (q, r, is_negative)
end
function _wide_idiv(x::T, y::T) where {T<:Wide}
    q, r, is_negative = _wide_parts_of_quotient(x, y)
    return _wide_made(T, _signed_words(q, is_negative))
end
function _wide_stepped(x::T, y::T, is_down) where {T}
    q, r, is_negative = _wide_parts_of_quotient(x, y)
    steps = (r[1] | r[2]) != 0 && is_negative == is_down
    return _wide_made(T, _signed_words(steps ? _sum_of_words(q, (0x0000000000000000, 0x0000000000000001)) : q, is_negative))
end
_wide_fld(x::T, y::T) where {T<:Wide} = _wide_stepped(x, y, true)
_wide_cld(x::T, y::T) where {T<:Wide} = _wide_stepped(x, y, false)
function _wide_rem(x::T, y::T) where {T<:Wide}
    q, r = _divided_words(_size_words(x), _size_words(y))
    return _wide_made(T, _signed_words(r, _is_below_zero(x)))
end
function _wide_mod(x::T, y::T) where {T<:Wide}
    q, r = _divided_words(_size_words(x), _size_words(y))
    moves = (r[1] | r[2]) != 0 && _is_below_zero(x) != _is_below_zero(y)
    m = moves ? _sum_of_words(_size_words(y), _negated_words(r)) : r
    return _wide_made(T, _signed_words(m, _is_below_zero(y)))
end
# The other one is as wide where it is of the same signedness.
_both_wide(x::Wide, y::Narrow) = (x, typeof(x)(y))
_both_wide(x::Narrow, y::Wide) = (typeof(y)(x), y)
_is_alike(x, y) = (x isa Unsigned) == (y isa Unsigned) || x isa Bool || y isa Bool
_wide_idiv(x, y) = _is_alike(x, y) ? _wide_idiv(_both_wide(x, y)...) : throw(ArgumentError("left to the host"))
_wide_fld(x, y) = _is_alike(x, y) ? _wide_fld(_both_wide(x, y)...) : throw(ArgumentError("left to the host"))
_wide_cld(x, y) = _is_alike(x, y) ? _wide_cld(_both_wide(x, y)...) : throw(ArgumentError("left to the host"))
_wide_rem(x, y) = _is_alike(x, y) ? _wide_rem(_both_wide(x, y)...) : throw(ArgumentError("left to the host"))
_wide_mod(x, y) = _is_alike(x, y) ? _wide_mod(_both_wide(x, y)...) : throw(ArgumentError("left to the host"))

# ---- conversion

_wide_wrap(x, T) = T <: Wide ? _wide_made(T, _wide_bits(x)) : _low_word(x) % T

_wide_to_number(T, x::Wide) = T <: AbstractFloat ? _wide_float(T, x) : T <: Wide ? _wide_same(T, x) : _wide_narrowed(T, x)
function _wide_same(T, x)
    T === typeof(x) && return x
    _high_word(x) >= 0x8000000000000000 && throw(InexactError(nameof(T), T, x))
    return _wide_made(T, _wide_bits(x))
end
function _wide_narrowed(T, x)
    y = _low_word(x) % T
    _wide_eq(x, y) || throw(InexactError(nameof(T), T, x))
    return y
end
function _wide_to_number(T, x::Narrow)
    T === UInt128 && x < 0 && throw(InexactError(nameof(T), T, x))
    return _wide_made(T, _wide_bits(x))
end
function _wide_to_number(T, x::IEEEFloat)
    w = Float64(x)
    (isinteger(w) && (T === UInt128 ? 0.0 <= w < 0x1p128 : -0x1p127 <= w < 0x1p127)) || throw(InexactError(nameof(T), T, x))
    m = abs(w)
    high = m < 0x1p64 ? 0x0000000000000000 : unsafe_trunc(UInt64, m * 0x1p-64)
    low = m - Float64(high) * 0x1p64
    return _wide_made(T, _signed_words((high, unsafe_trunc(UInt64, low)), w < 0))
end
# The highest 64 bits, the last of which also stands for all that are below: a float has fewer, so that this rounds as the whole does.
function _wide_float(T, x)
    a, b = _size_words(x)
    s = a == 0 ? 64 : leading_zeros(a)
    top, rest = _left((a, b), s)
    lead = rest == 0 ? top : top | 0x0000000000000001
    # Float16 has no number beyond 65504.
    f = T === Float16 ? T(s < 64 ? Inf : lead) : T(lead) * T(_two_to(Float64, 64 - s))
    return _is_below_zero(x) ? -f : f
end
function _wide_powi(x::T, n::Integer) where {T<:Wide}
    n < 0 && throw(DomainError(n, "a negative power"))
    return _power_by(_wide_mul, x, n)
end
_wide_pow(x::Wide, n::Integer) = _wide_powi(x, n)
