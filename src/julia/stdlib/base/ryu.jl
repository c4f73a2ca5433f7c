# Decimals of floating-point numbers.
module Ryu

writeshortest(x::AbstractFloat) = string(x)
function _trimmed(s::AbstractString, dot::AbstractChar)
    dot in s || return s
    return rstrip(rstrip(s, '0'), dot)
end
function writefixed(x::AbstractFloat, precision::Integer, plus::Bool = false, space::Bool = false, hash::Bool = false,
    dot::UInt8 = UInt8('.'), trim::Bool = false)
    s = _printf_text(string("%", plus ? "+" : "", space ? " " : "", hash ? "#" : "", ".*f"), precision, x)
    trim && (s = String(_trimmed(s, '.')))
    return dot == UInt8('.') ? s : replace(s, '.' => Char(dot))
end
function writeexp(x::AbstractFloat, precision::Integer, plus::Bool = false, space::Bool = false, hash::Bool = false,
    mark::UInt8 = UInt8('e'), dot::UInt8 = UInt8('.'), trim::Bool = false)
    s = _printf_text(string("%", plus ? "+" : "", space ? " " : "", hash ? "#" : "", ".*e"), precision, x)
    if isfinite(x)
        digits, exponent = split(s, 'e')
        trim && (digits = _trimmed(digits, '.'))
        s = string(digits, Char(mark), exponent)
    end
    return dot == UInt8('.') ? s : replace(s, '.' => Char(dot))
end

end
