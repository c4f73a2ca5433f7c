# Numbers from text, and integers as text in any base.

parse(::Type{T}, s::AbstractString) where {T<:AbstractFloat} = _parse(T, s)
parse(::Type{T}, s::AbstractString; base::Integer = 10) where {T<:Integer} = _parse(T, s, base)
parse(::Type{T}, c::AbstractChar; base::Integer = 10) where {T<:Integer} = _parse(T, string(c), base)
tryparse(::Type{T}, s::AbstractString) where {T<:AbstractFloat} = _tryparse(T, s)
tryparse(::Type{T}, s::AbstractString; base::Integer = 10) where {T<:Integer} = _tryparse(T, s, base)
tryparse(::Type{T}, c::AbstractChar; base::Integer = 10) where {T<:Integer} = _tryparse(T, string(c), base)
parse(::Type{Real}, s::AbstractString) = parse(Float64, s)
parse(::Type{Integer}, s::AbstractString) = parse(Int, s)
parse(::Type{String}, s::AbstractString) = String(s)
parse(::Type{Char}, s::AbstractString) = only(s)

function _complex_parts(s::AbstractString)
    text = replace(strip(s), ' ' => "")
    unit = endswith(text, "im") ? 2 : endswith(text, 'i') || endswith(text, 'j') ? 1 : 0
    unit == 0 && return (text, "0")
    body = chop(text; tail = unit)
    endswith(body, '*') && (body = chop(body))
    for i in reverse(collect(eachindex(body)))
        if i > 1 && body[i] in ('+', '-') && !(body[prevind(body, i)] in ('e', 'E', 'f'))
            imaginary = body[i:end]
            return (body[1:prevind(body, i)], imaginary == "+" || imaginary == "-" ? imaginary * "1" : imaginary)
        end
    end
    body = body == "" || body == "+" || body == "-" ? body * "1" : body
    return ("0", body)
end
function tryparse(::Type{Complex{T}}, s::AbstractString) where {T<:Real}
    re, im = _complex_parts(s)
    a, b = tryparse(T, re), tryparse(T, im)
    return a === nothing || b === nothing ? nothing : Complex{T}(a, b)
end
function parse(::Type{Complex{T}}, s::AbstractString) where {T<:Real}
    z = tryparse(Complex{T}, s)
    return z === nothing ? throw(ArgumentError("cannot parse $(repr(String(s))) as $(Complex{T})")) : z
end
function tryparse(::Type{Rational{T}}, s::AbstractString) where {T<:Integer}
    parts = split(s, "//")
    length(parts) > 2 && return nothing
    a = tryparse(T, parts[1])
    b = length(parts) == 2 ? tryparse(T, parts[2]) : one(T)
    return a === nothing || b === nothing ? nothing : a // b
end
function parse(::Type{Rational{T}}, s::AbstractString) where {T<:Integer}
    q = tryparse(Rational{T}, s)
    return q === nothing ? throw(ArgumentError("cannot parse $(repr(String(s))) as $(Rational{T})")) : q
end

string(n::BitInteger; base::Integer = 10, pad::Integer = 1) = _based_text(n, base, pad)
string(b::Bool) = b ? "true" : "false"

export parse, tryparse
