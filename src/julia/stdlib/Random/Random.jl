# Random numbers: Julia's generators, their seeds and the sampler interface.
module Random

import Base: rand, randn, copy, copy!, ==, hash, show, eltype, getindex

export AbstractRNG, MersenneTwister, RandomDevice, TaskLocalRNG, Xoshiro, bitrand, default_rng, rand!, randcycle, randcycle!,
    randexp, randexp!, randn!, randperm, randperm!, randstring, randsubseq, randsubseq!, shuffle, shuffle!

const AbstractRNG = _builtin_type("AbstractRNG")
const Xoshiro = _builtin_type("Xoshiro")
const TaskLocalRNG = _builtin_type("TaskLocalRNG")
const MersenneTwister = _builtin_type("MersenneTwister")

include("generators.jl")
include("samplers.jl")
include("uniform.jl")
include("shapes.jl")
include("permutations.jl")
include("compiled.jl")

end
