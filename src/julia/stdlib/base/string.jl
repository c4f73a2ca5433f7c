# Strings by their bytes: indices, characters, pieces, comparison, concatenation.

String(s::AbstractString) = _str_string(s)
String(bytes::AbstractVector{UInt8}) = _str_of_bytes(bytes)
String(chars::AbstractVector{Char}) = _str_of_chars(chars)
String(s::Symbol) = _str_concat(s)
String(c::Char) = _str_concat(c)
(::Type{T})(s::T) where {T<:AbstractString} = s
convert(::Type{String}, s::AbstractString) = _str_string(s)
convert(::Type{T}, s::T) where {T<:AbstractString} = s
Symbol(s::AbstractString) = _str_symbol(s)
mutable struct _Counter
    n::Int
end
const _gensyms = _Counter(224)
function gensym(s = "")
    '\0' in string(s) && throw(ArgumentError("Symbol name may not contain \\0"))
    _gensyms.n += 1
    return isempty(string(s)) ? Symbol("##", _gensyms.n) : Symbol("##", s, "#", _gensyms.n)
end
Symbol(s::Symbol) = s
Symbol(xs...) = _str_symbol(string(xs...))

SubString(s::AbstractString, i::Integer, j::Integer) = _str_sub(s, i, j)
SubString(s::AbstractString, i::Integer) = _str_sub(s, i, lastindex(s))
SubString(s::AbstractString, r::AbstractUnitRange{<:Integer}) = _str_sub(s, first(r), last(r))
SubString(s::AbstractString) = _str_sub(s, 1, lastindex(s))
SubString{T}(s::T, i::Integer, j::Integer) where {T<:AbstractString} = _str_sub(s, i, j)
SubString{String}(s::AbstractString) = _str_sub(s, 1, lastindex(s))
convert(::Type{SubString{String}}, s::String) = SubString(s)
view(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, r)
maybeview(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, r)

ncodeunits(s::AbstractString) = _str_ncodeunits(s)
codeunit(s::AbstractString) = UInt8
codeunit(s::AbstractString, i::Integer) = _str_codeunit(s, i)
sizeof(s::AbstractString) = _str_ncodeunits(s)
length(s::AbstractString) = _str_length(s)
length(s::AbstractString, i::Integer, j::Integer) = _str_length_between(s, i, j)
isempty(s::AbstractString) = _str_ncodeunits(s) == 0
firstindex(s::AbstractString) = 1
lastindex(s::AbstractString) = _str_thisind(s, _str_ncodeunits(s))
isvalid(s::AbstractString) = _str_valid(s)
isvalid(::Type{<:AbstractString}, s::AbstractString) = _str_valid(s)
isvalid(::Type{String}, bytes::Vector{UInt8}) = _str_valid(_str_of_bytes(bytes))
isvalid(s::AbstractString, i::Integer) = _str_isvalid(s, i)
thisind(s::AbstractString, i::Integer) = _str_thisind(s, i)
nextind(s::AbstractString, i::Integer) = _str_nextind(s, i)
nextind(s::AbstractString, i::Integer, n::Integer) = _str_nextind(s, i, n)
prevind(s::AbstractString, i::Integer) = _str_prevind(s, i)
prevind(s::AbstractString, i::Integer, n::Integer) = _str_prevind(s, i, n)
iterate(s::AbstractString) = _str_iterate(s)
iterate(s::AbstractString, i::Int) = _str_iterate(s, i)
eltype(::Type{<:AbstractString}) = Char
keytype(::Type{<:AbstractString}) = Int
ndims(::AbstractString) = 1
getindex(s::AbstractString, i::Integer) = _str_char(s, i)
getindex(s::AbstractString, r::AbstractUnitRange{<:Integer}) = _str_slice(s, first(r), last(r))
getindex(s::AbstractString, ::Colon) = s
getindex(s::AbstractString, v::AbstractVector{<:Integer}) = _str_of_chars(Char[s[i] for i in v])
getindex(s::AbstractString, v::AbstractVector{Bool}) = throw(ArgumentError("logical indexing not supported for strings"))
get(s::AbstractString, i::Integer, default) = checkbounds(Bool, s, i) ? s[i] : default
checkbounds(::Type{Bool}, s::AbstractString, i::Integer) = 1 <= i <= ncodeunits(s)
checkbounds(::Type{Bool}, s::AbstractString, r::AbstractRange{<:Integer}) =
    isempty(r) || (1 <= minimum(r) && maximum(r) <= ncodeunits(s))
checkbounds(::Type{Bool}, s::AbstractString, v::AbstractArray{<:Integer}) = all(i -> checkbounds(Bool, s, i), v)
checkbounds(s::AbstractString, i) = checkbounds(Bool, s, i) ? nothing : throw(BoundsError(s, i))

struct EachStringIndex{T<:AbstractString}
    s::T
end
keys(s::AbstractString) = EachStringIndex(s)
eachindex(s::AbstractString) = EachStringIndex(s)
length(e::EachStringIndex) = length(e.s)
first(e::EachStringIndex) = 1
last(e::EachStringIndex) = lastindex(e.s)
iterate(e::EachStringIndex, i::Int = 1) = i > ncodeunits(e.s) ? nothing : (i, nextind(e.s, i))
eltype(::Type{<:EachStringIndex}) = Int
struct _StringPairs{T<:AbstractString}
    s::T
end
pairs(s::AbstractString) = _StringPairs(s)
length(p::_StringPairs) = length(p.s)
eltype(::Type{<:_StringPairs}) = Pair{Int,Char}
iterate(p::_StringPairs, i::Int = 1) = i > ncodeunits(p.s) ? nothing : (Pair(i, p.s[i]), nextind(p.s, i))
enumerate(s::AbstractString) = enumerate(collect(s))

first(s::AbstractString) = s[1]
last(s::AbstractString) = s[lastindex(s)]
first(s::AbstractString, n::Integer) = n < 0 ? throw(ArgumentError("Number of elements must be non-negative")) :
    s[1:min(lastindex(s), nextind(s, 0, n))]
last(s::AbstractString, n::Integer) = n < 0 ? throw(ArgumentError("Number of elements must be non-negative")) :
    s[max(1, prevind(s, ncodeunits(s) + 1, n)):lastindex(s)]
reverse(s::AbstractString) = _str_reverse(s)
reverseind(s::AbstractString, i::Integer) = thisind(s, ncodeunits(s) - i + 1)
only(s::AbstractString) = length(s) == 1 ? s[1] :
    throw(ArgumentError("String must contain exactly 1 character"))
collect(s::AbstractString) = Char[c for c in s]
collect(::Type{Char}, s::AbstractString) = Char[c for c in s]

==(a::AbstractString, b::AbstractString) = _str_equal(a, b)
isequal(a::AbstractString, b::AbstractString) = _str_equal(a, b)
isless(a::AbstractString, b::AbstractString) = _str_less(a, b)
<(a::AbstractString, b::AbstractString) = _str_less(a, b)
cmp(a::AbstractString, b::AbstractString) = _str_cmp(a, b)
isless(a::Symbol, b::Symbol) = _str_less(String(a), String(b))
<(a::Symbol, b::Symbol) = _str_less(String(a), String(b))
cmp(a::Symbol, b::Symbol) = _str_cmp(String(a), String(b))
length(s::Symbol) = length(String(s))
*(a::Union{AbstractString,AbstractChar}, bs::Union{AbstractString,AbstractChar}...) = _str_concat(a, bs...)
*(a::AbstractString, b::AbstractString) = _str_concat(a, b)
*(a::AbstractString, b::AbstractChar) = _str_concat(a, b)
*(a::AbstractChar, b::AbstractString) = _str_concat(a, b)
*(a::AbstractChar, b::AbstractChar) = _str_concat(a, b)
typemin(::Type{<:AbstractString}) = ""
typemin(::AbstractString) = ""
one(::AbstractString) = ""
one(::Type{<:AbstractString}) = ""
oneunit(::AbstractString) = ""
oneunit(::Type{<:AbstractString}) = ""
^(s::Union{AbstractString,AbstractChar}, n::Integer) = _str_repeat(s, n)
literal_pow(::typeof(^), s::Union{AbstractString,AbstractChar}, ::Val{n}) where {n} = _str_repeat(s, n)
repeat(s::AbstractString, n::Integer) = _str_repeat(s, n)
repeat(c::AbstractChar, n::Integer) = _str_repeat(c, n)

string(xs...) = _string(xs...)
struct CodeUnits{T,S<:AbstractString} <: DenseVector{T}
    s::S
    CodeUnits(s::S) where {S<:AbstractString} = new{UInt8,S}(s)
end
codeunits(s::AbstractString) = CodeUnits(s)
size(c::CodeUnits) = (_str_ncodeunits(c.s),)
length(c::CodeUnits) = _str_ncodeunits(c.s)
IndexStyle(::Type{<:CodeUnits}) = IndexLinear()
getindex(c::CodeUnits, i::Int) = 1 <= i <= _str_ncodeunits(c.s) ? _str_codeunit(c.s, i) : throw(BoundsError(c, i))
iterate(c::CodeUnits, i::Int = 1) = i > _str_ncodeunits(c.s) ? nothing : (_str_codeunit(c.s, i), i + 1)
collect(c::CodeUnits) = _str_bytes(c.s)
copy(c::CodeUnits) = _str_bytes(c.s)
String(c::CodeUnits) = String(c.s)
Vector{UInt8}(c::CodeUnits) = _str_bytes(c.s)
Array{UInt8}(c::CodeUnits) = _str_bytes(c.s)
convert(::Type{Vector{UInt8}}, c::CodeUnits) = _str_bytes(c.s)
write(io::IO, c::CodeUnits) = write(io, c.s)
transcode(::Type{UInt8}, s::AbstractString) = _str_bytes(s)
transcode(::Type{String}, s::AbstractString) = String(s)
transcode(::Type{String}, bytes::Vector{UInt8}) = String(bytes)
ascii(s::AbstractString) = isascii(s) ? String(s) :
    throw(ArgumentError("invalid ASCII at index $(findfirst(!isascii, s)) in $(repr(String(s)))"))
Vector{UInt8}(s::AbstractString) = _str_bytes(s)
Array{UInt8}(s::AbstractString) = _str_bytes(s)
Vector{Char}(s::AbstractString) = collect(s)
isascii(s::AbstractString) = all(isascii, s)
summary(s::AbstractString) = string(length(s) == 0 ? "empty" : string(ncodeunits(s), "-codeunit"), " ", typeof(s))

filter(f, s::AbstractString) = _str_of_chars(Char[c for c in s if f(c)])
function map(f, s::AbstractString)
    out = Char[]
    for c in s
        d = f(c)
        d isa AbstractChar || throw(ArgumentError("map(f, s::AbstractString) requires f to return AbstractChar; try map(f, collect(s)) or a comprehension instead"))
        push!(out, d)
    end
    return _str_of_chars(out)
end
hex2bytes(a::AbstractArray{UInt8}) = hex2bytes(String(collect(a)))
hex2bytes(s::AbstractString) = isodd(length(s)) ? throw(ArgumentError("length of iterable must be even")) :
    UInt8[parse(UInt8, s[i:i+1]; base = 16) for i in 1:2:length(s)]
bytes2hex(bytes) = join(string(b; base = 16, pad = 2) for b in bytes)

function indentation(s::AbstractString; tabwidth = 8)
    n = 0
    for c in s
        if c == ' '
            n += 1
        elseif c == '\t'
            n = div(n + tabwidth, tabwidth) * tabwidth
        else
            return (n, false)
        end
    end
    return (n, true)
end
function unindent(s::AbstractString, n::Int; tabwidth = 8)
    n == 0 && return String(s)
    io = IOBuffer()
    at_start, columns = true, 0
    for c in s
        if at_start && (c == ' ' || c == '\t')
            columns = c == ' ' ? columns + 1 : div(columns + tabwidth, tabwidth) * tabwidth
            continue
        end
        at_start && print(io, ' '^max(0, columns - n))
        print(io, c)
        at_start, columns = c == '\n', 0
    end
    at_start && print(io, ' '^max(0, columns - n))
    return String(take!(io))
end
transcode(::Type{UInt16}, s::AbstractString) = reduce(vcat, (_utf16(UInt32(c)) for c in s); init = UInt16[])
_utf16(u::UInt32) = u < 0x10000 ? UInt16[u] : UInt16[0xd800 + ((u - 0x10000) >> 10), 0xdc00 + ((u - 0x10000) & 0x3ff)]
transcode(::Type{UInt32}, s::AbstractString) = UInt32[UInt32(c) for c in s]

export gensym, String, SubString, Symbol, ncodeunits, codeunit, codeunits, isvalid, thisind, nextind, prevind, reverseind, cmp,
    string, repeat, transcode, ascii, isascii, hex2bytes, bytes2hex, AbstractString
