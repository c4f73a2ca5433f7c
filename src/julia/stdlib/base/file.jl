# Files, paths, the environment, the clock, the process.

isfile(p::AbstractString) = _file_is(p, 'f')
isdir(p::AbstractString) = _file_is(p, 'd')
islink(p::AbstractString) = _file_is(p, 'l')
ispath(p::AbstractString) = _file_is(p, 'e')
filesize(p::AbstractString) = _file_size(p)
mkpath(p::AbstractString; mode = 0o777) = _file_mkpath(p)
mkdir(p::AbstractString; mode = 0o777) = _file_mkdir(p)
rm(p::AbstractString; force::Bool = false, recursive::Bool = false) = _file_rm(p, force, recursive)
cp(a::AbstractString, b::AbstractString; force::Bool = false, follow_symlinks::Bool = false) = !force && ispath(b) ?
    throw(ArgumentError("'$b' exists. `force=true` is required to remove '$b' before copying.")) : _file_copy(a, b, false)
mv(a::AbstractString, b::AbstractString; force::Bool = false) = !force && ispath(b) ?
    throw(ArgumentError("'$b' exists. `force=true` is required to remove '$b' before moving.")) : _file_copy(a, b, true)
touch(p::AbstractString) = (close(open(p, "a")); p)
pwd() = _file_pwd()
cd(p::AbstractString) = _file_cd(p)
function cd(f::Function, p::AbstractString)
    before = pwd()
    cd(p)
    try
        return f()
    finally
        cd(before)
    end
end
readdir(p::AbstractString = "."; join::Bool = false, sort::Bool = true) =
    join ? String[joinpath(p, n) for n in _file_list(p)] : _file_list(p)
tempdir() = get(ENV, "TMPDIR", "/tmp")
tempname(; cleanup::Bool = true) = _file_temp(false)
tempname(parent::AbstractString; cleanup::Bool = true) = joinpath(parent, basename(_file_temp(false)))
mktempdir(; prefix::AbstractString = "jl_", cleanup::Bool = true) = _file_temp(true)
function mktempdir(f::Function; prefix::AbstractString = "jl_")
    p = _file_temp(true)
    try
        return f(p)
    finally
        rm(p; force = true, recursive = true)
    end
end
function mktemp()
    p = _file_temp(false)
    return (p, open(p, "w+"))
end
function mktemp(f::Function)
    p, io = mktemp()
    try
        return f(p, io)
    finally
        close(io)
        rm(p; force = true)
    end
end

isabspath(p::AbstractString) = startswith(p, '/')
joinpath(p::AbstractString) = String(p)
joinpath(a::AbstractString, b::AbstractString) = isabspath(b) ? String(b) : isempty(a) ? String(b) :
    endswith(a, '/') ? string(a, b) : string(a, "/", b)
joinpath(a::AbstractString, b::AbstractString, more::AbstractString...) = joinpath(joinpath(a, b), more...)
normpath(p::AbstractString) = _file_normpath(p)
normpath(p::AbstractString, more::AbstractString...) = normpath(joinpath(p, more...))
abspath(p::AbstractString) = normpath(isabspath(p) ? p : joinpath(pwd(), p))
abspath(p::AbstractString, more::AbstractString...) = abspath(joinpath(p, more...))
realpath(p::AbstractString) = _file_realpath(p)
expanduser(p::AbstractString) = p == "~" || startswith(p, "~/") ? string(homedir(), p[2:end]) : String(p)
homedir() = get(ENV, "HOME", "/")
function splitdir(p::AbstractString)
    i = findlast('/', p)
    i === nothing && return ("", String(p))
    folder = rstrip(p[1:i], '/')
    return (isempty(folder) ? "/" : String(folder), p[nextind(p, i):end])
end
dirname(p::AbstractString) = splitdir(p)[1]
basename(p::AbstractString) = splitdir(p)[2]
function splitext(p::AbstractString)
    name = basename(p)
    i = findlast('.', name)
    (i === nothing || i == 1 || all(==('.'), name[1:i])) && return (String(p), "")
    extension = name[i:end]
    return (String(chopsuffix(p, extension)), extension)
end
splitpath(p::AbstractString) = String[isabspath(p) ? ["/"] : String[]; split(p, '/'; keepempty = false)]
function relpath(p::AbstractString, from::AbstractString = ".")
    a, b = splitpath(abspath(p)), splitpath(abspath(from))
    n = 0
    while n < min(length(a), length(b)) && a[n+1] == b[n+1]
        n += 1
    end
    parts = String[fill("..", length(b) - n); a[n+1:end]]
    return isempty(parts) ? "." : join(parts, '/')
end

struct _Environment <: AbstractDict{String,String} end
const ENV = _Environment()
function getindex(::_Environment, k::AbstractString)
    v = _env_get(k)
    return v === nothing ? throw(KeyError(k)) : v
end
function get(::_Environment, k::AbstractString, default)
    v = _env_get(k)
    return v === nothing ? default : v
end
get(f::Function, ::_Environment, k::AbstractString) = _env_get(k) === nothing ? f() : _env_get(k)
haskey(::_Environment, k::AbstractString) = _env_get(k) !== nothing
in(k::AbstractString, ks::KeySet{String,_Environment}) = _env_get(k) !== nothing
setindex!(e::_Environment, v, k::AbstractString) = (_env_set(k, string(v)); e)
delete!(e::_Environment, k::AbstractString) = (_env_set(k, nothing); e)
show(io::IO, ::_Environment) = print(io, "Base.EnvDict with entries")

time() = _time()
time_ns() = _time_ns()
sleep(seconds::Real) = _sleep(seconds)
const ARGS = _arguments()
const PROGRAM_FILE = _program_file()

function _time_text(nanoseconds)
    seconds = nanoseconds / 1.0e9
    return string(lpad(_printf_text("%.6f", seconds), 10), " seconds")
end
function _time(f::Function, message)
    t0 = time_ns()
    value = f()
    _time_report(t0, message)
    return value
end
function _time_report(t0::UInt64, message)
    text = _time_text(time_ns() - t0)
    println(message === nothing ? text : string(message, ": ", lstrip(text)))
    return nothing
end
_elapsed_since(t0::UInt64) = (time_ns() - t0) / 1.0e9
function _elapsed(f::Function)
    t0 = time_ns()
    f()
    return _elapsed_since(t0)
end
function _timed(f::Function)
    t0 = time_ns()
    value = f()
    return (value = value, time = _elapsed_since(t0), bytes = 0, gctime = 0.0, gcstats = nothing, lock_conflicts = 0, compile_time = 0.0, recompile_time = 0.0)
end

module Sys
const WORD_SIZE = 64
const KERNEL = :Linux
const ARCH = :x86_64
const MACHINE = "x86_64-linux-gnu"
const CPU_THREADS = _processors()
isunix() = true
islinux() = true
iswindows() = false
isapple() = false
isbsd() = false
end
module GC
gc(full::Bool = true) = nothing
enable(on::Bool) = true
end
module Threads
nthreads(pool = :default) = 1
threadid() = 1
end

export isfile, isdir, islink, ispath, filesize, mkpath, mkdir, rm, cp, mv, touch, pwd, cd, readdir, tempdir, tempname, mktempdir,
    mktemp, isabspath, joinpath, normpath, abspath, realpath, expanduser, homedir, splitdir, dirname, basename, splitext, splitpath,
    relpath, ENV, time, time_ns, sleep, exit, ARGS, PROGRAM_FILE, Sys, GC, Threads
