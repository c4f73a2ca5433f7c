# @info, @warn, @error, @debug: on stderr as Julia's console logger writes.

struct LogLevel
    level::Int32
end
const Debug = LogLevel(-1000)
const Info = LogLevel(0)
const Warn = LogLevel(1000)
const Error = LogLevel(2000)
isless(a::LogLevel, b::LogLevel) = a.level < b.level
<(a::LogLevel, b::LogLevel) = a.level < b.level
<=(a::LogLevel, b::LogLevel) = a.level <= b.level
_level_name(level::LogLevel) = level.level == -1000 ? "Debug" : level.level == 0 ? "Info" : level.level == 1000 ? "Warning" :
    level.level == 2000 ? "Error" : string("LogLevel(", level.level, ")")
_level(s::Symbol) = s === :Debug ? Debug : s === :Info ? Info : s === :Warn ? Warn : Error
_level(level::LogLevel) = level
_level(n::Integer) = LogLevel(n)

abstract type AbstractLogger end
struct NullLogger <: AbstractLogger end
struct ConsoleLogger <: AbstractLogger
    stream::IO
    min_level::LogLevel
end
ConsoleLogger(io::IO = stderr, level = Info; meta_formatter = nothing, show_limited::Bool = true, right_justify::Integer = 0) =
    ConsoleLogger(io, _level(level))
const SimpleLogger = ConsoleLogger
mutable struct _LoggingState
    logger::AbstractLogger
    disabled_upto::Int
end
const _logging = _LoggingState(ConsoleLogger(stderr, Info), typemin(Int))
current_logger() = _logging.logger
global_logger() = _logging.logger
function global_logger(l::AbstractLogger)
    before = _logging.logger
    _logging.logger = l
    return before
end
function with_logger(f::Function, l::AbstractLogger)
    before = global_logger(l)
    try
        return f()
    finally
        _logging.logger = before
    end
end
disable_logging(level::LogLevel) = (_logging.disabled_upto = Int(level.level); nothing)
min_enabled_level(l::ConsoleLogger) = l.min_level
min_enabled_level(::NullLogger) = LogLevel(1000001)

# Records that @test_logs gathers.
struct _LogRecord
    level::LogLevel
    message::Any
end
mutable struct TestLogger <: AbstractLogger
    logs::Vector{_LogRecord}
    min_level::LogLevel
end
TestLogger(; min_level = Info) = TestLogger(_LogRecord[], _level(min_level))
min_enabled_level(l::TestLogger) = l.min_level

function _log(which, message::Function, values::Function, mod, file, line)
    level = _level(which)
    logger = _logging.logger
    (level < min_enabled_level(logger) || level.level <= _logging.disabled_upto) && return nothing
    handle_message(logger, level, message(), mod, nothing, nothing, file, line; values()...)
    return nothing
end
handle_message(::NullLogger, level, message, mod, group, id, file, line; values...) = nothing
handle_message(l::TestLogger, level, message, mod, group, id, file, line; values...) = (push!(l.logs, _LogRecord(level, message)); nothing)
function _log_text(v)
    v isa Exception && return sprint(showerror, v)
    v isa Tuple{Exception,Any} && return sprint(showerror, v[1])
    return sprint(show, "text/plain", v; context = :limit => true)
end
function handle_message(l::ConsoleLogger, level, message, mod, group, id, file, line; values...)
    lines = String[split(chomp(message isa AbstractString ? String(message) : message isa Exception ? sprint(showerror, message) : string(message)), '\n')...]
    for (k, v) in values
        k === :maxlog && continue
        text = split(_log_text(v), '\n')
        if length(text) == 1
            push!(lines, string("  ", k, " = ", text[1]))
        else
            push!(lines, string("  ", k, " ="))
            for part in text
                push!(lines, string("   ", part))
            end
        end
    end
    Info <= level && level < Warn || push!(lines, string("@ ", mod, " ", isabspath(file) ? basename(file) : file, ":", line))
    name = _level_name(level)
    if length(lines) == 1
        println(l.stream, "[ ", name, ": ", lines[1])
        return nothing
    end
    println(l.stream, "┌ ", name, ": ", lines[1])
    for i in 2:length(lines)-1
        println(l.stream, "│ ", lines[i])
    end
    println(l.stream, "└ ", lines[end])
    return nothing
end

module CoreLogging
import ..Base: LogLevel, Debug, Info, Warn, Error, AbstractLogger, NullLogger, ConsoleLogger, SimpleLogger, current_logger,
    global_logger, with_logger, disable_logging, min_enabled_level, handle_message, TestLogger
end
