# What holds for numbers of every type.

export zero, one, oneunit, iszero, isone, isinteger, isreal, isfinite, isinf, isnan, sign, signbit, copysign, flipsign,
       abs, abs2, real, imag, reim, conj, adjoint, transpose, float, complex, widen, widemul, signed, unsigned, typemin, typemax, big,
       muladd, fma, ispositive, isnegative

# ---- arithmetic of two types: by promotion

+(x::Number, y::Number) = +(promote(x, y)...)
-(x::Number, y::Number) = -(promote(x, y)...)
*(x::Number, y::Number) = *(promote(x, y)...)
/(x::Number, y::Number) = /(promote(x, y)...)
^(x::Number, y::Number) = ^(promote(x, y)...)
\(x::Number, y::Number) = y / x
==(x::Number, y::Number) = ==(promote(x, y)...)
<(x::Real, y::Real) = <(promote(x, y)...)
<=(x::Real, y::Real) = <=(promote(x, y)...)
isless(x::Real, y::Real) = isless(promote(x, y)...)
muladd(x::Number, y::Number, z::Number) = muladd(promote(x, y, z)...)
fma(x::Number, y::Number, z::Number) = fma(promote(x, y, z)...)
div(x::Real, y::Real) = div(promote(x, y)...)
rem(x::Real, y::Real) = rem(promote(x, y)...)
mod(x::Real, y::Real) = mod(promote(x, y)...)
min(x::Real, y::Real) = min(promote(x, y)...)
max(x::Real, y::Real) = max(promote(x, y)...)
minmax(x::Real, y::Real) = minmax(promote(x, y)...)
(&)(x::Integer, y::Integer) = (&)(promote(x, y)...)
(|)(x::Integer, y::Integer) = (|)(promote(x, y)...)
xor(x::Integer, y::Integer) = xor(promote(x, y)...)

# ---- of one type that does not say how: an error instead of promoting for ever

+(x::T, y::T) where {T<:Number} = _no_operation("+", T)
-(x::T, y::T) where {T<:Number} = _no_operation("-", T)
*(x::T, y::T) where {T<:Number} = _no_operation("*", T)
/(x::T, y::T) where {T<:Number} = _no_operation("/", T)
^(x::T, y::T) where {T<:Number} = _no_operation("^", T)
<(x::T, y::T) where {T<:Real} = _no_operation("<", T)
div(x::T, y::T) where {T<:Real} = _no_operation("div", T)
rem(x::T, y::T) where {T<:Real} = _no_operation("rem", T)
(&)(x::T, y::T) where {T<:Integer} = _no_operation("&", T)
(|)(x::T, y::T) where {T<:Integer} = _no_operation("|", T)
xor(x::T, y::T) where {T<:Integer} = _no_operation("xor", T)
_no_operation(name, T) = throw(ErrorException(string(name, " not defined for ", T)))

==(x::T, y::T) where {T<:Number} = x === y
function mod(x::T, y::T) where {T<:Real}
    r = rem(x, y)
    iszero(r) && return copysign(r, y)
    return signbit(r) == signbit(y) ? r : r + y
end
<=(x::T, y::T) where {T<:Real} = (x < y) | (x == y)
isless(x::T, y::T) where {T<:Real} = x < y
min(x::T, y::T) where {T<:Real} = ifelse(y < x, y, x)
max(x::T, y::T) where {T<:Real} = ifelse(y < x, x, y)
minmax(x::T, y::T) where {T<:Real} = y < x ? (y, x) : (x, y)
muladd(x::T, y::T, z::T) where {T<:Number} = x * y + z
fma(x::T, y::T, z::T) where {T<:Integer} = x * y + z

+(x::Number) = x
*(x::Number) = x
(&)(x::Integer) = x
(|)(x::Integer) = x
xor(x::Integer) = x
min(x::Real) = x
max(x::Real) = x

# ---- neutral elements

zero(x::Number) = oftype(x, 0)
zero(::Type{T}) where {T<:Number} = convert(T, 0)
one(x::T) where {T<:Number} = one(T)
one(::Type{T}) where {T<:Number} = convert(T, 1)
oneunit(x::T) where {T} = T(one(x))
oneunit(::Type{T}) where {T} = T(one(T))
zero(::Type{Union{}}) = throw(MethodError(zero, (Union{},)))
iszero(x) = x == zero(x)
isone(x) = x == one(x)

# ---- classes

isinteger(x::Integer) = true
isinteger(x::Number) = x - trunc(x) == 0
isfinite(x::Number) = iszero(x - x)
isfinite(x::Integer) = true
isinf(x::Real) = !isnan(x) & !isfinite(x)
isnan(x::Number) = x != x
isnan(x::Integer) = false
isinf(x::Integer) = false
isreal(x::Real) = true
isreal(x::Number) = iszero(imag(x))
isunordered(x::Number) = isnan(x)
ispositive(x::Real) = x > zero(x)
isnegative(x::Real) = x < zero(x)

# ---- sign and size

signbit(x::Real) = x < 0
sign(x::Number) = iszero(x) ? x / abs(oneunit(x)) : x / abs(x)
sign(x::Real) = ifelse(x < zero(x), oftype(one(x), -1), ifelse(x > zero(x), one(x), typeof(one(x))(x)))
abs(x::Real) = ifelse(signbit(x), -x, x)
abs2(x::Number) = abs(x)^2
abs2(x::Real) = x * x
copysign(x::Real, y::Real) = ifelse(signbit(x) != signbit(y), -x, +x)
flipsign(x::Real, y::Real) = ifelse(signbit(y), -x, +x)
inv(x::Number) = one(x) / x

# ---- parts

real(x::Real) = x
imag(x::Real) = zero(x)
reim(z) = (real(z), imag(z))
conj(x::Real) = x
adjoint(x::Number) = conj(x)
transpose(x::Number) = x
real(::Type{T}) where {T<:Real} = T
real(::Type{T}) where {T<:Number} = typeof(real(zero(T)))

float(x) = AbstractFloat(x)
float(::Type{T}) where {T<:Number} = typeof(float(zero(T)))
float(::Type{T}) where {T<:AbstractFloat} = T
widen(x::T) where {T} = convert(widen(T), x)
widen(x::Type{T}) where {T} = throw(MethodError(widen, (T,)))
widemul(x::Number, y::Number) = widen(x) * widen(y)
big(x) = _out_of_scope(:big)
big(::Type{T}) where {T<:Integer} = BigInt
big(::Type{T}) where {T<:AbstractFloat} = BigFloat
big(::Type{T}) where {T<:Rational} = Rational{BigInt}
big(::Type{Complex{T}}) where {T<:Real} = Complex{big(T)}
promote_rule(::Type{BigInt}, ::Type{<:Integer}) = BigInt
promote_rule(::Type{BigInt}, ::Type{<:AbstractFloat}) = BigFloat
promote_rule(::Type{BigFloat}, ::Type{<:Real}) = BigFloat
BigInt(x...; k...) = _out_of_scope(:BigInt)
BigFloat(x...; k...) = _out_of_scope(:BigFloat)

# ---- a number is a container of itself

ndims(x::Number) = 0
ndims(::Type{<:Number}) = 0
size(x::Number) = ()
size(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : 1
axes(x::Number) = ()
axes(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : OneTo(1)
length(x::Number) = 1
firstindex(x::Number) = 1
firstindex(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : 1
lastindex(x::Number) = 1
lastindex(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : 1
eltype(x::Number) = typeof(x)
eltype(::Type{T}) where {T<:Number} = T
first(x::Number) = x
last(x::Number) = x
only(x::Number) = x
isempty(x::Number) = false
in(x::Number, y::Number) = x == y
iterate(x::Number) = (x, nothing)
iterate(x::Number, ::Any) = nothing
getindex(x::Number) = x
function getindex(x::Number, i::Integer)
    i == 1 || throw(BoundsError(x, i))
    return x
end
function getindex(x::Number, I::Integer...)
    all(i -> i == 1, I) || throw(BoundsError(x, I))
    return x
end
copy(x::Number) = x
map(f, x::Number, ys::Number...) = f(x, ys...)
IteratorSize(::Type{<:Number}) = HasShape{0}()
keys(x::Number) = OneTo(1)
vec(x::Number) = [x]
