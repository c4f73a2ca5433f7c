# Exceptions and their messages.

function kwcall end
typeassert(x, T) = x::T
error(s::AbstractString) = throw(ErrorException(s))
error(xs...) = throw(ErrorException(string(xs...)))
showerror(io::IO, e) = _showerror(io, e)
showerror(io::IO, e, backtrace) = showerror(io, e)
backtrace() = Any[]
catch_backtrace() = Any[]
systemerror(p, failed::Bool) = failed ? throw(SystemError(string(p), Int32(0), nothing)) : nothing

ArgumentError(msg) = _new(ArgumentError, msg)
AssertionError(msg) = _new(AssertionError, msg)
DimensionMismatch(msg) = _new(DimensionMismatch, msg)
ErrorException(msg) = _new(ErrorException, msg)
OverflowError(msg) = _new(OverflowError, msg)
MissingException(msg) = _new(MissingException, msg)
DivideError() = _new(DivideError)
EOFError() = _new(EOFError)
OutOfMemoryError() = _new(OutOfMemoryError)
StackOverflowError() = _new(StackOverflowError)
UndefRefError() = _new(UndefRefError)
InterruptException() = _new(InterruptException)
ReadOnlyMemoryError() = _new(ReadOnlyMemoryError)
DomainError(v, msg) = _new(DomainError, v, msg)
UndefKeywordError(s::Symbol) = _new(UndefKeywordError, s)
CanonicalIndexError(f, T) = _new(CanonicalIndexError, string(f), T)
FieldError(T::DataType, f::Symbol) = _new(FieldError, T, f)
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

export typeassert, error, showerror, backtrace, catch_backtrace, systemerror, Exception, ErrorException, ArgumentError,
    BoundsError, DimensionMismatch, DivideError, DomainError, EOFError, InexactError, InterruptException, KeyError, LoadError,
    MethodError, OutOfMemoryError, OverflowError, ReadOnlyMemoryError, StackOverflowError, StringIndexError, SystemError,
    TypeError, UndefKeywordError, UndefRefError, UndefVarError, MissingException, AssertionError, CanonicalIndexError, FieldError,
    CompositeException, InvalidStateException
