# Formats of C. The macros are lowered to _printf, _printf_to and _sprintf.
module Printf

export @printf, @sprintf

_sprintf(format::AbstractString, arguments...) = _printf_text(format, arguments...)
_printf(format::AbstractString, arguments...) = print(_printf_text(format, arguments...))
_printf_to(io::IO, format::AbstractString, arguments...) = print(io, _printf_text(format, arguments...))

struct Format
    text::String
end
format(f::Format, arguments...) = _printf_text(f.text, arguments...)
format(io::IO, f::Format, arguments...) = print(io, _printf_text(f.text, arguments...))
format(io::IO, f::AbstractString, arguments...) = print(io, _printf_text(f, arguments...))
format(f::AbstractString, arguments...) = _printf_text(f, arguments...)
(f::Format)(arguments...) = _printf_text(f.text, arguments...)

end
