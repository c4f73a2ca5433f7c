# What floats are made of.

export eps, floatmin, floatmax, maxintfloat, nextfloat, prevfloat, exponent, significand, frexp, ldexp, modf, issubnormal, precision,
       Inf, Inf16, Inf32, Inf64, NaN, NaN16, NaN32, NaN64

const Inf16 = typemax(Float16)
const Inf32 = typemax(Float32)
const Inf64 = typemax(Float64)
const Inf = Inf64
const NaN16 = _reinterpret_bits(Float16, 0x7e00)
const NaN32 = _reinterpret_bits(Float32, 0x7fc00000)
const NaN64 = _reinterpret_bits(Float64, 0x7ff8000000000000)
const NaN = NaN64

eps(x::IEEEFloat) = _eps(x)
eps() = eps(Float64)
eps(::Type{Float16}) = Float16(0.0009765625)
eps(::Type{Float32}) = 1.1920929f-7
eps(::Type{Float64}) = 2.220446049250313e-16
eps(x::AbstractFloat) = isfinite(x) ? abs(x) * eps(typeof(x)) : oftype(x, NaN)
floatmin(::Type{Float16}) = Float16(6.103515625e-5)
floatmin(::Type{Float32}) = 1.1754944f-38
floatmin(::Type{Float64}) = 2.2250738585072014e-308
floatmax(::Type{Float16}) = Float16(65504.0)
floatmax(::Type{Float32}) = 3.4028235f38
floatmax(::Type{Float64}) = 1.7976931348623157e308
floatmin(x::T) where {T<:AbstractFloat} = floatmin(T)
floatmax(x::T) where {T<:AbstractFloat} = floatmax(T)
floatmin() = floatmin(Float64)
floatmax() = floatmax(Float64)
maxintfloat(::Type{Float16}) = Float16(2048.0)
maxintfloat(::Type{Float32}) = 1.6777216f7
maxintfloat(::Type{Float64}) = 9.007199254740992e15
maxintfloat(x::T) where {T<:AbstractFloat} = maxintfloat(T)
maxintfloat() = maxintfloat(Float64)
maxintfloat(::Type{S}, ::Type{T}) where {S<:AbstractFloat,T<:Integer} = min(maxintfloat(S), S(typemax(T)))

exponent_max(::Type{Float16}) = 15
exponent_max(::Type{Float32}) = 127
exponent_max(::Type{Float64}) = 1023
exponent_bits(::Type{Float16}) = 5
exponent_bits(::Type{Float32}) = 8
exponent_bits(::Type{Float64}) = 11
significand_bits(::Type{Float16}) = 10
significand_bits(::Type{Float32}) = 23
significand_bits(::Type{Float64}) = 52
exponent_mask(::Type{Float16}) = 0x7c00
exponent_mask(::Type{Float32}) = 0x7f800000
exponent_mask(::Type{Float64}) = 0x7ff0000000000000
significand_mask(::Type{Float16}) = 0x03ff
significand_mask(::Type{Float32}) = 0x007fffff
significand_mask(::Type{Float64}) = 0x000fffffffffffff
sign_mask(::Type{Float16}) = 0x8000
sign_mask(::Type{Float32}) = 0x80000000
sign_mask(::Type{Float64}) = 0x8000000000000000
uinttype(::Type{Float16}) = UInt16
uinttype(::Type{Float32}) = UInt32
uinttype(::Type{Float64}) = UInt64

nextfloat(x::IEEEFloat) = _nextfloat(x)
prevfloat(x::IEEEFloat) = _prevfloat(x)
nextfloat(x::IEEEFloat, n::Integer) = _nextfloat(x, n)
prevfloat(x::IEEEFloat, n::Integer) = _prevfloat(x, n)
exponent(x::IEEEFloat) = _exponent(x)
exponent(x::Real) = exponent(float(x))
significand(x::IEEEFloat) = _significand(x)
significand(x::Real) = significand(float(x))
frexp(x::IEEEFloat) = _frexp(x)
frexp(x::Integer) = frexp(float(x))
ldexp(x::IEEEFloat, n::Integer) = _ldexp(x, n)
ldexp(x::Integer, n::Integer) = ldexp(float(x), n)
modf(x::IEEEFloat) = _modf(x)
modf(x::Real) = modf(float(x))
issubnormal(x::IEEEFloat) = _issubnormal(x)
precision(::Type{Float16}; base::Integer=2) = _precision(11, base)
precision(::Type{Float32}; base::Integer=2) = _precision(24, base)
precision(::Type{Float64}; base::Integer=2) = _precision(53, base)
precision(x::T; base::Integer=2) where {T<:AbstractFloat} = precision(T; base=base)
_precision(bits, base) = base == 2 ? bits : floor(Int, bits / log2(base))
