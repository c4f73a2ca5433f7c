# Arithmetic of machine numbers: every mixture of them is one operation, which promotes by itself.

export muladd, fma, literal_pow

+(x::MachineReal, y::MachineReal) = _add(x, y)
-(x::MachineReal, y::MachineReal) = _sub(x, y)
*(x::MachineReal, y::MachineReal) = _mul(x, y)
/(x::MachineReal, y::MachineReal) = _div(x, y)
\(x::MachineReal, y::MachineReal) = y / x
^(x::MachineReal, y::MachineReal) = _pow(x, y)
^(x::IEEEFloat, y::Union{Bool,BitInteger}) = _powi(x, y)
^(x::BitOrBool, y::BitOrBool) = _pow(x, y)
div(x::MachineReal, y::MachineReal) = _idiv(x, y)
fld(x::MachineReal, y::MachineReal) = _fld(x, y)
cld(x::MachineReal, y::MachineReal) = _cld(x, y)
rem(x::MachineReal, y::MachineReal) = _rem(x, y)
mod(x::MachineReal, y::MachineReal) = _mod(x, y)
min(x::MachineReal, y::MachineReal) = _min(x, y)
max(x::MachineReal, y::MachineReal) = _max(x, y)
minmax(x::MachineReal, y::MachineReal) = (_min(x, y), _max(x, y))

==(x::MachineReal, y::MachineReal) = _eq(x, y)
!=(x::MachineReal, y::MachineReal) = _ne(x, y)
<(x::MachineReal, y::MachineReal) = _lt(x, y)
<=(x::MachineReal, y::MachineReal) = _le(x, y)
>(x::MachineReal, y::MachineReal) = _gt(x, y)
>=(x::MachineReal, y::MachineReal) = _ge(x, y)
isless(x::MachineReal, y::MachineReal) = _isless(x, y)
isequal(x::MachineReal, y::MachineReal) = _isequal(x, y)

(&)(x::BitOrBool, y::BitOrBool) = _and(x, y)
(|)(x::BitOrBool, y::BitOrBool) = _or(x, y)
xor(x::BitOrBool, y::BitOrBool) = _xor(x, y)
<<(x::BitOrBool, y::BitOrBool) = _shl(x, y)
>>(x::BitOrBool, y::BitOrBool) = _shr(x, y)
>>>(x::BitOrBool, y::BitOrBool) = _ushr(x, y)
~(x::BitOrBool) = _not(x)

-(x::MachineReal) = _neg(x)
+(x::Bool) = Int(x)
abs(x::MachineReal) = _abs(x)
sign(x::MachineReal) = _sign(x)
signbit(x::MachineReal) = _signbit(x)
copysign(x::MachineReal, y::MachineReal) = _copysign(x, y)
flipsign(x::MachineReal, y::MachineReal) = _flipsign(x, y)
muladd(x::MachineReal, y::MachineReal, z::MachineReal) = _muladd(x, y, z)
fma(x::T, y::T, z::T) where {T<:IEEEFloat} = _fma(x, y, z)
inv(x::Union{Bool,BitInteger}) = _div(1, x)
inv(x::IEEEFloat) = one(x) / x

zero(x::MachineReal) = _zero(x)
one(x::MachineReal) = _one(x)
zero(T::Type{<:MachineReal}) = _zero(T)
one(T::Type{<:MachineReal}) = _one(T)
oneunit(x::MachineReal) = _one(x)
oneunit(T::Type{<:MachineReal}) = _one(T)
typemin(T::Type{<:MachineReal}) = _typemin(T)
typemax(T::Type{<:MachineReal}) = _typemax(T)
typemin(x::MachineReal) = typemin(typeof(x))
typemax(x::MachineReal) = typemax(typeof(x))
isfinite(x::IEEEFloat) = _isfinite(x)
isinf(x::IEEEFloat) = _isinf(x)
isnan(x::IEEEFloat) = _isnan(x)
isinteger(x::IEEEFloat) = _isinteger(x)
iszero(x::MachineReal) = x == 0
isone(x::MachineReal) = x == 1

float(x::IEEEFloat) = x
float(x::Union{Bool,BitInteger}) = Float64(x)
AbstractFloat(x::Union{Bool,BitInteger}) = Float64(x)
AbstractFloat(x::IEEEFloat) = x
Integer(x::IEEEFloat) = Int(x)
Integer(x::BitOrBool) = x
Signed(x::Bool) = Int(x)
Signed(x::BitUnsigned) = signed(typeof(x))(x)
Signed(x::IEEEFloat) = Int(x)
Signed(x::BitSigned) = x
Unsigned(x::Union{Bool,BitSigned}) = unsigned_exactly(x)
Unsigned(x::IEEEFloat) = UInt(x)
Unsigned(x::BitUnsigned) = x
unsigned_exactly(x::Bool) = UInt(x)
unsigned_exactly(x::BitSigned) = unsigned(typeof(x))(x)

widen(::Type{Bool}) = Int
widen(::Type{Int8}) = Int16
widen(::Type{Int16}) = Int32
widen(::Type{Int32}) = Int64
widen(::Type{Int64}) = Int128
widen(::Type{Int128}) = BigInt
widen(::Type{UInt8}) = UInt16
widen(::Type{UInt16}) = UInt32
widen(::Type{UInt32}) = UInt64
widen(::Type{UInt64}) = UInt128
widen(::Type{UInt128}) = BigInt
widen(::Type{Float16}) = Float32
widen(::Type{Float32}) = Float64
widen(::Type{Float64}) = BigFloat
widen(::Type{BigInt}) = BigInt
widen(::Type{BigFloat}) = BigFloat
widemul(x::Bool, y::Bool) = x * y
widemul(x::Bool, y::Number) = x * y
widemul(x::Number, y::Bool) = x * y
widemul(x::BitSigned, y::BitUnsigned) = widen(x) * signed(widen(y))
widemul(x::BitUnsigned, y::BitSigned) = signed(widen(x)) * widen(y)

signed(::Type{Bool}) = Int
signed(::Type{T}) where {T<:Signed} = T
signed(::Type{UInt8}) = Int8
signed(::Type{UInt16}) = Int16
signed(::Type{UInt32}) = Int32
signed(::Type{UInt64}) = Int64
signed(::Type{UInt128}) = Int128
unsigned(::Type{Bool}) = UInt
unsigned(::Type{T}) where {T<:Unsigned} = T
unsigned(::Type{Int8}) = UInt8
unsigned(::Type{Int16}) = UInt16
unsigned(::Type{Int32}) = UInt32
unsigned(::Type{Int64}) = UInt64
unsigned(::Type{Int128}) = UInt128
signed(x::Signed) = x
signed(x::BitUnsigned) = _wrap(x, signed(typeof(x)))
signed(x::Bool) = Int(x)
signed(x::IEEEFloat) = Int(x)
unsigned(x::Unsigned) = x
unsigned(x::BitSigned) = _wrap(x, unsigned(typeof(x)))
unsigned(x::Bool) = UInt(x)
unsigned(x::IEEEFloat) = UInt(x)

# x % T: the integer of type T that x is congruent to.
rem(x::BitOrBool, T::Type{<:BitOrBool}) = _wrap(x, T)
rem(x::T, ::Type{T}) where {T<:Integer} = x
rem(x::BitOrBool, ::Type{Signed}) = signed(typeof(x)) === typeof(x) ? x : _wrap(x, signed(typeof(x)))
rem(x::BitOrBool, ::Type{Unsigned}) = _wrap(x, unsigned(typeof(x)))
rem(x::BitOrBool, ::Type{Integer}) = x
rem(x::Integer, T::Type{<:IEEEFloat}) = T(x)
mod(x::BitOrBool, T::Type{<:BitOrBool}) = _wrap(x, T)
mod(x::T, ::Type{T}) where {T<:Integer} = x
unsafe_trunc(T::Type{<:BitOrBool}, x::MachineReal) = _unsafe_trunc(T, x)
unsafe_trunc(::Type{T}, x::Real) where {T<:Integer} = trunc(T, x)
export unsafe_trunc, reinterpret, sizeof

sizeof(T::Type) = _sizeof(T)
sizeof(x) = _sizeof(x)

reinterpret(::Type{T}, x::T) where {T} = x
reinterpret(T::Type, x) = _reinterpret_bits(T, x)
reinterpret(::Type{Unsigned}, x::BitInteger) = unsigned(x)
reinterpret(::Type{Unsigned}, x::Float64) = _reinterpret_bits(UInt64, x)
reinterpret(::Type{Unsigned}, x::Float32) = _reinterpret_bits(UInt32, x)
reinterpret(::Type{Unsigned}, x::Float16) = _reinterpret_bits(UInt16, x)
reinterpret(::Type{Signed}, x::BitInteger) = _wrap(x, signed(typeof(x)))
reinterpret(::Type{Signed}, x::IEEEFloat) = reinterpret(Signed, reinterpret(Unsigned, x))

# ---- powers whose exponent is written out: x^2 is x * x

literal_pow(f, x, ::Val{p}) where {p} = f(x, p)
literal_pow(f::typeof(^), x::MachineReal, p::Val) = _literal_pow(f, x, p)
function literal_pow(::typeof(^), x::Union{Rational,Complex}, ::Val{p}) where {p}
    p == 0 && return one(x)
    p == 1 && return x
    p == 2 && return x * x
    p == 3 && return x * x * x
    p < 0 || return x^p
    y = inv(x)
    return p == -1 ? y : p == -2 ? y * y : y^(-p)
end

# ---- powers of anything that can be multiplied

^(x::Number, p::Integer) = power_by_squaring(x, p)
^(x::T, p::T) where {T<:Integer} = power_by_squaring(x, p)
^(x::Number, p::Rational) = x^(p.num / p.den)

function power_by_squaring(x, p::Integer)
    p == 0 && return one(x)
    p == 1 && return copy(x)
    p < 0 && return power_by_squaring(_invertible(x, p), -p)
    n = Int(p)
    while iseven(n)
        x = x * x
        n >>= 1
    end
    y = x
    n >>= 1
    while n > 0
        x = x * x
        isodd(n) && (y = y * x)
        n >>= 1
    end
    return y
end
_invertible(x, p) = inv(x)
function _invertible(x::Integer, p)
    isone(x) && return x
    isone(-x) && return x
    throw(DomainError(p, string("Cannot raise an integer x to a negative power ", p, ".\nConvert input to float.")))
end
