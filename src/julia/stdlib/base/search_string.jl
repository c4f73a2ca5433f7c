# Finding, splitting, stripping, replacing, joining.

const _Characters = Union{AbstractChar,Tuple{Vararg{AbstractChar}},AbstractVector{<:AbstractChar},AbstractSet{<:AbstractChar}}

findnext(p::AbstractString, s::AbstractString, i::Integer) = _str_findnext(p, s, i)
findnext(p::AbstractChar, s::AbstractString, i::Integer) = _str_findnext(p, s, i)
findnext(p::Function, s::AbstractString, i::Integer) = _str_findnext(p, s, i)
findfirst(p::AbstractString, s::AbstractString) = _str_findnext(p, s, 1)
findfirst(p::AbstractChar, s::AbstractString) = _str_findnext(p, s, 1)
findfirst(p::Function, s::AbstractString) = _str_findnext(p, s, 1)
findprev(p::AbstractString, s::AbstractString, i::Integer) = _str_findprev(p, s, i)
findprev(p::AbstractChar, s::AbstractString, i::Integer) = _str_findprev(p, s, i)
findprev(p::Function, s::AbstractString, i::Integer) = _str_findprev(p, s, i)
findlast(p::AbstractString, s::AbstractString) = _str_findprev(p, s, ncodeunits(s) + 1)
findlast(p::AbstractChar, s::AbstractString) = _str_findprev(p, s, ncodeunits(s) + 1)
findlast(p::Function, s::AbstractString) = _str_findprev(p, s, ncodeunits(s) + 1)
function findall(p::Union{AbstractString,AbstractChar}, s::AbstractString; overlap::Bool = false)
    out = p isa AbstractChar ? Int[] : UnitRange{Int}[]
    i = 1
    while i <= ncodeunits(s) + 1
        r = _str_findnext(p, s, i)
        r === nothing && break
        push!(out, r)
        first(r) > ncodeunits(s) && break
        i = overlap || isempty(r) ? nextind(s, first(r)) : nextind(s, last(r))
    end
    return out
end
function findall(p::Function, s::AbstractString)
    out = Int[]
    for i in eachindex(s)
        p(s[i]) && push!(out, i)
    end
    return out
end

occursin(p::AbstractString, s::AbstractString) = _str_occursin(p, s)
occursin(p::AbstractChar, s::AbstractString) = _str_occursin(p, s)
occursin(s::AbstractString) = p -> occursin(p, s)
contains(s::AbstractString, p) = _str_occursin(p, s)
contains(p) = s -> contains(s, p)
startswith(s::AbstractString, p::AbstractString) = _str_startswith(s, p)
startswith(s::AbstractString, p::_Characters) = _str_startswith(s, p)
startswith(p) = s -> startswith(s, p)
endswith(s::AbstractString, p::AbstractString) = _str_endswith(s, p)
endswith(s::AbstractString, p::_Characters) = _str_endswith(s, p)
endswith(p) = s -> endswith(s, p)
in(c::AbstractChar, s::AbstractString) = _str_occursin(c, s)
in(p::AbstractString, s::AbstractString) = error("use occursin(needle, haystack) for string containment")

split(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = _str_split(s, isspace, limit, keepempty)
split(s::AbstractString, p; limit::Integer = 0, keepempty::Bool = true) = _str_split(s, p, limit, keepempty)
rsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = _str_rsplit(s, isspace, limit, keepempty, false)
rsplit(s::AbstractString, p; limit::Integer = 0, keepempty::Bool = true) = _str_rsplit(s, p, limit, keepempty, false)
struct SplitIterator{S<:AbstractString,F}
    str::S
    splitter::F
    limit::Int
    keepempty::Bool
end
struct RSplitIterator{S<:AbstractString,F}
    str::S
    splitter::F
    limit::Int
    keepempty::Bool
end
eachsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = SplitIterator(s, isspace, Int(limit), keepempty)
eachsplit(s::AbstractString, p; limit::Integer = 0, keepempty::Bool = true) = SplitIterator(s, p, Int(limit), keepempty)
eachrsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = RSplitIterator(s, isspace, Int(limit), keepempty)
eachrsplit(s::AbstractString, p; limit::Integer = 0, keepempty::Bool = true) = RSplitIterator(s, p, Int(limit), keepempty)
_pieces(i::SplitIterator) = _str_split(i.str, i.splitter, i.limit, i.keepempty)
_pieces(i::RSplitIterator) = _str_rsplit(i.str, i.splitter, i.limit, i.keepempty, true)
function iterate(i::Union{SplitIterator,RSplitIterator}, state = (_pieces(i), 1))
    pieces, k = state
    return k > length(pieces) ? nothing : (pieces[k], (pieces, k + 1))
end
eltype(::Type{<:Union{SplitIterator{S},RSplitIterator{S}}}) where {S<:AbstractString} = SubString{S}
eltype(::Type{<:Union{SplitIterator{SubString{S}},RSplitIterator{SubString{S}}}}) where {S<:AbstractString} = SubString{S}
IteratorSize(::Type{<:Union{SplitIterator,RSplitIterator}}) = SizeUnknown()

strip(s::AbstractString) = _str_strip(s, isspace, true, true)
strip(s::AbstractString, chars::_Characters) = _str_strip(s, chars, true, true)
_two_texts() = throw(ArgumentError("Both arguments are strings. The second argument should be a `Char` or collection of `Char`s"))
strip(s::AbstractString, chars::AbstractString) = _two_texts()
lstrip(s::AbstractString, chars::AbstractString) = _two_texts()
rstrip(s::AbstractString, chars::AbstractString) = _two_texts()
strip(f, s::AbstractString) = _str_strip(s, f, true, true)
lstrip(s::AbstractString) = _str_strip(s, isspace, true, false)
lstrip(s::AbstractString, chars::_Characters) = _str_strip(s, chars, true, false)
lstrip(f, s::AbstractString) = _str_strip(s, f, true, false)
rstrip(s::AbstractString) = _str_strip(s, isspace, false, true)
rstrip(s::AbstractString, chars::_Characters) = _str_strip(s, chars, false, true)
rstrip(f, s::AbstractString) = _str_strip(s, f, false, true)
function chomp(s::AbstractString)
    n = ncodeunits(s)
    (n == 0 || codeunit(s, n) != 0x0a) && return SubString(s)
    n -= n > 1 && codeunit(s, n - 1) == 0x0d ? 2 : 1
    return SubString(s, 1, thisind(s, n))
end
function chop(s::AbstractString; head::Integer = 0, tail::Integer = 1)
    isempty(s) && return SubString(s)
    return SubString(s, nextind(s, 1, head), max(0, prevind(s, lastindex(s), tail)))
end
chopprefix(s::AbstractString, p::AbstractString) =
    startswith(s, p) ? SubString(s, 1 + ncodeunits(p), lastindex(s)) : SubString(s)
chopsuffix(s::AbstractString, p::AbstractString) =
    endswith(s, p) ? SubString(s, 1, thisind(s, ncodeunits(s) - ncodeunits(p))) : SubString(s)

lpad(s::Union{AbstractString,AbstractChar}, n::Integer, p::Union{AbstractString,AbstractChar} = ' ') = _str_pad(s, n, p, true)
lpad(s, n::Integer, p::Union{AbstractString,AbstractChar} = ' ') = _str_pad(string(s), n, p, true)
rpad(s::Union{AbstractString,AbstractChar}, n::Integer, p::Union{AbstractString,AbstractChar} = ' ') = _str_pad(s, n, p, false)
rpad(s, n::Integer, p::Union{AbstractString,AbstractChar} = ' ') = _str_pad(string(s), n, p, false)
textwidth(s::Union{AbstractString,AbstractChar}) = _textwidth(s)

function replace(s::AbstractString, ps::Pair...; count::Integer = typemax(Int))
    count < 0 && throw(DomainError(count, "`count` must be non-negative."))
    return _str_replace(s, count, ps...)
end
function replace(io::IO, s::AbstractString, ps::Pair...; count::Integer = typemax(Int))
    write(io, replace(s, ps...; count = count))
    return io
end

join(io::IO, itr, delim = "") = print(io, join(itr, delim))
join(io::IO, itr, delim, last) = print(io, join(itr, delim, last))
function join(itr, delim = "", last = delim)
    parts = String[string(x) for x in itr]
    n = length(parts)
    n == 0 && return ""
    io = IOBuffer()
    print(io, parts[1])
    for i in 2:n
        print(io, i == n ? last : delim, parts[i])
    end
    return String(take!(io))
end

uppercase(s::AbstractString) = _char_case(s, true)
lowercase(s::AbstractString) = _char_case(s, false)
uppercasefirst(s::AbstractString) = _str_first_case(s, true)
lowercasefirst(s::AbstractString) = _str_first_case(s, false)
function titlecase(s::AbstractString; strict::Bool = true, wordsep = nothing)
    wordsep === nothing && return _str_title(s, strict)
    out = Char[]
    at_start = true
    for c in s
        push!(out, at_start ? titlecase(c) : strict ? lowercase(c) : c)
        at_start = wordsep(c)
    end
    return _str_of_chars(out)
end

function _truncated(s::AbstractString, n::Integer, r, keep_left::Int)
    textwidth(s) <= n && return String(s)
    room = n - textwidth(r)
    room < 0 && return String(r)
    left = keep_left == 0 ? 0 : keep_left == 1 ? room : keep_left == 2 ? cld(room, 2) : fld(room, 2)
    chars = collect(s)
    a, w = 0, 0
    while a < length(chars) && w + textwidth(chars[a+1]) <= left
        w += textwidth(chars[a+1])
        a += 1
    end
    b, w = length(chars) + 1, 0
    while b > 1 && w + textwidth(chars[b-1]) <= room - left
        w += textwidth(chars[b-1])
        b -= 1
    end
    return string(String(chars[1:a]), r, String(chars[b:end]))
end
rtruncate(s::AbstractString, n::Integer, r::Union{AbstractString,AbstractChar} = '…') = _truncated(s, n, r, 1)
ltruncate(s::AbstractString, n::Integer, r::Union{AbstractString,AbstractChar} = '…') = _truncated(s, n, r, 0)
ctruncate(s::AbstractString, n::Integer, r::Union{AbstractString,AbstractChar} = '…'; prefer_left::Bool = true) =
    _truncated(s, n, r, prefer_left ? 2 : 3)

function escape_string(s::AbstractString, also = ""; keep = (), ascii::Bool = false, fullhex::Bool = false)
    text = _str_escape(s, _text_of_characters(also), _text_of_characters(keep))
    ascii || return text
    io = IOBuffer()
    for c in text
        n = UInt32(c)
        isascii(c) ? print(io, c) : print(io, n > 0xffff ? "\\U" : "\\u", string(n; base = 16, pad = fullhex ? (n > 0xffff ? 8 : 4) : 1))
    end
    return String(take!(io))
end
escape_string(io::IO, s::AbstractString, also = ""; keep = ()) = print(io, escape_string(s, also; keep = keep))
unescape_string(s::AbstractString, keep = ()) = _str_unescape(s, _text_of_characters(keep))
unescape_string(io::IO, s::AbstractString, keep = ()) = print(io, unescape_string(s, keep))
_text_of_characters(s::AbstractString) = s
_text_of_characters(c::AbstractChar) = string(c)
_text_of_characters(cs) = join(cs)

export findnext, findfirst, findprev, findlast, findall, occursin, contains, startswith, endswith, split, rsplit,
    eachsplit, eachrsplit, strip, lstrip, rstrip, chomp, chop, chopprefix, chopsuffix, lpad, rpad, textwidth, replace, join,
    uppercase, lowercase, uppercasefirst, lowercasefirst, titlecase, escape_string, unescape_string, rtruncate, ltruncate,
    ctruncate
