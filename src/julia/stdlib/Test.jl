# Unit tests: the macros are lowered to calls of _test and its relatives.
module Test

export @test, @test_throws, @test_broken, @test_skip, @test_logs, @test_warn, @test_nowarn, @test_deprecated, @testset, @inferred,
    TestSetException, TestLogger, LogRecord

import Base: TestLogger, showerror, show, length
const LogRecord = Base._LogRecord

abstract type Result end
struct Pass <: Result
    kind::Symbol
    text::String
    value::Any
end
struct Fail <: Result
    kind::Symbol
    text::String
    evaluated::String
    value::Any
    file::String
    line::Int
end
struct Error <: Result
    kind::Symbol
    text::String
    value::Any
    message::String
    file::String
    line::Int
end
struct Broken <: Result
    kind::Symbol
    text::String
end
abstract type AbstractTestSet end
mutable struct DefaultTestSet <: AbstractTestSet
    description::String
    results::Vector{Any}
    passed::Int
    verbose::Bool
    seconds::Float64
    failfast::Bool
end
struct FallbackTestSetException <: Exception
    msg::String
end
struct TestSetException <: Exception
    pass::Int
    fail::Int
    error::Int
    broken::Int
    errors_and_fails::Vector{Any}
end
showerror(io::IO, e::FallbackTestSetException) = print(io, e.msg)
showerror(io::IO, e::TestSetException) = print(io, "Some tests did not pass: ", e.pass, " passed, ", e.fail, " failed, ", e.error,
    " errored, ", e.broken, " broken.")

function show(io::IO, t::Pass)
    print(io, "Test Passed")
    t.kind === :test_throws && print(io, "\n      Thrown: ", typeof(t.value))
    t.kind === :test_throws_message && print(io, "\n     Message: ", repr(t.value))
end
function show(io::IO, t::Fail)
    print(io, "Test Failed at ", t.file, ":", t.line, "\n  Expression: ", t.text)
    if t.kind === :test_throws_wrong
        print(io, "\n    Expected: ", t.evaluated, "\n      Thrown: ", t.value)
    elseif t.kind === :test_throws_message
        print(io, "\n    Expected: ", t.evaluated, "\n     Message: ", t.value)
    elseif t.kind === :test_throws_nothing
        print(io, "\n    Expected: ", t.evaluated, "\n  No exception thrown")
    elseif !isempty(t.evaluated)
        print(io, "\n   Evaluated: ", t.evaluated)
    elseif t.kind === :test_logs
        print(io, "\n", t.value)
    end
end
function show(io::IO, t::Error)
    print(io, "Error During Test at ", t.file, ":", t.line, "\n")
    if t.kind === :test_nonbool
        print(io, "  Expression evaluated to non-Boolean\n  Expression: ", t.text, "\n       Value: ", repr(t.value))
    elseif t.kind === :test_unbroken
        print(io, " Unexpected Pass\n Expression: ", t.text, "\n Got correct result, please change to @test if no longer broken.\n")
    elseif t.kind === :nontest_error
        print(io, "  Got exception outside of a @test\n  ", replace(t.message, "\n" => "\n  "))
    else
        print(io, "  Test threw exception\n  Expression: ", t.text, "\n  ", replace(t.message, "\n" => "\n  "))
    end
end
show(io::IO, t::Broken) = print(io, t.kind === :skipped ? "Test Broken\n  Skipped: " : "Test Broken\n  Expression: ", t.text)
show(io::IO, ts::DefaultTestSet) = print(io, "Test.DefaultTestSet(", repr(ts.description), ", ...)")

const _open_sets = DefaultTestSet[]
get_testset() = _open_sets[end]
get_testset_depth() = length(_open_sets)

function _record(t::Result)
    if isempty(_open_sets)
        if t isa Union{Fail,Error}
            println(t, "\n")
            throw(FallbackTestSetException("There was an error during testing"))
        end
        return t
    end
    ts = _open_sets[end]
    if t isa Pass
        ts.passed += 1
        return t
    end
    push!(ts.results, t)
    if t isa Union{Fail,Error}
        println(ts.description, ": ", t, "\n")
    end
    return t
end
record(ts::DefaultTestSet, t) = push!(ts.results, t)

function _judged(value, text, evaluated, file, line, broken)
    if !(value isa Bool)
        broken && value === missing && return _record(Broken(:test, text))
        return _record(Error(:test_nonbool, text, value, "", file, line))
    end
    broken && return value ? _record(Error(:test_unbroken, text, value, "", file, line)) : _record(Broken(:test, text))
    return value ? _record(Pass(:test, text, nothing)) : _record(Fail(:test, text, evaluated, value, file, line))
end
_thrown(e, text, file, line, broken) = e isa InterruptException ? rethrow() : broken ? _record(Broken(:test, text)) :
    _record(Error(:test_error, text, nothing, sprint(showerror, e), file, line))

# @test of any expression.
function _test(f, text::String, file::String, line::Int; broken::Bool = false, skip::Bool = false)
    skip && return _record(Broken(:skipped, text))
    value = nothing
    try
        value = f()
    catch e
        return _thrown(e, text, file, line, broken)
    end
    return _judged(value, text, "", file, line, broken)
end

# @test of a call, whose arguments a failure shows.
function _test_call(f, name::String, arguments, text::String, file::String, line::Int; kw = nothing, broken::Bool = false, skip::Bool = false)
    skip && return _record(Broken(:skipped, text))
    value = nothing
    args = ()
    keywords = NamedTuple()
    try
        args = arguments()
        kw === nothing || (keywords = kw())
        value = f(args...; keywords...)
    catch e
        return _thrown(e, text, file, line, broken)
    end
    return _judged(value, text, value === false ? _evaluated(name, args, keywords) : "", file, line, broken)
end
_argument_text(x) = sprint(show, x; context = :limit => true)
function _evaluated(name, args, keywords)
    texts = map(_argument_text, args)
    is_operator = !isletter(first(name)) && first(name) != '_' || name in ("in", "isa")
    length(args) == 2 && is_operator && isempty(keywords) && return string(texts[1], " ", name, " ", texts[2])
    inside = join(texts, ", ")
    isempty(keywords) || (inside = string(inside, "; ", join((string(k, " = ", _argument_text(v)) for (k, v) in pairs(keywords)), ", ")))
    return string(name, "(", inside, ")")
end

_test_broken(f, text::String, file::String, line::Int) = _test(f, text, file, line; broken = true)
_test_skip(text::String, file::String, line::Int) = _record(Broken(:skipped, text))

_matches(expected::Type, e) = e isa expected
_matches(expected::Exception, e) = typeof(expected) == typeof(e) &&
    all(f -> isequal(getfield(expected, f), getfield(e, f)), fieldnames(typeof(e)))
_matches(expected::AbstractString, e) = occursin(expected, sprint(showerror, e))
_matches(expected::Function, e) = expected(sprint(showerror, e))
_matches(expected::Union{AbstractArray,Tuple}, e) = all(x -> _matches(x, e), expected)
_matches(expected, e) = false
_is_message(expected) = expected isa Union{AbstractString,Function,AbstractArray,Tuple}
_expected_text(expected) = expected isa Type ? string(expected) : expected isa Function ? "< match function >" : repr(expected)

function _test_throws(expected, f, expected_text::String, text::String, file::String, line::Int)
    wanted = nothing
    try
        wanted = expected()
        f()
    catch e
        e isa InterruptException && rethrow()
        cause = e isa LoadError && !(wanted isa Type && LoadError <: wanted) ? e.error : e
        _matches(wanted, cause) && return _record(_is_message(wanted) ?
            Pass(:test_throws_message, text, sprint(showerror, cause)) : Pass(:test_throws, text, cause))
        _is_message(wanted) &&
            return _record(Fail(:test_throws_message, text, _expected_text(wanted), repr(sprint(showerror, cause)), file, line))
        thrown = wanted isa Type ? string(typeof(cause)) : repr(cause)
        return _record(Fail(:test_throws_wrong, text, _expected_text(wanted), thrown, file, line))
    end
    return _record(Fail(:test_throws_nothing, text, _expected_text(wanted), nothing, file, line))
end

_log_matches(p::Tuple, r) = (p[1] === :any || Base._level(p[1]) == r.level) && (length(p) < 2 || _message_matches(p[2], r.message))
_log_matches(p::Symbol, r) = p === :any || Base._level(p) == r.level
_log_matches(p::AbstractString, r) = _message_matches(p, r.message)
_message_matches(p::AbstractString, m) = p == m
_message_matches(p, m) = false
function _test_logs(f, patterns, text::String, file::String, line::Int; match_mode::Symbol = :all, min_level = Base.Debug, keep...)
    logger = TestLogger(; min_level = min_level isa Symbol ? Base._level(min_level) : Base.Info)
    value = nothing
    try
        value = Base.with_logger(f, logger)
    catch e
        _thrown(e, text, file, line, false)
        return nothing
    end
    matched = match_mode === :any ? all(p -> any(r -> _log_matches(p, r), logger.logs), patterns) :
        length(patterns) == length(logger.logs) && all(i -> _log_matches(patterns[i], logger.logs[i]), 1:length(patterns))
    if matched
        _record(Pass(:test_logs, text, nothing))
    else
        lines = String["  Log Pattern: $(join(map(repr, patterns), " "))", "  Captured Logs: "]
        for r in logger.logs
            push!(lines, "    $(r.level): $(repr(r.message))")
        end
        _record(Fail(:test_logs, text, "", join(lines, '\n'), file, line))
    end
    return value
end

function _testset(f, description, file::String, line::Int; verbose::Bool = false, failfast::Bool = false, options...)
    ts = DefaultTestSet(string(description), Any[], 0, verbose, 0.0, failfast)
    push!(_open_sets, ts)
    t0 = time()
    try
        f()
    catch e
        if e isa InterruptException
            pop!(_open_sets)
            rethrow()
        end
        _record(Error(:nontest_error, "", nothing, sprint(showerror, e), file, line))
    end
    ts.seconds = time() - t0
    pop!(_open_sets)
    if isempty(_open_sets)
        _finish(ts)
    else
        push!(_open_sets[end].results, ts)
    end
    return ts
end

struct _Counts
    passed::Int
    failed::Int
    errored::Int
    broken::Int
end
_total(c::_Counts) = c.passed + c.failed + c.errored + c.broken
_is_bad(c::_Counts) = c.failed + c.errored > 0
function _counts(ts::DefaultTestSet)
    p, f, e, b = ts.passed, 0, 0, 0
    for r in ts.results
        if r isa Fail
            f += 1
        elseif r isa Error
            e += 1
        elseif r isa Broken
            b += 1
        elseif r isa DefaultTestSet
            c = _counts(r)
            p += c.passed
            f += c.failed
            e += c.errored
            b += c.broken
        end
    end
    return _Counts(p, f, e, b)
end
function _failures!(out, ts::DefaultTestSet)
    for r in ts.results
        r isa Union{Fail,Error} && push!(out, r)
        r isa DefaultTestSet && _failures!(out, r)
    end
    return out
end
function _name_width(ts::DefaultTestSet, depth::Int)
    width = 2 * depth + length(ts.description)
    _is_bad(_counts(ts)) || ts.verbose || return width
    for r in ts.results
        r isa DefaultTestSet && (width = max(width, _name_width(r, depth + 1)))
    end
    return width
end
function _duration_text(seconds::Float64)
    seconds < 60 && return string(round(seconds; digits = 1), "s")
    minutes = floor(Int, seconds / 60)
    rest = round(seconds - 60 * minutes; digits = 1)
    return string(minutes, "m", lpad(string(rest), 4, '0'), "s")
end
_column_width(title::String, n::Int) = n > 0 ? max(length(title), ndigits(n)) : 0
function _print_row(ts::DefaultTestSet, depth::Int, name_width::Int, widths, duration_width::Int)
    c = _counts(ts)
    print(rpad(string("  "^depth, ts.description), name_width), " | ")
    for (n, w) in zip((c.passed, c.failed, c.errored, c.broken), widths)
        w > 0 && print(lpad(n > 0 ? string(n) : " ", w), "  ")
    end
    print(lpad(_total(c) == 0 ? "None" : string(_total(c)), widths[5]), "  ", lpad(_duration_text(ts.seconds), duration_width))
    println()
    _is_bad(c) || ts.verbose || return nothing
    for r in ts.results
        r isa DefaultTestSet && _print_row(r, depth + 1, name_width, widths, duration_width)
    end
    return nothing
end
function print_test_results(ts::DefaultTestSet)
    c = _counts(ts)
    name_width = max(_name_width(ts, 0), length("Test Summary:"))
    widths = (_column_width("Pass", c.passed), _column_width("Fail", c.failed), _column_width("Error", c.errored),
        _column_width("Broken", c.broken), max(length("Total"), ndigits(_total(c))))
    duration_width = max(length("Time"), length(_duration_text(ts.seconds)))
    print(rpad("Test Summary:", name_width), " | ")
    for (title, w) in zip(("Pass", "Fail", "Error", "Broken"), widths)
        w > 0 && print(lpad(title, w), "  ")
    end
    println(lpad("Total", widths[5]), "  ", lpad("Time", duration_width))
    _print_row(ts, 0, name_width, widths, duration_width)
    return nothing
end
function _finish(ts::DefaultTestSet)
    print_test_results(ts)
    c = _counts(ts)
    _is_bad(c) && throw(TestSetException(c.passed, c.failed, c.errored, c.broken, _failures!(Any[], ts)))
    return ts
end

end
