# Exceptions and their messages.

error(s::AbstractString) = throw(ErrorException(s))
error(xs...) = throw(ErrorException(string(xs...)))
showerror(io::IO, e) = _showerror(io, e)
showerror(io::IO, e, backtrace) = showerror(io, e)
backtrace() = Any[]
catch_backtrace() = Any[]
systemerror(p, failed::Bool) = failed ? throw(SystemError(string(p), Int32(0), nothing)) : nothing

BoundsError() = _new(BoundsError)
BoundsError(a) = _new(BoundsError, a)
BoundsError(a, i) = _new(BoundsError, a, i)
BoundsError(a, i, j, more...) = _new(BoundsError, a, (i, j, more...))
DimensionMismatch() = DimensionMismatch("")
DomainError(v) = DomainError(v, "")
AssertionError() = AssertionError("")
OverflowError() = OverflowError("")
UndefVarError(s::Symbol) = _new(UndefVarError, s, UInt(0))
UndefVarError(s::Symbol, scope) = _new(UndefVarError, s, UInt(0), scope)
MethodError(f, args) = _new(MethodError, f, args isa Tuple ? args : (args...,), UInt(0))
InexactError(f::Symbol, T, v) = _new(InexactError, f, (T, v))
InexactError(f::Symbol, T, v, more...) = _new(InexactError, f, (T, v, more...))
TypeError(f, expected, got) = _new(TypeError, Symbol(f), "", expected, got)
TypeError(f, context, expected, got) = _new(TypeError, Symbol(f), context, expected, got)
LoadError(file::AbstractString, line::Integer, e) = _new(LoadError, file, Int(line), e)
SystemError(p::AbstractString) = _new(SystemError, p, Int32(0), nothing)
SystemError(p::AbstractString, n::Integer) = _new(SystemError, p, Int32(n), nothing)
StringIndexError(s::AbstractString, i::Integer) = _new(StringIndexError, s, i)
KeyError(k) = _new(KeyError, k)

struct CompositeException <: Exception
    exceptions::Vector{Any}
end
struct InvalidStateException <: Exception
    msg::String
    state::Symbol
end

export error, showerror, backtrace, catch_backtrace, systemerror, Exception, ErrorException, ArgumentError,
    BoundsError, DimensionMismatch, DivideError, DomainError, EOFError, InexactError, InterruptException, KeyError, LoadError,
    MethodError, OutOfMemoryError, OverflowError, ReadOnlyMemoryError, StackOverflowError, StringIndexError, SystemError,
    TypeError, UndefKeywordError, UndefRefError, UndefVarError, MissingException, AssertionError, CanonicalIndexError, FieldError,
    CompositeException, InvalidStateException
