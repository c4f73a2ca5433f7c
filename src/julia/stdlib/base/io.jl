# Streams: buffers, files and the process's own.

const stdin = _io_standard(0)
const stdout = _io_standard(1)
const stderr = _io_standard(2)
const devnull = _io_standard(3)

IOBuffer(; read::Bool = true, write::Bool = true, append::Bool = false, truncate::Bool = true, maxsize = 0, sizehint = 0) =
    _io_buffer(nothing, read, write, append)
IOBuffer(s::AbstractString; read::Bool = true, write::Bool = false, append::Bool = false) = _io_buffer(s, read, write, append)
IOBuffer(bytes::Vector{UInt8}; read::Bool = true, write::Bool = false, append::Bool = false, truncate::Bool = false) =
    _io_buffer(bytes, read, write, append)
IOBuffer(c::CodeUnits; read::Bool = true, write::Bool = false) = _io_buffer(c.s, read, write, false)
PipeBuffer() = _io_buffer(nothing, true, true, true)

print(xs...) = _print_out(xs...)
println(xs...) = _println_out(xs...)
print(io::IO, x) = _print(io, x)
print(io::IO, xs...) = _print(io, xs...)
println(io::IO, xs...) = _println(io, xs...)
printstyled(xs...; bold = false, italic = false, underline = false, blink = false, reverse = false, hidden = false, color = :normal) = print(xs...)
printstyled(io::IO, xs...; bold = false, italic = false, underline = false, blink = false, reverse = false, hidden = false, color = :normal) =
    print(io, xs...)

IOContext(io::IO, settings::Pair...) = _io_context(io, Dict{Symbol,Any}(settings...))
IOContext(io::IO, from::IO) = from isa IOContext ? _io_context(io, from.dict) : _io_context(io, Dict{Symbol,Any}())
get(io::IO, key, default) = io isa IOContext ? get(io.dict, key, default) : default
haskey(io::IO, key) = io isa IOContext && haskey(io.dict, key)
in(setting::Pair, io::IOContext) = in(setting, io.dict)
getindex(io::IO, key) = io isa IOContext ? io.dict[key] : throw(KeyError(key))
displaysize() = (24, 80)
displaysize(io::IO) = get(io, :displaysize, (24, 80))

write(io::IO, x, xs...) = _io_write(io, x, xs...)
write(path::AbstractString, x, xs...) = open(io -> write(io, x, xs...), path, "w")
unsafe_write(io::IO, x) = _io_write(io, x)
take!(io::IO) = _io_take(io)
takestring!(io::IO) = String(_io_take(io))
eof(io::IO) = _io_eof(io)
read(io::IO, ::Type{String}) = _io_read_all(io)
read(io::IO) = _str_bytes(_io_read_all(io))
read(io::IO, ::Type{T}) where {T} = _io_read_bits(io, T)
read(io::IO, n::Integer) = _io_read_bytes(io, n)
read(path::AbstractString) = open(read, path)
read(path::AbstractString, ::Type{T}) where {T} = open(io -> read(io, T), path)
function read!(io::IO, a::AbstractArray{T}) where {T}
    for i in eachindex(a)
        a[i] = read(io, T)
    end
    return a
end
read!(path::AbstractString, a::AbstractArray) = open(io -> read!(io, a), path)
readavailable(io::IO) = read(io)
function peek(io::IO, ::Type{T} = UInt8) where {T}
    at = position(io)
    x = read(io, T)
    seek(io, at)
    return x
end
readline(; keep::Bool = false) = _io_readline(stdin, keep)
readline(io::IO; keep::Bool = false) = _io_readline(io, keep)
readline(path::AbstractString; keep::Bool = false) = open(io -> _io_readline(io, keep), path)
function readlines(io::IO = stdin; keep::Bool = false)
    out = String[]
    while !_io_eof(io)
        push!(out, _io_readline(io, keep))
    end
    return out
end
readlines(path::AbstractString; keep::Bool = false) = open(io -> readlines(io; keep = keep), path)
readuntil(io::IO, mark; keep::Bool = false) = _io_readuntil(io, mark, keep)
readuntil(path::AbstractString, mark; keep::Bool = false) = open(io -> _io_readuntil(io, mark, keep), path)
copyuntil(out::IO, io::IO, mark; keep::Bool = false) = (write(out, _io_readuntil(io, mark, keep)); out)
copyline(out::IO, io::IO; keep::Bool = false) = (write(out, _io_readline(io, keep)); out)
function countlines(io::IO; eol::AbstractChar = '\n')
    text = read(io, String)
    isempty(text) && return 0
    return count(==(eol), text) + (last(text) == eol ? 0 : 1)
end
countlines(path::AbstractString; eol::AbstractChar = '\n') = open(io -> countlines(io; eol = eol), path)
readchomp(x) = String(chomp(read(x, String)))
copyuntil(out::IO, path::AbstractString, mark; keep::Bool = false) = open(io -> copyuntil(out, io, mark; keep = keep), path)
copyline(out::IO, path::AbstractString; keep::Bool = false) = open(io -> copyline(out, io; keep = keep), path)
function skipchars(f, io::IO; linecomment = nothing)
    while !eof(io)
        at = position(io)
        c = read(io, Char)
        if c === linecomment
            readline(io)
        elseif !f(c)
            seek(io, at)
            break
        end
    end
    return io
end
bytesavailable(io::IO) = max(0, _io_size(io) - _io_position(io))

struct EachLine{T<:IO}
    stream::T
    keep::Bool
    close::Bool
end
eachline(io::IO = stdin; keep::Bool = false) = EachLine(io, keep, false)
eachline(path::AbstractString; keep::Bool = false) = EachLine(open(path), keep, true)
function iterate(lines::EachLine, ::Nothing = nothing)
    if _io_eof(lines.stream)
        lines.close && close(lines.stream)
        return nothing
    end
    return (_io_readline(lines.stream, lines.keep), nothing)
end
eltype(::Type{<:EachLine}) = String
IteratorSize(::Type{<:EachLine}) = SizeUnknown()
struct _ReadEach{T,IO_t<:IO}
    io::IO_t
end
readeach(io::IO, ::Type{T}) where {T} = _ReadEach{T,typeof(io)}(io)
iterate(r::_ReadEach{T}, ::Nothing = nothing) where {T} = eof(r.io) ? nothing : (read(r.io, T), nothing)
eltype(::Type{<:_ReadEach{T}}) where {T} = T
IteratorSize(::Type{<:_ReadEach}) = SizeUnknown()

position(io::IO) = _io_position(io)
seek(io::IO, n::Integer) = _io_seek(io, n)
seekstart(io::IO) = _io_seek(io, 0)
seekend(io::IO) = _io_seek(io, -1)
skip(io::IO, n::Integer) = _io_seek(io, _io_position(io) + n)
truncate(io::IO, n::Integer) = _io_truncate(io, n)
isreadable(io::IO) = _io_readable(io)
iswritable(io::IO) = _io_writable(io)
isreadonly(io::IO) = _io_readable(io) && !_io_writable(io)
isopen(io::IO) = _io_isopen(io)
close(io::IO) = _io_close(io)
flush(io::IO) = _io_flush(io)
lock(io::IO) = nothing
unlock(io::IO) = nothing

function open(path::AbstractString; read = nothing, write = nothing, create = nothing, truncate = nothing, append = nothing, lock::Bool = true)
    a = append === true
    w = write === nothing ? a || truncate === true || create === true : write
    r = read === nothing ? !w : read
    c = create === nothing ? w : create
    t = truncate === nothing ? w && !r && !a : truncate
    return _io_open(path, r, w, c, t, a)
end
function open(path::AbstractString, mode::AbstractString)
    mode == "r" && return _io_open(path, true, false, false, false, false)
    mode == "r+" && return _io_open(path, true, true, false, false, false)
    mode == "w" && return _io_open(path, false, true, true, true, false)
    mode == "w+" && return _io_open(path, true, true, true, true, false)
    mode == "a" && return _io_open(path, false, true, true, false, true)
    mode == "a+" && return _io_open(path, true, true, true, false, true)
    throw(ArgumentError("invalid open mode: $mode"))
end
function open(f::Function, args...; options...)
    io = open(args...; options...)
    try
        return f(io)
    finally
        close(io)
    end
end

sprint(f, args...; context = nothing, sizehint = 0) = _sprint(f, args, context)
function _sprint(f, args, context)
    buffer = IOBuffer()
    if context === nothing
        f(buffer, args...)
    elseif context isa Tuple
        f(IOContext(buffer, context...), args...)
    else
        f(IOContext(buffer, context), args...)
    end
    return String(take!(buffer))
end

export readchomp, skipchars, stdin, stdout, stderr, devnull, IO, IOBuffer, IOContext, PipeBuffer, print, println, printstyled, displaysize, write, take!,
    takestring!, eof, read, read!, peek, readline, readlines, readuntil, copyuntil, copyline, countlines, bytesavailable, eachline,
    readeach, position, seek, seekstart, seekend, skip, truncate, isreadable, iswritable, isreadonly, isopen, close, flush,
    lock, unlock, open, sprint, IOStream, readavailable
