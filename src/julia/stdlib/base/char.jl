# Characters.

Char(c::Char) = c
Char(u::Number) = _char_from(u)
AbstractChar(u::Number) = _char_from(u)
convert(::Type{Char}, u::Number) = _char_from(u)
convert(::Type{AbstractChar}, u::Number) = _char_from(u)
(::Type{T})(c::AbstractChar) where {T<:Number} = T(codepoint(c))
Int(c::AbstractChar) = Int(codepoint(c))
convert(::Type{T}, c::AbstractChar) where {T<:Number} = T(codepoint(c))
codepoint(c::Char) = _char_codepoint(c)
ncodeunits(c::Char) = _char_ncodeunits(c)
codeunit(c::Char) = UInt8
iterate(c::AbstractChar) = (c, nothing)
iterate(c::AbstractChar, ::Any) = nothing
length(c::AbstractChar) = 1
size(c::AbstractChar) = ()
ndims(::AbstractChar) = 0
ndims(::Type{<:AbstractChar}) = 0
eltype(::Type{T}) where {T<:AbstractChar} = T
isempty(::AbstractChar) = false
first(c::AbstractChar) = c
last(c::AbstractChar) = c
only(c::AbstractChar) = c
getindex(c::AbstractChar) = c
getindex(c::AbstractChar, i::Integer...) = all(==(1), i) ? c : throw(BoundsError(c, i))
getindex(c::AbstractChar, i::Integer) = i == 1 ? c : throw(BoundsError(c, i))
in(a::AbstractChar, b::AbstractChar) = a == b

==(a::Char, b::Char) = _char_bits(a) == _char_bits(b)
isless(a::Char, b::Char) = _char_bits(a) < _char_bits(b)
<(a::Char, b::Char) = _char_bits(a) < _char_bits(b)
<=(a::Char, b::Char) = _char_bits(a) <= _char_bits(b)
cmp(a::AbstractChar, b::AbstractChar) = cmp(_char_bits(a), _char_bits(b))
isequal(a::Char, b::Char) = a === b
-(a::AbstractChar, b::AbstractChar) = Int(a) - Int(b)
-(a::AbstractChar, n::Integer) = Char(Int32(a) - Int32(n))
+(a::AbstractChar, n::Integer) = Char(Int32(a) + Int32(n))
+(n::Integer, a::AbstractChar) = a + n
typemin(::Type{Char}) = '\0'
typemax(::Type{Char}) = _char_of_bits(0xffffffff)
reinterpret(::Type{UInt32}, c::Char) = _char_bits(c)
reinterpret(::Type{Char}, u::UInt32) = _char_of_bits(u)
bswap(c::Char) = _char_of_bits(bswap(_char_bits(c)))
widen(::Type{T}) where {T<:AbstractChar} = T
widen(c::AbstractChar) = c
promote_rule(::Type{Char}, ::Type{T}) where {T<:AbstractChar} = Char

isdigit(c::AbstractChar) = _char_is(c, 'd')
isxdigit(c::AbstractChar) = _char_is(c, 'x')
isletter(c::AbstractChar) = _char_is(c, 'l')
isnumeric(c::AbstractChar) = _char_is(c, 'n')
isspace(c::AbstractChar) = _char_is(c, 's')
isuppercase(c::AbstractChar) = _char_is(c, 'u')
islowercase(c::AbstractChar) = _char_is(c, 'w')
ispunct(c::AbstractChar) = _char_is(c, 'p')
iscntrl(c::AbstractChar) = _char_is(c, 'c')
isprint(c::AbstractChar) = _char_is(c, 'P')
isascii(c::AbstractChar) = _char_is(c, 'a')
isvalid(c::AbstractChar) = _char_is(c, 'v')
isvalid(::Type{Char}, c::AbstractChar) = _char_is(c, 'v')
isvalid(::Type{Char}, u::Integer) = 0 <= u <= 0xd7ff || 0xe000 <= u <= 0x10ffff
uppercase(c::AbstractChar) = _char_case(c, true)
lowercase(c::AbstractChar) = _char_case(c, false)
titlecase(c::AbstractChar) = _char_case(c, true)

export Char, AbstractChar, codepoint, isdigit, isxdigit, isletter, isnumeric, isspace, isuppercase, islowercase, ispunct,
    iscntrl, isprint
