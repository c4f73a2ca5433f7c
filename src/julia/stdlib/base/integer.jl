# Integers: division, number theory, digits.

export fld, cld, divrem, fldmod, mod1, fld1, fldmod1, mod2pi, rem2pi, gcd, lcm, gcdx, invmod, powermod, ispow2, nextpow, prevpow,
       nextprod, isqrt, factorial, binomial, digits, digits!, ndigits, iseven, isodd, evalpoly, count_ones, count_zeros,
       leading_zeros, leading_ones, trailing_zeros, trailing_ones, bitrotate, bitreverse, bswap, bitstring, hton, ntoh, htol, ltoh

# ---- division and remainders

fld(x::Real, y::Real) = div(x, y, RoundDown)
cld(x::Real, y::Real) = div(x, y, RoundUp)
divrem(x, y) = (div(x, y), rem(x, y))
fldmod(x, y) = (fld(x, y), mod(x, y))
mod1(x::Real, y::Real) = (m = mod(x, y); ifelse(m == 0, y, m))
mod1(x::T, y::T) where {T<:Real} = (m = mod(x, y); ifelse(m == 0, y, m))
fld1(x::Real, y::Real) = fld1(promote(x, y)...)
fld1(x::T, y::T) where {T<:Real} = (m = mod1(x, y); fld((x - m) + y, y))
fld1(x::T, y::T) where {T<:Integer} = (d = div(x, y); d + (!signbit(x ⊻ y) & (d * y != x)))
fldmod1(x, y) = (fld1(x, y), mod1(x, y))

div(x, y, ::RoundingMode{:ToZero}) = div(x, y)
div(x::MachineReal, y::MachineReal, ::RoundingMode{:ToZero}) = _idiv(x, y)
div(x::MachineReal, y::MachineReal, ::RoundingMode{:Down}) = _fld(x, y)
div(x::MachineReal, y::MachineReal, ::RoundingMode{:Up}) = _cld(x, y)
div(x::Real, y::Real, r::RoundingMode) = _div_rounded(promote(x, y)..., r)
_div_rounded(x, y, ::RoundingMode{:ToZero}) = div(x, y)
_div_rounded(x::Integer, y::Integer, ::RoundingMode{:Down}) = x isa MachineReal ? fld(x, y) : div(x - mod(x, y), y)
_div_rounded(x::Integer, y::Integer, ::RoundingMode{:Up}) = x isa MachineReal ? cld(x, y) : div(x - mod(x, -y), y)
_div_rounded(x::Integer, y::Integer, ::RoundingMode{:FromZero}) = signbit(x) == signbit(y) ? cld(x, y) : fld(x, y)
_div_rounded(x::Real, y::Real, r::RoundingMode) = round((x - rem(x, y, r)) / y)
function _div_rounded(x::Integer, y::Integer, r::Union{RoundingMode{:Nearest},RoundingMode{:NearestTiesAway},RoundingMode{:NearestTiesUp}})
    q = fld(x, y)
    m = mod(x, y)
    iszero(m) && return q
    # What is left to the next multiple says which one is nearer.
    rest = abs(m)
    other = abs(y) - rest
    rest < other && return q
    rest > other && return q + one(q)
    r isa RoundingMode{:NearestTiesUp} && return q + one(q)
    r isa RoundingMode{:NearestTiesAway} && return q >= 0 ? q + one(q) : q
    return iseven(q) ? q : q + one(q)
end
rem(x, y, ::RoundingMode{:ToZero}) = rem(x, y)
rem(x, y, ::RoundingMode{:Down}) = mod(x, y)
rem(x::Real, y::Real, ::RoundingMode{:Up}) = mod(x, -y)
rem(x::Real, y::Real, r::RoundingMode{:Nearest}) = _rem_to_nearest(promote(x, y)..., r)
_rem_to_nearest(x::IEEEFloat, y::IEEEFloat, r) = _rem_nearest(x, y)
_rem_to_nearest(x, y, r) = x - y * div(x, y, r)
rem(x::Real, y::Real, ::RoundingMode{:FromZero}) = signbit(x) == signbit(y) ? mod(x, -y) : mod(x, y)
divrem(x, y, r::RoundingMode) = (div(x, y, r), rem(x, y, r))

mod2pi(x::Real) = _rem2pi(_float_or_self(x), 2)
_float_or_self(x::MachineReal) = x
_float_or_self(x::Real) = float(x)
rem2pi(x::Real, ::RoundingMode{:Nearest}) = _rem2pi(_float_or_self(x), 0)
rem2pi(x::Real, ::RoundingMode{:ToZero}) = _rem2pi(_float_or_self(x), 1)
rem2pi(x::Real, ::RoundingMode{:Down}) = _rem2pi(_float_or_self(x), 2)
rem2pi(x::Real, ::RoundingMode{:Up}) = _rem2pi(_float_or_self(x), 3)

# A divisor that is used often; the division itself is that of the hardware.
struct MultiplicativeInverse{T<:Integer} <: Number
    divisor::T
end
function multiplicativeinverse(x::Integer)
    iszero(x) && throw(ArgumentError("cannot compute magic for d == 0"))
    return MultiplicativeInverse(x)
end
div(x::Integer, y::MultiplicativeInverse) = div(x, y.divisor)
rem(x::Integer, y::MultiplicativeInverse) = rem(x, y.divisor)
divrem(x::Integer, y::MultiplicativeInverse) = divrem(x, y.divisor)

# ---- even and odd

iseven(n::Integer) = !isodd(n)
isodd(n::Integer) = rem(n, 2) != 0
isodd(n::BitInteger) = _eq(_and(n, true), true)
iseven(n::BitInteger) = _eq(_and(n, true), false)
isodd(x::Real) = isinteger(x) && !iszero(rem(x, 2))
iseven(x::Real) = isinteger(x) && iszero(rem(x, 2))
isodd(x::AbstractFloat) = isinteger(x) && abs(rem(x, 2)) == 1
iseven(x::AbstractFloat) = isinteger(x) && rem(x, 2) == 0

# ---- divisors

gcd(a::T, b::T) where {T<:BitOrBool} = _gcd(a, b)
lcm(a::T, b::T) where {T<:BitOrBool} = _lcm(a, b)
gcdx(a::T, b::T) where {T<:BitOrBool} = _gcdx(a, b)
function divgcd(a::Integer, b::Integer)
    g = gcd(uabs(a), uabs(b))
    return div(a, g), div(b, g)
end
gcd(a::Integer) = checked_abs(a)
lcm(a::Integer) = checked_abs(a)
gcd(a::Real, b::Real) = gcd(promote(a, b)...)
lcm(a::Real, b::Real) = lcm(promote(a, b)...)
gcdx(a::Real, b::Real) = gcdx(promote(a, b)...)
gcd(a::Real, b::Real, c::Real...) = gcd(a, gcd(b, c...))
lcm(a::Real, b::Real, c::Real...) = lcm(a, lcm(b, c...))
function gcdx(a::Real, b::Real, cs::Real...)
    g, u, v = gcdx(a, b)
    d, s... = gcdx(g, cs...)
    return (d, u * s[1], v * s[1], Base.tail(s)...)
end
gcd(abc::AbstractArray{<:Integer}) = reduce(gcd, abc; init=zero(eltype(abc)))
lcm(abc::AbstractArray{<:Integer}) = reduce(lcm, abc; init=one(eltype(abc)))
function gcd(a::T, b::T) where {T<:Integer}
    while b != 0
        a, b = b, rem(a, b)
    end
    return abs(a)
end
lcm(a::T, b::T) where {T<:Integer} = a == 0 ? a : abs(div(a, gcd(b, a)) * b)

function invmod(n::Integer, m::Integer)
    iszero(m) && throw(DomainError(m, "`m` must not be 0."))
    a, b = promote(n, m)
    g, x, y = gcdx(a, b)
    g != 1 && throw(DomainError((n, m), string("Greatest common divisor is ", g, ".")))
    b < 0 && a isa Unsigned && (x = mod(x, b))
    return mod(x, b)
end
invmod(n::Integer, ::Type{T}) where {T<:BitInteger} = _inverse_wrapping(n % T)
invmod(n::T) where {T<:BitInteger} = _inverse_wrapping(n)
function _inverse_wrapping(n::BitInteger)
    isodd(n) || throw(DomainError(n, "Argument must be odd."))
    x = n
    for _ in 1:7
        x = x * (oftype(n, 2) - n * x)
    end
    return x
end

function powermod(x::Integer, p::Integer, m::T) where {T<:BitOrBool}
    p < 0 && return powermod(invmod(x, m), -p, m)
    return _powermod(_wrap_mod(x, m), p, m)
end
_wrap_mod(x::Integer, m::T) where {T} = oftype(m, mod(x, m))
function powermod(x::Integer, p::Integer, m::Integer)
    p < 0 && return powermod(invmod(x, m), -p, m)
    (m == 1 || m == -1) && return zero(m)
    r = one(m)
    b = oftype(m, mod(x, m))
    while p > 0
        isodd(p) && (r = mod(widemul(r, b), m))
        b = mod(widemul(b, b), m)
        p >>= 1
    end
    return r
end

# ---- powers

ispow2(x::Number) = isreal(x) && ispow2(real(x))
ispow2(x::Integer) = x > 0 && count_ones(x) == 1
ispow2(x::Rational) = ispow2(numerator(x)) && ispow2(denominator(x))
ispow2(x::Real) = ispow2(float(x))
ispow2(x::AbstractFloat) = isfinite(x) && x > 0 && significand(x) == 1
function nextpow(a::Real, x::Real)
    x <= 0 && throw(DomainError(x, "`x` must be positive."))
    a <= 1 && throw(DomainError(a, "`a` must be greater than 1."))
    a isa BitInteger && x > typemax(a) && throw(DomainError(x, string("`x` must be no larger than ", typemax(a), ".")))
    x <= 1 && return one(a)
    p = a
    while p < x
        p = a isa BitInteger ? checked_mul(p, a) : p * a
    end
    return p
end
function prevpow(a::T, x::Real) where {T<:Real}
    x < 1 && throw(DomainError(x, "`x` must be ≥ 1."))
    a <= 1 && throw(DomainError(a, "`a` must be greater than 1."))
    a isa BitInteger && x > typemax(a) && throw(DomainError(x, string("`x` must be no larger than ", typemax(a), ".")))
    p = one(a)
    while p * widen_for_power(a) <= x
        p = p * a
    end
    return p
end
widen_for_power(a) = a
widen_for_power(a::BitInteger) = Int128(a)
function nextprod(a, x::Real)
    x > typemax(Int) && throw(ArgumentError("unsafe for x > typemax(Int), got $x"))
    n = Int(ceil(x))
    while true
        rest = n
        for f in a
            while rest % f == 0
                rest = div(rest, f)
            end
        end
        rest == 1 && return n
        n += 1
    end
end

isqrt(x::BitOrBool) = _isqrt(x)
isqrt(x::Integer) = oftype(x, trunc(sqrt(x)))
factorial(n::Union{Bool,Int64,UInt64,Int128,UInt128}) = _factorial(n)
factorial(n::Union{Int8,UInt8,Int16,UInt16,Int32,UInt32}) = _factorial(n)
function factorial(n::Integer)
    n < 0 && throw(DomainError(n, "`n` must not be negative."))
    f = one(n)
    for i in 2:n
        f *= i
    end
    return f
end
binomial(n::T, k::T) where {T<:BitOrBool} = _binomial(n, k)
binomial(n::Integer, k::Integer) = binomial(promote(n, k)...)
function binomial(x::Number, k::Integer)
    k < 0 && return zero(x) / one(x)
    r = one(x) / one(x)
    for i in 1:k
        r = r * (x - k + i) / i
    end
    return r
end

# ---- digits

function ndigits(x::Integer; base::Integer=10, pad::Integer=1)
    -1 <= base <= 1 && throw(DomainError(base, "The base must not be in `[-1, 0, 1]`."))
    return max(Int(pad), _ndigits(x, Int(base)))
end
ndigits0z(x::Integer, base::Integer=10) = iszero(x) ? 0 : ndigits(x; base=base)
top_set_bit(x::BitOrBool) = 8 * sizeof(x) - leading_zeros(x)
uabs(x::Integer) = abs(x)
uabs(x::BitSigned) = unsigned(abs(x))

digits(n::Integer; base::Integer=10, pad::Integer=1) = digits(typeof(base), n; base=base, pad=pad)
function digits(::Type{T}, n::Integer; base::Integer=10, pad::Integer=1) where {T<:Integer}
    return digits!(zeros(T, ndigits(n; base=base, pad=pad)), n; base=base)
end
function digits!(a::AbstractVector{T}, n::Integer; base::Integer=10) where {T<:Integer}
    abs(base) < 2 && throw(DomainError(base, base < 0 ? "base must be ≤ -2" : "base must be ≥ 2"))
    base < 0 && n isa Unsigned && throw(DomainError(n, "`n` must be signed for negative base"))
    rest = n
    b = base
    for i in eachindex(a)
        if b > 0
            a[i] = rem(rest, b)
            rest = div(rest, b)
        else
            a[i] = mod(rest, -b)
            rest = -div(rest - a[i], -b)
        end
    end
    return a
end

# ---- bits

~(x::Integer) = -x - one(x)
<<(x::Integer, n::Integer) = x * oftype(x, 2)^n
>>(x::Integer, n::Integer) = fld(x, oftype(x, 2)^n)
count_ones(x::BitOrBool) = _count_ones(x)
count_zeros(x::Integer) = count_ones(~x)
leading_zeros(x::BitOrBool) = _leading_zeros(x)
leading_ones(x::BitOrBool) = _leading_ones(x)
trailing_zeros(x::BitOrBool) = _trailing_zeros(x)
trailing_ones(x::BitOrBool) = _trailing_ones(x)
bitrotate(x::BitInteger, k::Integer) = _bitrotate(x, k)
bitreverse(x::BitOrBool) = _bitreverse(x)
bswap(x::MachineReal) = _bswap(x)
bitstring(x) = _bitstring(x)
hton(x) = bswap(x)
ntoh(x) = bswap(x)
htol(x) = x
ltoh(x) = x

# ---- polynomials

function evalpoly(x, p::Tuple)
    n = length(p)
    r = p[n]
    for i in n-1:-1:1
        r = muladd(x, r, p[i])
    end
    return r
end
function evalpoly(x, p::AbstractVector)
    isempty(p) && return zero(x) * zero(eltype(p))
    r = p[end]
    for i in lastindex(p)-1:-1:firstindex(p)
        r = muladd(x, r, p[i])
    end
    return r
end
evalpoly(z::Complex, p::Tuple) = _evalpoly_complex(z, p)
evalpoly(z::Complex, p::AbstractVector) = isempty(p) ? zero(z) * zero(eltype(p)) : _evalpoly_complex(z, p)
function _evalpoly_complex(z, p)
    # Two real coefficients are carried instead of one complex value (Knuth's form of Horner's rule).
    n = length(p)
    n == 1 && return p[1] + zero(z)
    x, y = reim(z)
    r = x + x
    s = muladd(x, x, y * y)
    a = p[n]
    b = p[n-1]
    for i in n-2:-1:1
        a, b = muladd(r, a, b), muladd(-s, a, p[i])
    end
    return muladd(a, z, b)
end
