# Rational numbers: in lowest terms, with a denominator that is not negative; 1//0 and -1//0 are infinities.

export //, numerator, denominator, rationalize, Rational

function _checked_den(n::T, d::T) where {T<:Integer}
    signbit(d) && return _rational(_negated(n, d), _negated(d, d))
    return _rational(n, d)
end
_negated(x, d) = checked_neg(x)
function _reduced(n::T, d::T) where {T<:Integer}
    iszero(d) && iszero(n) && throw(ArgumentError(string("invalid rational: zero(", T, ")//zero(", T, ")")))
    g = gcd(n, d)
    return _checked_den(div(n, g), div(d, g))
end

Rational{T}(n::Integer, d::Integer) where {T<:Integer} = _reduced(convert(T, n), convert(T, d))
Rational(n::T, d::T) where {T<:Integer} = _reduced(n, d)
Rational(n::Integer, d::Integer) = Rational(promote(n, d)...)
Rational(x::Integer) = _rational(x, one(x))
Rational(x::Rational) = x
Rational{T}(x::Rational{T}) where {T<:Integer} = x
Rational{T}(x::Rational) where {T<:Integer} = _rational(convert(T, x.num), convert(T, x.den))
Rational{T}(x::Integer) where {T<:Integer} = _rational(convert(T, x), one(T))
Rational(x::AbstractFloat) = Rational{Int}(x)
function Rational{T}(x::AbstractFloat) where {T<:Integer}
    isnan(x) && _throw_inexact(Rational{T}, x)
    isinf(x) && return _rational(copysign(one(T), unsafe_trunc(T, sign(x))), zero(T))
    # x = m * 2^e with an integer m, whose factors of two go into e.
    m, e = frexp(x)
    digits = precision(typeof(x))
    n = Int128(ldexp(m, digits))
    e -= digits
    n == 0 && return _rational(zero(T), one(T))
    k = trailing_zeros(n)
    n >>= k
    e += k
    (e > 126 || e < -126) && _throw_inexact(Rational{T}, x)
    e >= 0 && leading_zeros(abs(n)) <= e && _throw_inexact(Rational{T}, x)
    return e >= 0 ? _rational(T(n << e), one(T)) : _rational(T(n), T(Int128(1) << -e))
end
Rational(x::Complex) = isreal(x) ? Rational(real(x)) : _throw_inexact(Rational, x)
Rational{T}(x::Complex) where {T<:Integer} = isreal(x) ? Rational{T}(real(x)) : _throw_inexact(Rational{T}, x)

Bool(x::Rational) = x == 0 ? false : x == 1 ? true : _throw_inexact(Bool, x)
(::Type{T})(x::Rational) where {T<:BitInteger} = isinteger(x) ? convert(T, x.num)::T : _throw_inexact(T, x)
Integer(x::Rational) = isinteger(x) ? x.num : _throw_inexact(Integer, x)
(::Type{T})(x::Rational) where {T<:IEEEFloat} = _rational_to_float(T, x.num, x.den)
AbstractFloat(x::Rational) = _rational_to_float(float(promote_type(typeof(x.num), Int)), x.num, x.den)
# Both parts are exact as Float64 up to 2^53; larger ones are divided as integers first.
function _rational_to_float(::Type{T}, n, d) where {T}
    (abs(n) <= 9007199254740992 && d <= 9007199254740992 && n != typemin(n)) && return T(Float64(n) / Float64(d))
    d == 0 && return T(Float64(n) / 0.0)
    d > 9007199254740992 || return T(Float64(n) / Float64(d))
    q = div(Int128(n), Int128(d))
    r = Int128(n) - q * Int128(d)
    return T(Float64(q) + Float64(r) / Float64(d))
end

promote_rule(::Type{Rational{T}}, ::Type{S}) where {T<:Integer,S<:Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{Rational{S}}) where {T<:Integer,S<:Integer} = Rational{promote_type(T, S)}
promote_rule(::Type{Rational{T}}, ::Type{S}) where {T<:Integer,S<:AbstractFloat} = promote_type(T, S)
widen(::Type{Rational{T}}) where {T} = Rational{widen(T)}

//(n::Integer, d::Integer) = Rational(n, d)
//(x::Rational, y::Integer) = _divided(x.num, x.den, y, one(y))
//(x::Integer, y::Rational) = _divided(x, one(x), y.num, y.den)
//(x::Rational, y::Rational) = _divided(x.num, x.den, y.num, y.den)
//(x::Complex, y::Real) = complex(real(x) // y, imag(x) // y)
//(x::Number, y::Complex) = x * conj(y) // abs2(y)
//(X::AbstractArray, y::Number) = X .// y
function _divided(a, b, c, d)
    n1, d1, n2, d2 = promote(a, b, c, d)
    iszero(n2) && iszero(n1) && throw(DivideError())
    g = gcd(n1, n2)
    h = gcd(d2, d1)
    return _checked_den(checked_mul(div(n1, g), div(d2, h)), checked_mul(div(d1, h), div(n2, g)))
end

numerator(x::Integer) = x
denominator(x::Integer) = one(x)
numerator(x::Rational) = x.num
denominator(x::Rational) = x.den
isinteger(x::Rational) = x.den == 1
isfinite(x::Rational) = x.den != 0
isinf(x::Rational) = x.den == 0
isnan(x::Rational) = false
iszero(x::Rational) = iszero(x.num)
isone(x::Rational) = isone(x.num) & isone(x.den)
zero(::Type{Rational{T}}) where {T<:Integer} = _rational(zero(T), one(T))
one(::Type{Rational{T}}) where {T<:Integer} = _rational(one(T), one(T))
zero(::Type{Rational}) = zero(Rational{Int})
one(::Type{Rational}) = one(Rational{Int})
typemin(::Type{Rational{T}}) where {T<:Signed} = _rational(-one(T), zero(T))
typemin(::Type{Rational{T}}) where {T<:Integer} = zero(Rational{T})
typemax(::Type{Rational{T}}) where {T<:Integer} = _rational(one(T), zero(T))
sign(x::Rational) = oftype(x, sign(x.num))
signbit(x::Rational) = signbit(x.num)
abs(x::Rational) = _rational(checked_abs(x.num), x.den)
copysign(x::Rational, y::Real) = signbit(x) == signbit(y) ? _rational(_checked_same(x.num), x.den) : -x
copysign(x::Rational, y::Rational) = signbit(x) == signbit(y) ? x : -x
_checked_same(n) = n == typemin(typeof(n)) && n isa Signed ? checked_neg(n) : n
flipsign(x::Rational, y::Real) = signbit(y) ? -x : x

+(x::Rational) = x
function -(x::Rational{T}) where {T<:Signed}
    x.num == typemin(T) && throw(OverflowError("rational numerator is typemin($T)"))
    return _rational(-x.num, x.den)
end
function -(x::Rational{T}) where {T<:Unsigned}
    iszero(x.num) || throw(OverflowError("cannot negate unsigned number"))
    return x
end
-(x::Rational) = _rational(-x.num, x.den)
+(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _sum(checked_add, x, y)
-(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _sum(checked_sub, x, y)
function _sum(op, x, y)
    # Infinities: their sum is one when they have the same sign.
    if iszero(x.den) & iszero(y.den)
        n = op(x.num, y.num)
        iszero(n) && throw(DivideError())
        return _rational(sign(n), x.den)
    end
    g = gcd(x.den, y.den)
    xd = div(x.den, g)
    yd = div(y.den, g)
    n = op(checked_mul(x.num, yd), checked_mul(y.num, xd))
    d = checked_mul(x.den, yd)
    h = gcd(n, g)
    return h == 1 ? _rational(n, d) : _rational(div(n, h), div(d, h))
end
+(x::Rational, y::Integer) = _with_integer(checked_add(promote_num(x, checked_mul_promoted(y, x.den))...), x, y)
-(x::Rational, y::Integer) = _with_integer(checked_sub(promote_num(x, checked_mul_promoted(y, x.den))...), x, y)
+(x::Integer, y::Rational) = y + x
-(x::Integer, y::Rational) = _with_integer(checked_sub(reverse_pair(promote_num(y, checked_mul_promoted(x, y.den)))...), y, x)
promote_num(x, n) = promote(x.num, n)
reverse_pair(p) = (p[2], p[1])
checked_mul_promoted(a, b) = checked_mul(promote(a, b)...)
_with_integer(n, x, y) = _rational(n, oftype(n, x.den))
*(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _product(x.num, x.den, y.num, y.den)
*(x::Rational, y::Rational) = _product(promote(x.num, x.den, y.num, y.den)...)
*(x::Rational, y::Integer) = _product(promote(x.num, x.den, y, one(y))...)
*(x::Integer, y::Rational) = y * x
function _product(a, b, c, d)
    g = gcd(a, d)
    h = gcd(c, b)
    iszero(b) && iszero(c) && throw(ArgumentError(string("invalid rational: zero(", typeof(a), ")//zero(", typeof(a), ")")))
    iszero(d) && iszero(a) && throw(ArgumentError(string("invalid rational: zero(", typeof(a), ")//zero(", typeof(a), ")")))
    return _rational(checked_mul(div(a, g), div(c, h)), checked_mul(div(b, h), div(d, g)))
end
/(x::Rational, y::Union{Rational,Integer}) = x // y
/(x::Integer, y::Rational) = x // y
/(x::Rational{T}, y::Rational{T}) where {T<:Integer} = x // y
inv(x::Rational{T}) where {T} = _checked_den(x.den, x.num)
fma(x::Rational, y::Rational, z::Rational) = x * y + z

==(x::Rational{T}, y::Rational{T}) where {T<:Integer} = (x.den == y.den) & (x.num == y.num)
==(x::Rational, y::Rational) = (x.den == y.den) & (x.num == y.num)
==(x::Rational, y::Integer) = (x.den == 1) & (x.num == y)
==(x::Integer, y::Rational) = y == x
function ==(x::AbstractFloat, y::Rational)
    isfinite(x) || return isinf(x) && iszero(y.den) && signbit(x) == signbit(y)
    iszero(y.den) && return false
    # Only a power of two below is a float.
    return ispow2(y.den) && x * y.den == y.num && x == y.num / y.den
end
==(x::Rational, y::AbstractFloat) = y == x
<(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _less(x, y)
<(x::Rational, y::Rational) = _less(x, y)
<=(x::Rational{T}, y::Rational{T}) where {T<:Integer} = !_less(y, x)
<=(x::Rational, y::Rational) = !_less(y, x)
_less(x, y) = x.den == y.den ? x.num < y.num : checked_mul(promote(x.num, y.den)...) < checked_mul(promote(y.num, x.den)...)
const _UpTo64Bits = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64}
# Without a branch, as comparators are in compiled code; the second part is about infinities.
_less(x::Rational{<:_UpTo64Bits}, y::Rational{<:_UpTo64Bits}) =
    (Int128(x.num) * Int128(y.den) < Int128(y.num) * Int128(x.den)) | (iszero(x.den) & iszero(y.den) & (x.num < y.num))
<(x::Rational, y::Integer) = _less(x, _rational(promote(y, one(y))...))
<(x::Integer, y::Rational) = _less(_rational(promote(x, one(x))...), y)
<=(x::Rational, y::Integer) = !(y < x)
<=(x::Integer, y::Rational) = !(y < x)
<(x::AbstractFloat, y::Rational) = isfinite(x) && isfinite(y) ? _float_less(x, y) : x < Float64(y)
<(x::Rational, y::AbstractFloat) = isfinite(x) && isfinite(y) ? _float_less(y, x, true) : Float64(x) < y
<=(x::AbstractFloat, y::Rational) = x < y || x == y
<=(x::Rational, y::AbstractFloat) = x < y || x == y
# Floats that differ decide; where the rounded quotient is the float itself, the exact remainder of y.num - x * y.den does.
function _float_less(x, y, reverse=false)
    f = Float64(y)
    d = Float64(x)
    d != f && return reverse ? f < d : d < f
    p = d * Float64(y.den)
    e = fma(d, Float64(y.den), -p)
    rest = (Float64(y.num) - p) - e
    return reverse ? rest < 0 : rest > 0
end
isless(x::Rational, y::Rational) = x < y
isless(x::Rational, y::Integer) = x < y
isless(x::Integer, y::Rational) = x < y
isless(x::Rational, y::AbstractFloat) = isnan(y) || x < y
isless(x::AbstractFloat, y::Rational) = x < y

div(x::Rational, y::Rational) = div(promote(x.num * y.den, x.den * y.num)...)
div(x::Rational, y::Integer) = div(x.num, x.den * y)
div(x::Integer, y::Rational) = div(x * y.den, y.num)
div(x::Rational{T}, y::Rational{T}) where {T<:Integer} = div(checked_mul(x.num, y.den), checked_mul(x.den, y.num))
div(x::Rational, y::Union{Integer,Rational}, r::RoundingMode) = div(promote(x.num * denominator(y), x.den * numerator(y))..., r)
div(x::Integer, y::Rational, r::RoundingMode) = div(promote(x * y.den, y.num)..., r)
div(x::Rational, y::Union{Integer,Rational}, ::RoundingMode{:ToZero}) = div(x, y)
div(x::Integer, y::Rational, ::RoundingMode{:ToZero}) = div(x, y)
fld(x::Rational, y::Union{Integer,Rational}) = div(x, y, RoundDown)
fld(x::Integer, y::Rational) = div(x, y, RoundDown)
cld(x::Rational, y::Union{Integer,Rational}) = div(x, y, RoundUp)
cld(x::Integer, y::Rational) = div(x, y, RoundUp)
rem(x::Rational{T}, y::Rational{T}) where {T<:Integer} = x - y * div(x, y)
mod(x::Rational{T}, y::Rational{T}) where {T<:Integer} = x - y * fld(x, y)

round(x::Rational, r::RoundingMode) = iszero(x.den) ? x : oftype(x, div(x.num, x.den, r))
round(x::Rational) = round(x, RoundNearest)
floor(x::Rational) = round(x, RoundDown)
ceil(x::Rational) = round(x, RoundUp)
trunc(x::Rational) = round(x, RoundToZero)
_round_plain(x::Rational, r) = round(x, r)
round(::Type{T}, x::Rational, r::RoundingMode) where {T<:Integer} = iszero(x.den) ? throw(DivideError()) : convert(T, div(x.num, x.den, r))
round(::Type{Bool}, x::Rational, r::RoundingMode) = convert(Bool, div(x.num, x.den, r))

^(x::Rational, p::Integer) = p >= 0 ? _rational(x.num^p, x.den^p) : _inverse_power(x, p)
^(x::T, p::Rational) where {T<:AbstractFloat} = x^convert(T, p)
^(x::Number, p::Rational) = float(x)^p
^(x::Integer, p::Rational) = isone(p.den) ? x^p.num : float(x)^(p.num / p.den)
^(x::Rational, p::Rational) = isone(p.den) ? x^p.num : float(x)^float(p)
^(x::Rational, p::AbstractFloat) = float(x)^p
function _inverse_power(x, p)
    x.num == 0 && return _rational(x.den^(-p), zero(x.num))
    d = x.num^(-p)
    n = x.den^(-p)
    return signbit(d) ? _rational(-n, -d) : _rational(n, d)
end

gcd(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _rational(gcd(x.num, y.num), lcm(x.den, y.den))
lcm(x::Rational{T}, y::Rational{T}) where {T<:Integer} = _rational(lcm(x.num, y.num), gcd(x.den, y.den))

# The simplest rational within tol: a search in the Stern-Brocot tree by continued fractions, the last quotient as small as it can be.
rationalize(::Type{T}, x::AbstractFloat; tol::Real=eps(x)) where {T<:Integer} = _rationalize(T, x, tol)
rationalize(x::Real; k...) = rationalize(Int, x; k...)
rationalize(::Type{T}, x::Integer; tol::Real=0) where {T<:Integer} = Rational{T}(x)
rationalize(::Type{T}, x::Rational; tol::Real=0) where {T<:Integer} = iszero(tol) ? Rational{T}(x) : _rationalize(T, Float64(x), tol)
rationalize(::Type{T}, x::AbstractIrrational; tol::Real=eps(Float64(x))) where {T<:Integer} = _rationalize(T, Float64(x), tol)
rationalize(::Type{T}, x::AbstractFloat, tol::Real) where {T<:Integer} = _rationalize(T, x, tol)
function _rationalize(::Type{T}, x, tol) where {T}
    tol < 0 && throw(ArgumentError("negative tolerance $tol"))
    isnan(x) && return T(x) // one(T)
    isinf(x) && return (x < 0 ? -one(T) : one(T)) // zero(T)
    signbit(x) && T <: Unsigned && throw(OverflowError("cannot negate unsigned number"))
    y = abs(x)
    a = trunc(y)
    r = y - a
    t = float(tol)
    p, q, pp, qq = T(a), one(T), one(T), zero(T)
    while r > 0 && abs(Float64(p) / Float64(q) - y) > t
        z = inv(r)
        a = trunc(z)
        r = z - a
        a > typemax(T) && break
        k = T(a)
        np, over1 = mul_with_overflow(k, p)
        nq, over2 = mul_with_overflow(k, q)
        np2, over3 = add_with_overflow(np, pp)
        nq2, over4 = add_with_overflow(nq, qq)
        (over1 | over2 | over3 | over4) && break
        if abs(Float64(np2) / Float64(nq2) - y) <= t && k > 1
            # A smaller last quotient may do.
            low, high = div(k, T(2)), k
            while low < high
                m = low + div(high - low, T(2))
                if abs(Float64(m * p + pp) / Float64(m * q + qq) - y) <= t
                    high = m
                else
                    low = m + one(T)
                end
            end
            np2, nq2 = high * p + pp, high * q + qq
        end
        p, q, pp, qq = np2, nq2, p, q
    end
    return (x < 0 ? -p : p) // q
end
