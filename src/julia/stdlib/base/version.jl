# Version numbers.

VersionNumber(major::Integer, minor::Integer = 0, patch::Integer = 0, prerelease::Tuple = (), build::Tuple = ()) =
    _new(VersionNumber, UInt32(major), UInt32(minor), UInt32(patch), prerelease, build)
function VersionNumber(s::AbstractString)
    text = chopprefix(strip(s), "v")
    parts = split(text, '+'; limit = 2)
    build = length(parts) == 2 ? _version_parts(parts[2]) : ()
    parts = split(parts[1], '-'; limit = 2)
    prerelease = length(parts) == 2 ? _version_parts(parts[2]) : ()
    numbers = map(p -> tryparse(Int, p), split(parts[1], '.'))
    (any(isnothing, numbers) || length(numbers) > 3) && throw(ArgumentError("invalid version string: $s"))
    return VersionNumber(numbers[1], length(numbers) > 1 ? numbers[2] : 0, length(numbers) > 2 ? numbers[3] : 0, prerelease, build)
end
_version_parts(s) = Tuple(map(p -> something(tryparse(UInt64, p), String(p)), split(s, '.')))
const VERSION = VersionNumber(1, 12, 0)
function string(v::VersionNumber)
    s = string(v.major, ".", v.minor, ".", v.patch)
    isempty(v.prerelease) || (s = string(s, "-", join(v.prerelease, '.')))
    isempty(v.build) || (s = string(s, "+", join(v.build, '.')))
    return s
end
print(io::IO, v::VersionNumber) = print(io, string(v))
show(io::IO, v::VersionNumber) = print(io, "v\"", string(v), "\"")
function cmp(a::VersionNumber, b::VersionNumber)
    for (x, y) in ((a.major, b.major), (a.minor, b.minor), (a.patch, b.patch))
        x == y || return x < y ? -1 : 1
    end
    isempty(a.prerelease) && isempty(b.prerelease) && return 0
    isempty(a.prerelease) && return 1
    isempty(b.prerelease) && return -1
    return cmp(map(string, a.prerelease), map(string, b.prerelease))
end
isless(a::VersionNumber, b::VersionNumber) = cmp(a, b) < 0
<(a::VersionNumber, b::VersionNumber) = cmp(a, b) < 0
<=(a::VersionNumber, b::VersionNumber) = cmp(a, b) <= 0
>(a::VersionNumber, b::VersionNumber) = cmp(a, b) > 0
>=(a::VersionNumber, b::VersionNumber) = cmp(a, b) >= 0
==(a::VersionNumber, b::VersionNumber) = cmp(a, b) == 0
thisminor(v::VersionNumber) = VersionNumber(v.major, v.minor, 0)
thispatch(v::VersionNumber) = VersionNumber(v.major, v.minor, v.patch)

export VersionNumber, VERSION
