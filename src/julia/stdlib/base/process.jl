# What a program asks of its process, the names of C's types, and what is kept or tried again.

const Cchar = Int8
const Cuchar = UInt8
const Cshort = Int16
const Cushort = UInt16
const Cint = Int32
const Cuint = UInt32
const Clong = Int64
const Culong = UInt64
const Clonglong = Int64
const Culonglong = UInt64
const Cintmax_t = Int64
const Cuintmax_t = UInt64
const Csize_t = UInt64
const Cssize_t = Int64
const Cptrdiff_t = Int64
const Cwchar_t = Int32
const Cfloat = Float32
const Cdouble = Float64
const Cvoid = Nothing
const ENDIAN_BOM = 0x04030201

isinteractive() = false
getpid() = _process_id()
gethostname() = strip(read("/proc/sys/kernel/hostname", String))
precompile(f, types::Type{<:Tuple}) = true
finalizer(f, x) = ismutable(x) ? x : error("objects of type ", typeof(x), " cannot be finalized")
finalize(x) = nothing
donotdelete(xs...) = nothing
get_zero_subnormals() = false
set_zero_subnormals(on::Bool) = !on

mapany(f, itr) = Any[f(x) for x in itr]
mapany(f, A::AbstractArray) = map!(f, Array{Any}(undef, size(A)), A)
unsafe_copyto!(dest::AbstractArray, d::Integer, src::AbstractArray, s::Integer, n::Integer) = copyto!(dest, d, src, s, n)

# 1536 is "1.500 KiB".
function format_bytes(bytes; binary = true)
    units = binary ? ("byte", "KiB", "MiB", "GiB", "TiB", "PiB") : ("byte", "KB", "MB", "GB", "TB", "PB")
    base = binary ? 1024 : 1000
    k, value = 1, Float64(bytes)
    while value > base && k < length(units)
        value /= base
        k += 1
    end
    k == 1 && return string(Int(bytes), bytes == 1 ? " byte" : " bytes")
    return string(_printf_text("%.3f", value), ' ', units[k])
end

# The last one given runs first, also when the program fails.
const _at_exit = Function[]
atexit(f::Function) = (push!(_at_exit, f); nothing)
function _run_at_exit(code)
    while !isempty(_at_exit)
        f = pop!(_at_exit)
        applicable(f, code) ? f(code) : f()
    end
    return nothing
end
exit() = exit(0)
function exit(code::Integer)
    _run_at_exit(Int32(code))
    _exit(code)
end

function withenv(f::Function, settings::Pair{<:AbstractString}...)
    before = Pair{String,Any}[k => get(ENV, k, nothing) for (k, _) in settings]
    change(k, v) = v === nothing ? delete!(ENV, k) : (ENV[k] = v)
    for (k, v) in settings
        change(k, v)
    end
    try
        return f()
    finally
        for (k, v) in before
            change(k, v)
        end
    end
end
withenv(f::Function) = f()

# Delays that grow, each by a random part.
struct ExponentialBackOff
    n::Int
    first_delay::Float64
    max_delay::Float64
    factor::Float64
    jitter::Float64
    function ExponentialBackOff(n, first_delay, max_delay, factor, jitter)
        all(>=(0), (n, first_delay, max_delay, factor, jitter)) || error("all inputs must be non-negative")
        return new(n, first_delay, max_delay, factor, jitter)
    end
end
ExponentialBackOff(; n = 1, first_delay = 0.05, max_delay = 10.0, factor = 5.0, jitter = 0.1) =
    ExponentialBackOff(n, first_delay, max_delay, factor, jitter)
function iterate(b::ExponentialBackOff, state = (b.n, min(b.first_delay, b.max_delay)))
    left, delay = state
    left < 1 && return nothing
    next = min(b.max_delay, delay * b.factor * (1 - b.jitter + 2 * b.jitter * rand()))
    return (delay, (left - 1, next))
end
length(b::ExponentialBackOff) = b.n
eltype(::Type{ExponentialBackOff}) = Float64

function retry(f; delays = ExponentialBackOff(), check = nothing)
    return (arguments...; keywords...) -> begin
        step = iterate(delays)
        while step !== nothing
            delay, state = step
            try
                return f(arguments...; keywords...)
            catch e
                if check !== nothing
                    result = check(state, e)
                    state, again = length(result) == 2 ? result : (state, result)
                    again || rethrow()
                end
            end
            sleep(delay)
            step = iterate(delays, state)
        end
        return f(arguments...; keywords...)
    end
end

# Nothing is collected while a program names it, and nothing of a WeakRef is taken away here.
mutable struct WeakRef
    value::Any
end
WeakRef() = WeakRef(nothing)
==(a::WeakRef, b::WeakRef) = isequal(a.value, b.value)
==(a::WeakRef, b) = isequal(a.value, b)
==(a, b::WeakRef) = isequal(a, b.value)
show(io::IO, w::WeakRef) = (print(io, "WeakRef("); show(io, w.value); print(io, ')'))

# Text of a document, marked up or not.
struct HTML{T}
    content::T
end
struct Text{T}
    content::T
end
HTML(xs...) = HTML(string(xs...))
Text(xs...) = Text(string(xs...))
print(io::IO, x::Text) = print(io, x.content)
show(io::IO, x::Text) = print(io, x.content)
show(io::IO, ::MIME{Symbol("text/html")}, x::HTML) = print(io, x.content)
==(a::T, b::T) where {T<:Union{HTML,Text}} = a.content == b.content
hash(x::Union{HTML,Text}, h::UInt) = hash(x.content, h)
hash(x::Union{HTML,Text}) = hash(x.content)

# Values that code called from here sees, and no other.
module ScopedValues
import ..Base: getindex, isassigned, get, show, Some
struct ScopedValue{T}
    values::Vector{T}
    ScopedValue{T}() where {T} = new{T}(T[])
    ScopedValue{T}(value) where {T} = new{T}(T[value])
end
ScopedValue(value::T) where {T} = ScopedValue{T}(value)
isassigned(v::ScopedValue) = !isempty(v.values)
getindex(v::ScopedValue) = isempty(v.values) ? throw(KeyError(v)) : v.values[end]
get(v::ScopedValue) = isempty(v.values) ? nothing : Some(v.values[end])
function with(f, settings::Pair{<:ScopedValue}...)
    for (v, x) in settings
        push!(v.values, x)
    end
    try
        return f()
    finally
        for (v, _) in settings
            pop!(v.values)
        end
    end
end
function show(io::IO, v::ScopedValue)
    print(io, typeof(v), '(')
    isempty(v.values) ? print(io, "undefined") : show(io, v.values[end])
    print(io, ')')
end
export ScopedValue, with
end
_with_values(f, settings...) = ScopedValues.with(f, settings...)

export Cchar, Cuchar, Cshort, Cushort, Cint, Cuint, Clong, Culong, Clonglong, Culonglong, Cintmax_t, Cuintmax_t, Csize_t, Cssize_t,
    Cptrdiff_t, Cwchar_t, Cfloat, Cdouble, Cvoid, ENDIAN_BOM, isinteractive, getpid, gethostname, precompile, finalizer, finalize,
    get_zero_subnormals, set_zero_subnormals, atexit, withenv, ExponentialBackOff, retry, WeakRef, HTML, Text, unsafe_copyto!
