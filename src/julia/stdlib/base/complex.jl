# Complex numbers: parts, arithmetic, comparison.

export Complex, im, complex, real, imag, reim, conj, cis, cispi, angle, abs2, ComplexF64, ComplexF32, ComplexF16

Complex(x::T, y::T) where {T<:Real} = _complex(x, y)
Complex(x::Real, y::Real) = Complex(promote(x, y)...)
Complex(x::Real) = Complex(x, zero(x))
Complex(z::Complex) = z
Complex{T}(x::Real, y::Real) where {T<:Real} = _complex_of(T, convert(T, x), convert(T, y))
Complex{T}(x::Real) where {T<:Real} = _complex_of(T, convert(T, x), zero(T))
Complex{T}(z::Complex) where {T<:Real} = Complex{T}(z.re, z.im)
Complex{T}(z::Complex{T}) where {T<:Real} = z

const im = Complex(false, true)

(::Type{T})(z::Complex) where {T<:Real} = isreal(z) ? T(real(z))::T : _throw_inexact(T, z)
Bool(z::Complex) = isreal(z) ? Bool(real(z)) : _throw_inexact(Bool, z)
AbstractFloat(z::Complex) = Complex(AbstractFloat(z.re), AbstractFloat(z.im))

promote_rule(::Type{Complex{T}}, ::Type{S}) where {T<:Real,S<:Real} = Complex{promote_type(T, S)}
promote_rule(::Type{Complex{T}}, ::Type{Complex{S}}) where {T<:Real,S<:Real} = Complex{promote_type(T, S)}
widen(::Type{Complex{T}}) where {T} = Complex{widen(T)}
float(::Type{Complex{T}}) where {T<:AbstractFloat} = Complex{T}
float(::Type{Complex{T}}) where {T} = Complex{float(T)}
float(z::Complex{<:AbstractFloat}) = z
float(z::Complex) = Complex(float(z.re), float(z.im))
real(::Type{Complex{T}}) where {T<:Real} = T

complex(x::Real) = Complex(x)
complex(x::Real, y::Real) = Complex(x, y)
complex(z::Complex) = z
complex(::Type{T}) where {T<:Real} = Complex{T}
complex(::Type{Complex{T}}) where {T<:Real} = Complex{T}
complex(::Type{Union{T,Missing}}) where {T<:Real} = Union{Complex{T},Missing}

real(z::Complex) = z.re
imag(z::Complex) = z.im
reim(z::Complex) = (z.re, z.im)
isreal(z::Complex) = iszero(z.im)
isinteger(z::Complex) = isreal(z) & isinteger(z.re)
isfinite(z::Complex) = isfinite(z.re) & isfinite(z.im)
isnan(z::Complex) = isnan(z.re) | isnan(z.im)
isinf(z::Complex) = isinf(z.re) | isinf(z.im)
iszero(z::Complex) = iszero(z.re) & iszero(z.im)
isone(z::Complex) = isone(z.re) & iszero(z.im)
isodd(z::Complex) = isreal(z) && isodd(z.re)
iseven(z::Complex) = isreal(z) && iseven(z.re)
flipsign(z::Complex, y::Real) = ifelse(signbit(y), -z, z)
zero(z::Complex{T}) where {T} = Complex(zero(T), zero(T))
one(z::Complex{T}) where {T} = Complex(one(T), zero(T))
zero(::Type{Complex{T}}) where {T<:Real} = Complex{T}(zero(T), zero(T))
one(::Type{Complex{T}}) where {T<:Real} = Complex{T}(one(T), zero(T))
zero(::Type{Complex}) = Complex(0, 0)
one(::Type{Complex}) = Complex(1, 0)
bswap(z::Complex) = Complex(bswap(z.re), bswap(z.im))

==(z::Complex, w::Complex) = (z.re == w.re) & (z.im == w.im)
==(z::Complex, x::Real) = isreal(z) && z.re == x
==(x::Real, z::Complex) = isreal(z) && x == z.re
==(z::Complex{T}, w::Complex{T}) where {T<:Real} = (z.re == w.re) & (z.im == w.im)
isequal(z::Complex, w::Complex) = isequal(z.re, w.re) & isequal(z.im, w.im)
isequal(z::Complex, x::Real) = isequal(z.im, zero(z.im)) && isequal(z.re, x)
isequal(x::Real, z::Complex) = isequal(z, x)

# ---- arithmetic

+(z::Complex{T}, w::Complex{T}) where {T<:IEEEFloat} = _complex_add(z, w)
-(z::Complex{T}, w::Complex{T}) where {T<:IEEEFloat} = _complex_sub(z, w)
*(z::Complex{T}, w::Complex{T}) where {T<:IEEEFloat} = _complex_mul(z, w)
/(z::Complex{T}, w::Complex{T}) where {T<:IEEEFloat} = _complex_div(z, w)
inv(z::Complex{<:IEEEFloat}) = _complex_inv(z)
abs(z::Complex{<:IEEEFloat}) = _complex_abs(z)
abs2(z::Complex{<:IEEEFloat}) = _complex_abs2(z)

+(z::Complex) = Complex(+z.re, +z.im)
-(z::Complex) = Complex(-z.re, -z.im)
conj(z::Complex) = Complex(z.re, -z.im)
+(z::Complex, w::Complex) = Complex(z.re + w.re, z.im + w.im)
-(z::Complex, w::Complex) = Complex(z.re - w.re, z.im - w.im)
*(z::Complex, w::Complex) = Complex(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)
+(z::Complex{T}, w::Complex{T}) where {T<:Real} = Complex(z.re + w.re, z.im + w.im)
-(z::Complex{T}, w::Complex{T}) where {T<:Real} = Complex(z.re - w.re, z.im - w.im)
*(z::Complex{T}, w::Complex{T}) where {T<:Real} = Complex(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)
+(x::Real, z::Complex) = Complex(x + z.re, z.im)
+(z::Complex, x::Real) = Complex(z.re + x, z.im)
-(z::Complex, x::Real) = Complex(z.re - x, z.im)
# The imaginary part of a difference is 0 - im: its zero is not a negative one.
-(x::Real, z::Complex) = (re = x - z.re; Complex(re, _minus_imaginary(re, z.im)))
_minus_imaginary(re, y) = -oftype(re, y)
_minus_imaginary(re::Bool, y) = -y
*(x::Real, z::Complex) = Complex(x * z.re, x * z.im)
*(z::Complex, x::Real) = Complex(z.re * x, z.im * x)
/(z::Complex, x::Real) = Complex(z.re / x, z.im / x)
/(x::T, z::Complex{S}) where {T<:Real,S<:Real} = (R = promote_type(T, S); x * inv(convert(Complex{typeof(one(R) / one(R))}, z)))
/(z::Complex, w::Complex) = _divide(promote(float(z), float(w))...)
/(z::Complex{T}, w::Complex{T}) where {T<:Real} = _divide(float(z), float(w))
/(z::Complex{T}, w::Complex{T}) where {T<:Rational} = z * conj(w) / abs2(w)
_divide(z::Complex{T}, w::Complex{T}) where {T<:IEEEFloat} = _complex_div(z, w)
function _divide(z::Complex{T}, w::Complex{T}) where {T<:Real}
    # Smith: by the larger part of the divisor.
    a, b = reim(z)
    c, d = reim(w)
    if abs(d) <= abs(c)
        r = d / c
        q = c + d * r
        return Complex((a + b * r) / q, (b - a * r) / q)
    end
    r = c / d
    q = c * r + d
    return Complex((a * r + b) / q, (b * r - a) / q)
end
inv(z::Complex{<:Union{Integer,AbstractFloat}}) = inv(float(z))
inv(z::Complex) = conj(z) / abs2(z)
# true and false are exact factors.
*(x::Bool, z::Complex) = Complex(x * z.re, x * z.im)
*(z::Complex, x::Bool) = Complex(z.re * x, z.im * x)
*(x::Bool, z::Complex{Bool}) = Complex(x & z.re, x & z.im)
*(z::Complex{Bool}, x::Bool) = Complex(x & z.re, x & z.im)
*(x::Real, z::Complex{Bool}) = _times_imaginary(x, z)
*(z::Complex{Bool}, x::Real) = _times_imaginary(x, z)
# x * im has a zero real part whatever x is.
_times_imaginary(x, z) = Complex(x * z.re, x * z.im)
+(x::Bool, z::Complex{Bool}) = Complex(x + z.re, Int(z.im))
+(z::Complex{Bool}, x::Bool) = Complex(z.re + x, Int(z.im))
-(x::Bool, z::Complex{Bool}) = Complex(x - z.re, -z.im)
-(z::Complex{Bool}, x::Bool) = Complex(z.re - x, Int(z.im))
+(x::Real, z::Complex{Bool}) = Complex(x + z.re, oftype(x + z.re, z.im))
+(z::Complex{Bool}, x::Real) = Complex(x + z.re, oftype(x + z.re, z.im))
-(x::Real, z::Complex{Bool}) = (re = x - z.re; Complex(re, -oftype(re, z.im)))
-(z::Complex{Bool}, x::Real) = (re = z.re - x; Complex(re, oftype(re, z.im)))

muladd(z::Complex, w::Complex, x::Real) = Complex(muladd(z.re, w.re, x) - z.im * w.im, muladd(z.re, w.im, z.im * w.re))
muladd(z::Complex, w::Complex, x::Complex) = Complex(muladd(z.re, w.re, x.re) - z.im * w.im, muladd(z.re, w.im, muladd(z.im, w.re, x.im)))
muladd(x::Real, z::Complex, y::Number) = x * z + y
muladd(z::Complex, x::Real, y::Number) = z * x + y
muladd(x::Real, y::Real, z::Complex) = Complex(muladd(x, y, z.re), z.im)

# ---- size and direction

abs(z::Complex) = hypot(z.re, z.im)
abs2(z::Complex) = z.re * z.re + z.im * z.im
angle(z::Complex) = atan(z.im, z.re)
angle(x::Real) = isnan(x) ? float(x) : ifelse(signbit(x), oftype(float(x), π), zero(float(x)))
sign(z::Complex) = iszero(z) ? float(z) * zero(real(z)) : z / abs(z)
function cis(x::Real)
    s, c = sincos(x)
    return Complex(c, s)
end
function cis(z::Complex)
    r = exp(-z.im)
    s, c = sincos(z.re)
    return Complex(r * c, r * s)
end
function cispi(x::Real)
    s, c = sincospi(x)
    return Complex(c, s)
end
function cispi(z::Complex)
    r = exp(-(oftype(float(z.im), π) * z.im))
    s, c = sincospi(z.re)
    return Complex(r * c, r * s)
end

# ---- rounding by parts

round(z::Complex, r1::RoundingMode=RoundNearest, r2::RoundingMode=r1; k...) = Complex(round(z.re, r1; k...), round(z.im, r2; k...))
floor(z::Complex; k...) = Complex(floor(z.re; k...), floor(z.im; k...))
ceil(z::Complex; k...) = Complex(ceil(z.re; k...), ceil(z.im; k...))
trunc(z::Complex; k...) = Complex(trunc(z.re; k...), trunc(z.im; k...))
round(::Type{Complex{T}}, z::Complex, r::RoundingMode) where {T<:Real} = Complex(round(T, z.re, r), round(T, z.im, r))
big(z::Complex) = _out_of_scope(:big)

# ---- arrays as complex or real ones

real(A::AbstractArray{<:Real}) = A
real(A::AbstractArray{<:Number}) = map(real, A)
imag(A::AbstractArray{<:Number}) = map(imag, A)
reim(A::AbstractArray) = (real(A), imag(A))
conj(A::AbstractArray{<:Real}) = A
conj(A::AbstractArray{<:Number}) = map(conj, A)
complex(A::AbstractArray{<:Complex}) = A
complex(A::AbstractArray{T}) where {T<:Real} = convert(AbstractArray{typeof(complex(zero(T)))}, A)
complex(A::AbstractArray{T}) where {T} = throw(ErrorException("`complex` not defined on abstractly-typed arrays; please convert to a more specific type"))
float(A::AbstractArray{<:AbstractFloat}) = A
float(A::AbstractArray{<:Complex{<:AbstractFloat}}) = A
float(A::AbstractArray{T}) where {T<:Number} = convert(AbstractArray{typeof(float(zero(T)))}, A)
isreal(A::AbstractArray) = all(isreal, A)
iszero(A::AbstractArray) = all(iszero, A)
