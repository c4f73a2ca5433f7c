struct RandomDevice <: AbstractRNG
    unlimited::Bool
    RandomDevice(; unlimited::Bool=true) = new(unlimited)
end

const BuiltinRNG = Union{Xoshiro,TaskLocalRNG,MersenneTwister,RandomDevice}
const SeededRNG = Union{Xoshiro,TaskLocalRNG,MersenneTwister}
const MachineReal = Union{Bool,Base.BitInteger,Base.IEEEFloat}

const GLOBAL_RNG = _new(TaskLocalRNG)

TaskLocalRNG() = GLOBAL_RNG
default_rng() = GLOBAL_RNG

Xoshiro(s0::Integer, s1::Integer, s2::Integer, s3::Integer) =
    _new(Xoshiro, UInt64(s0), UInt64(s1), UInt64(s2), UInt64(s3),
         (s0 % UInt64) + 3 * (s1 % UInt64) + 5 * (s2 % UInt64) + 7 * (s3 % UInt64))
Xoshiro(s0::Integer, s1::Integer, s2::Integer, s3::Integer, s4::Integer) =
    _new(Xoshiro, UInt64(s0), UInt64(s1), UInt64(s2), UInt64(s3), UInt64(s4))
Xoshiro(seed=nothing) = seed!(Xoshiro(0, 0, 0, 0), seed)
MersenneTwister(seed=nothing) = seed!(_rng_make_mersenne(MersenneTwister), seed)

seed!(rng::SeededRNG) = _rng_seed(rng, nothing)
seed!(rng::SeededRNG, ::Nothing) = _rng_seed(rng, nothing)
seed!(rng::SeededRNG, seed::Integer) = _rng_seed(rng, seed)
seed!(rng::SeededRNG, seed::Union{Array{UInt32},Array{UInt64}}) = _rng_seed(rng, seed)
seed!(rng::SeededRNG, seed::String) = _rng_seed(rng, seed)
seed!(rng::SeededRNG, seed::AbstractString) = _rng_seed(rng, String(seed))
seed!(seed=nothing) = seed!(GLOBAL_RNG, seed)

copy(r::Xoshiro) = Xoshiro(r.s0, r.s1, r.s2, r.s3, r.s4)
copy(r::TaskLocalRNG) = Xoshiro(_rng_task_state(r)...)
copy(r::MersenneTwister) = _rng_copy_mersenne(r)

function copy!(to::Xoshiro, from::Xoshiro)
    to.s0, to.s1, to.s2, to.s3, to.s4 = from.s0, from.s1, from.s2, from.s3, from.s4
    return to
end
copy!(to::Xoshiro, from::TaskLocalRNG) = copy!(to, copy(from))
function copy!(to::TaskLocalRNG, from::Xoshiro)
    _rng_task_state(to, from)
    return to
end

==(a::Xoshiro, b::Xoshiro) = a.s0 == b.s0 && a.s1 == b.s1 && a.s2 == b.s2 && a.s3 == b.s3
==(a::TaskLocalRNG, b::Xoshiro) = copy(a) == b
==(a::Xoshiro, b::TaskLocalRNG) = a == copy(b)
==(a::MersenneTwister, b::MersenneTwister) = _rng_equal_mersenne(a, b)
