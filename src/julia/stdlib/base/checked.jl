# Base.Checked: integer arithmetic that throws OverflowError instead of wrapping.

checked_add(x::T, y::T) where {T<:BitOrBool} = _checked_add(x, y)
checked_sub(x::T, y::T) where {T<:BitOrBool} = _checked_sub(x, y)
checked_mul(x::T, y::T) where {T<:BitOrBool} = _checked_mul(x, y)
checked_neg(x::BitOrBool) = _checked_neg(x)
checked_abs(x::BitOrBool) = _checked_abs(x)
checked_pow(x::BitOrBool, p::BitOrBool) = _checked_pow(x, p)
add_with_overflow(x::T, y::T) where {T<:BitInteger} = _add_with_overflow(x, y)
sub_with_overflow(x::T, y::T) where {T<:BitInteger} = _sub_with_overflow(x, y)
mul_with_overflow(x::T, y::T) where {T<:BitInteger} = _mul_with_overflow(x, y)

checked_add(x::T, y::T) where {T<:Integer} = x + y
checked_sub(x::T, y::T) where {T<:Integer} = x - y
checked_mul(x::T, y::T) where {T<:Integer} = x * y
checked_neg(x::Integer) = -x
checked_abs(x::Integer) = abs(x)
checked_add(x::Integer, y::Integer) = checked_add(promote(x, y)...)
checked_sub(x::Integer, y::Integer) = checked_sub(promote(x, y)...)
checked_mul(x::Integer, y::Integer) = checked_mul(promote(x, y)...)
checked_add(x) = x
checked_mul(x) = x
checked_add(x, y, z, rest...) = checked_add(checked_add(x, y), z, rest...)
checked_mul(x, y, z, rest...) = checked_mul(checked_mul(x, y), z, rest...)
checked_div(x::T, y::T) where {T<:Integer} = div(x, y)
checked_rem(x::T, y::T) where {T<:Integer} = rem(x, y)
checked_fld(x::T, y::T) where {T<:Integer} = fld(x, y)
checked_mod(x::T, y::T) where {T<:Integer} = mod(x, y)
checked_cld(x::T, y::T) where {T<:Integer} = cld(x, y)
checked_div(x::Integer, y::Integer) = div(x, y)
checked_rem(x::Integer, y::Integer) = rem(x, y)
checked_length(x) = length(x)

module Checked
import ..Base: checked_add, checked_sub, checked_mul, checked_neg, checked_abs, checked_pow, checked_div, checked_rem, checked_fld,
               checked_mod, checked_cld, checked_length, add_with_overflow, sub_with_overflow, mul_with_overflow
export checked_add, checked_sub, checked_mul, checked_neg, checked_abs, checked_pow, checked_div, checked_rem, checked_fld,
       checked_mod, checked_cld, checked_length, add_with_overflow, sub_with_overflow, mul_with_overflow
end
