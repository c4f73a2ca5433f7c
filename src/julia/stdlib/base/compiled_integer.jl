# Number theory and bits of integers as compiled code has them.

function _compiled_gcd(a::T, b::T) where {T<:Integer}
    T === Bool && return a | b
    x = unsigned(a < 0 ? -a : a)
    y = unsigned(b < 0 ? -b : b)
    while !iszero(y)
        x, y = y, rem(x, y)
    end
    T <: Signed && x > unsigned(typemax(T)) && throw(OverflowError("gcd overflows"))
    return x % T
end
function _compiled_lcm(a::T, b::T) where {T<:Integer}
    (iszero(a) || iszero(b)) && return zero(T)
    return checked_abs(checked_mul(div(a, _compiled_gcd(a, b)), b))
end

function _compiled_gcdx(a::T, b::T) where {T<:Integer}
    T === Bool && return (a | b, a, b & !a)
    s, s_next = one(T), zero(T)
    t, t_next = zero(T), one(T)
    while !iszero(b)
        # The most negative number divided by -1 wraps to itself.
        turns = T <: Signed && b == -one(b)
        q = turns ? -a : div(a, b)
        r = turns ? zero(T) : rem(a, b)
        a, b = b, r
        s, s_next = s_next, s - q * s_next
        t, t_next = t_next, t - q * t_next
    end
    return T <: Signed && a < 0 ? (-a, -s, -t) : (a, s, t)
end

# a * b mod m of numbers below m, which may have all 64 bits.
function _times_modulo(a::UInt64, b::UInt64, m::UInt64)
    (a | b) < 0x0000000100000000 && return rem(a * b, m)
    out = UInt64(0)
    while b != 0
        if isodd(b)
            out = out >= m - a ? out - (m - a) : out + a
        end
        a = a >= m - a ? a - (m - a) : a + a
        b >>= 1
    end
    return out
end

function _compiled_powermod(x::T, p::Integer, m::T) where {T<:Integer}
    iszero(m) && throw(DivideError())
    n = unsigned(Int64(p))
    size = UInt64(unsigned(m < 0 ? -m : m))
    out = UInt64(1) % size
    b = UInt64(unsigned(x < 0 ? -x : x)) % size
    if x < 0 && b != 0
        b = size - b
    end
    while n != 0
        if isodd(n)
            out = _times_modulo(out, b, size)
        end
        b = _times_modulo(b, b, size)
        n >>= 1
    end
    # A negative modulus asks for a result in (m, 0].
    return m < 0 && out != 0 ? (out % T) + m : out % T
end

function _compiled_factorial(n::T) where {T<:Integer}
    n < 0 && throw(DomainError(n, "`n` must not be negative."))
    out = one(n)
    i = one(n)
    while i < n
        i += one(n)
        out = checked_mul(out, i)
    end
    return out
end

function _compiled_binomial(n::T, k::T) where {T<:Integer}
    k < 0 && return zero(T)
    # binomial(-n, k) = (-1)^k binomial(n + k - 1, k)
    negative = n < 0 && isodd(k)
    m = n < 0 ? checked_sub(checked_sub(k, n), one(T)) : n
    k > m && return zero(T)
    j = k > m - k ? m - k : k
    out = one(T)
    i = zero(T)
    while i < j
        i += one(T)
        # out (m - j + i) / i, divided before the product where that is exact.
        g = gcd(out, i)
        out = checked_mul(div(out, g), div(m - j + i, div(i, g)))
    end
    return negative ? -out : out
end

function _compiled_ndigits(x::Integer, base)
    n = 0
    if base > 0
        rest = UInt64(unsigned(x < 0 ? -x : x))
        while rest != 0
            rest = div(rest, unsigned(base))
            n += 1
        end
    else
        # Digits to a negative base lie in 0 … -base - 1.
        left = Int64(x)
        while left != 0
            left = div(left - mod(left, -base), base)
            n += 1
        end
    end
    return max(n, 1)
end

function _compiled_checked_add(a::T, b::T) where {T<:Integer}
    s = a + b
    bad = T <: Signed ? ((a ⊻ s) & (b ⊻ s)) < 0 : s < a
    bad && throw(OverflowError("addition"))
    return s
end
function _compiled_checked_sub(a::T, b::T) where {T<:Integer}
    d = a - b
    bad = T <: Signed ? ((a ⊻ b) & (a ⊻ d)) < 0 : a < b
    bad && throw(OverflowError("subtraction"))
    return d
end
function _product_overflows(a::T, b::T) where {T<:Integer}
    iszero(a) && return false
    T <: Signed && a == -one(T) && return b == typemin(T)
    return div(a * b, a) != b
end
function _compiled_checked_mul(a::T, b::T) where {T<:Integer}
    _product_overflows(a, b) && throw(OverflowError("multiplication"))
    return a * b
end
function _compiled_checked_neg(a::T) where {T<:Integer}
    (T <: Signed ? a == typemin(T) : !iszero(a)) && throw(OverflowError("negation"))
    return -a
end
function _compiled_checked_abs(a::T) where {T<:Integer}
    T <: Signed || return a
    a == typemin(T) && throw(OverflowError("absolute value"))
    return abs(a)
end
# x^n by squares; products that the power has no use for are not formed: they might overflow.
function _power_by(times, x, n::Integer)
    out = one(x)
    square = x
    left = unsigned(Int64(n))
    while left != 0
        if isodd(left)
            out = times(out, square)
        end
        left >>= 1
        if left != 0
            square = times(square, square)
        end
    end
    return out
end
function _compiled_checked_pow(a::T, n::Integer) where {T<:Integer}
    n < 0 && throw(DomainError(n, "negative power"))
    return _power_by(checked_mul, a, n)
end
function _compiled_add_with_overflow(a::T, b::T) where {T<:Integer}
    s = a + b
    return (s, T <: Signed ? ((a ⊻ s) & (b ⊻ s)) < 0 : s < a)
end
function _compiled_sub_with_overflow(a::T, b::T) where {T<:Integer}
    d = a - b
    return (d, T <: Signed ? ((a ⊻ b) & (a ⊻ d)) < 0 : a < b)
end
_compiled_mul_with_overflow(a::T, b::T) where {T<:Integer} = (a * b, _product_overflows(a, b))

# ---- quotients of a signed and an unsigned integer: of the first one's signedness, remainders of mod of the second one's type

_wide_unsigned(x, y) = typeof(unsigned(zero(promote_type(typeof(x), typeof(y)))))
_wide_like(x, U) = x isa Unsigned ? U : typeof(signed(zero(U)))
_size_in(U, x) = x < 0 ? zero(U) - (x % U) : x % U
_signed_by(x, is_negative) = is_negative ? zero(x) - x : x
function _unlike_idiv(x, y)
    U = _wide_unsigned(x, y)
    return _signed_by(div(_size_in(U, x), _size_in(U, y)), (x < 0) != (y < 0)) % _wide_like(x, U)
end
# Away from the truncated quotient where something is left.
function _unlike_stepped(x, y, is_down)
    U = _wide_unsigned(x, y)
    q, r = divrem(_size_in(U, x), _size_in(U, y))
    is_negative = (x < 0) != (y < 0)
    return _signed_by(r != 0 && is_negative == is_down ? q + one(U) : q, is_negative) % _wide_like(x, U)
end
_unlike_fld(x, y) = _unlike_stepped(x, y, true)
_unlike_cld(x, y) = _unlike_stepped(x, y, false)
function _unlike_rem(x, y)
    U = _wide_unsigned(x, y)
    return _signed_by(rem(_size_in(U, x), _size_in(U, y)), x < 0) % _wide_like(x, U)
end
function _unlike_mod(x, y)
    U = _wide_unsigned(x, y)
    r = rem(_size_in(U, x), _size_in(U, y))
    m = r != 0 && (x < 0) != (y < 0) ? _size_in(U, y) - r : r
    return _signed_by(m, y < 0) % typeof(y)
end
_bools_idiv(x, y) = y ? x : throw(DivideError())
_bools_fld(x, y) = y ? x : throw(DivideError())
_bools_cld(x, y) = y ? x : throw(DivideError())
_bools_rem(x, y) = y ? false : throw(DivideError())
_bools_mod(x, y) = y ? false : throw(DivideError())

# ---- bits

_compiled_trailing_zeros(x::Integer) = count_ones(~x & (x - one(x)))
_compiled_trailing_ones(x::Integer) = count_ones(x & ~(x + one(x)))
_compiled_leading_ones(x::Integer) = leading_zeros(~x)

function _compiled_bswap(x::T) where {T<:Integer}
    sizeof(T) == 1 && return x
    u = UInt64(unsigned(x))
    out = UInt64(0)
    for _ in 1:sizeof(T)
        out = (out << 8) | (u & 0x00000000000000ff)
        u >>= 8
    end
    return out % T
end
function _compiled_bitreverse(x::T) where {T<:Integer}
    u = UInt64(unsigned(x))
    out = UInt64(0)
    for _ in 1:8 * sizeof(T)
        out = (out << 1) | (u & 0x0000000000000001)
        u >>= 1
    end
    return out % T
end
function _compiled_bitrotate(x::T, k::Integer) where {T<:Integer}
    T === Bool && return x
    bits = 8 * sizeof(T)
    n = mod(Int64(k), bits)
    u = unsigned(x)
    return ((u << n) | (u >>> (bits - n))) % T
end

# ---- characters: their bits are those of UTF-8 from the left

function _compiled_char_ncodeunits(c)
    u = _char_bits(c)
    (u & 0x00ffffff) == 0 && return 1
    (u & 0x0000ffff) == 0 && return 2
    return (u & 0x000000ff) == 0 ? 3 : 4
end
