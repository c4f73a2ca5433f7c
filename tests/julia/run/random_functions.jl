# Random numbers inside functions, which compiled code draws: the numbers of Julia's documentation, and those that the same calls give outside of functions.
using Test, Random

documented(seed) = begin
    two = rand(Xoshiro(1234), 2)
    order = shuffle(Xoshiro(seed), Vector(1:10))
    places = randperm(Xoshiro(seed), 4)
    cycle = randcycle(Xoshiro(seed), 6)
    normals = randn!(Xoshiro(seed), zeros(5))
    exponentials = randexp!(Xoshiro(seed), zeros(5))
    (two, order, places, cycle, normals, exponentials)
end

function documented_normals(seed)
    rng = Xoshiro(seed)
    first = randn(rng, Float32)
    return first, randn(rng, ComplexF32, (2, 3))
end

function documented_exponentials(seed)
    rng = Xoshiro(seed)
    first = randexp(rng, Float32)
    return first, randexp(rng, 3, 3)
end

bits(rng) = bitrand(rng, 10)

@testset "documented" begin
    @test documented(123) == ([0.32597672886359486, 0.5490511363155669], [5, 4, 2, 3, 6, 10, 8, 1, 9, 7], [1, 4, 2, 3], [5, 4, 2, 6, 3, 1],
        [-0.6457306721039767, -1.4632513788889214, -1.6236037455860806, -0.21766510678354617, 0.4922456865251828],
        [1.1757716836348473, 1.758884569451514, 1.0083623637301151, 0.3510644315565272, 0.6348266443720407])
    x, z = documented_normals(123)
    @test x == -0.6457307f0
    # Printed with six digits.
    @test all(isapprox.(z, ComplexF32[-1.03467-1.14806im 0.693657+0.056538im 0.291442+0.419454im
                                      -0.153912+0.34807im 1.0954-0.948661im -0.543347-0.0538589im]; rtol=5e-6))
    x, e = documented_exponentials(123)
    @test x == 1.1757717f0
    @test all(isapprox.(e, [1.37766 0.456653 0.236418; 3.40007 0.229917 0.0684921; 0.48096 0.577481 0.71835]; rtol=5e-6))
    @test bits(Xoshiro(123)) == [0, 1, 0, 1, 0, 1, 0, 0, 1, 1]
end

# Each function draws in its own way; outside, the same is drawn from a generator in the same state.
numbers(rng) = (rand(rng), rand(rng, Float32), rand(rng, Float16), rand(rng, Bool), rand(rng, Int), rand(rng, UInt8), rand(rng, Int16), rand(rng, UInt32))
choices(rng, n) = (rand(rng, 1:n), rand(rng, Int32(-3):Int32(4)), rand(rng, 0x01:0x05), rand(rng, -n:n), rand(rng, typemin(Int):typemax(Int)))
function many(rng)
    total = 0.0
    for i in 1:1000
        total += rand(rng) < 0.5 ? rand(rng) : -rand(rng)
    end
    return total
end
arrays(rng) = (rand(rng, 3), rand(rng, 7), rand(rng, 8), rand(rng, 9), rand(rng, 4, 5), rand(rng, Float32, 5), rand(rng, Float32, 33), rand(rng, Float16, 9))
integers(rng) = (rand(rng, Int, 20), rand(rng, UInt8, 3), rand(rng, UInt8, 77), rand(rng, Int16, 41), rand(rng, UInt32, 17), rand(rng, 1:6, 30))
truths(rng) = (rand(rng, Bool, 5), rand(rng, Bool, 100), rand(rng, Bool, 639), rand(rng, Bool, 640), rand(rng, Bool, 1501))
chunks(rng) = (bitrand(rng, 64), bitrand(rng, 700), bitrand(rng, 3, 5))
normals(rng) = (randn(rng), randn(rng, Float32), randn(rng, 6), randn(rng, 7), randn(rng, 5, 5), randn(rng, Float32, 12), randn(rng, ComplexF64, 3))
exponentials(rng) = (randexp(rng), randexp(rng, Float32), randexp(rng, 4), randexp(rng, 100), randexp(rng, Float32, 9))
orders(rng) = (randperm(rng, 1), randperm(rng, 20), shuffle(rng, collect(1.0:9.0)), randcycle(rng, 12))
picked(rng, values) = (rand(rng, values), rand(rng, values, 4), rand(rng, (1, 2, 3)), rand(rng, (1.5, 2.5, 3.5, 4.5)))

# At top level the host draws.
for seed in (1, 2, 77)
    rng, n, values = Xoshiro(seed), 10, [3, 1, 4, 1, 5]
    want = (rand(rng), rand(rng, Float32), rand(rng, Float16), rand(rng, Bool), rand(rng, Int), rand(rng, UInt8), rand(rng, Int16), rand(rng, UInt32))
    @test numbers(Xoshiro(seed)) === want
    rng = Xoshiro(seed)
    want = (rand(rng, 1:n), rand(rng, Int32(-3):Int32(4)), rand(rng, 0x01:0x05), rand(rng, -n:n), rand(rng, typemin(Int):typemax(Int)))
    @test choices(Xoshiro(seed), n) === want
    rng, want = Xoshiro(seed), 0.0
    for i in 1:1000
        want += rand(rng) < 0.5 ? rand(rng) : -rand(rng)
    end
    @test many(Xoshiro(seed)) === want
    rng = Xoshiro(seed)
    want = (rand(rng, 3), rand(rng, 7), rand(rng, 8), rand(rng, 9), rand(rng, 4, 5), rand(rng, Float32, 5), rand(rng, Float32, 33), rand(rng, Float16, 9))
    @test arrays(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (rand(rng, Int, 20), rand(rng, UInt8, 3), rand(rng, UInt8, 77), rand(rng, Int16, 41), rand(rng, UInt32, 17), rand(rng, 1:6, 30))
    @test integers(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (rand(rng, Bool, 5), rand(rng, Bool, 100), rand(rng, Bool, 639), rand(rng, Bool, 640), rand(rng, Bool, 1501))
    @test truths(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (bitrand(rng, 64), bitrand(rng, 700), bitrand(rng, 3, 5))
    @test chunks(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (randn(rng), randn(rng, Float32), randn(rng, 6), randn(rng, 7), randn(rng, 5, 5), randn(rng, Float32, 12), randn(rng, ComplexF64, 3))
    @test normals(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (randexp(rng), randexp(rng, Float32), randexp(rng, 4), randexp(rng, 100), randexp(rng, Float32, 9))
    @test exponentials(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (randperm(rng, 1), randperm(rng, 20), shuffle(rng, collect(1.0:9.0)), randcycle(rng, 12))
    @test orders(Xoshiro(seed)) == want
    rng = Xoshiro(seed)
    want = (rand(rng, values), rand(rng, values, 4), rand(rng, (1, 2, 3)), rand(rng, (1.5, 2.5, 3.5, 4.5)))
    @test picked(Xoshiro(seed), values) == want
end

# The tails of the normal and the exponential density take one number in a few thousand.
tails!(rng, out) = randn!(rng, out)
exponential_tails!(rng, out) = randexp!(rng, out)
x = randn!(Xoshiro(5), zeros(100_000))
@test tails!(Xoshiro(5), zeros(100_000)) == x
@test count(abs.(x) .> 3.6541528853610088) > 5
x = randexp!(Xoshiro(6), zeros(100_000))
@test exponential_tails!(Xoshiro(6), zeros(100_000)) == x
@test count(x .> 7.69711747013104972) > 10

# A generator that is handed to a function, and the one of the task, go on where the function left them.
advanced(rng) = (rand(rng); randn(rng, 9); nothing)
walk(n) = (x = 0; for _ in 1:n; x += rand(Bool) ? 1 : -1; end; x)
seeded_walk(seed, n) = (Random.seed!(seed); walk(n))
mixed() = (rand(), randn(), rand(1:100), rand(3), shuffle([1, 2, 3, 4]))
let
    a, b = Xoshiro(9), Xoshiro(9)
    advanced(a)
    rand(b)
    randn(b, 9)
    @test a == b
    Random.seed!(11)
    y = walk(100)
    after = rand(UInt64)
    Random.seed!(11)
    x = 0
    for _ in 1:100
        x += rand(Bool) ? 1 : -1
    end
    next = rand(UInt64)
    @test y == x && after == next
    for seed in (0, 11, -1, -12345678901, typemax(Int), typemin(Int))
        y = seeded_walk(seed, 10)
        after = rand(UInt64)
        Random.seed!(seed)
        x = 0
        for _ in 1:10
            x += rand(Bool) ? 1 : -1
        end
        next = rand(UInt64)
        @test y == x && after == next
        want = Xoshiro(seed)
        @test (s -> Xoshiro(s))(seed) == want
    end
    Random.seed!(12)
    a = mixed()
    Random.seed!(12)
    want = (rand(), randn(), rand(1:100), rand(3), shuffle([1, 2, 3, 4]))
    @test a == want
end

# An exception after draws: the host draws them again, and once.
function failing(v, i)
    x = rand()
    return x + v[i]
end
@testset "exceptions" begin
    Random.seed!(3)
    @test_throws BoundsError failing([1.0], 2)
    after = rand()
    Random.seed!(3)
    rand()
    @test after == rand()
    @test_throws ArgumentError choices(Xoshiro(1), -1)
end

# A generator of one's own gives 64 bits; the rest follows.
mutable struct Counting <: AbstractRNG
    count::UInt64
end
Random.rand(r::Counting, ::Random.SamplerType{UInt64}) = (r.count += 0x9e3779b97f4a7c15; r.count)
own(r) = (rand(r), rand(r, 1:10), randn(r), rand(r, Bool), randperm(r, 5))
r = Counting(7)
want = (rand(r), rand(r, 1:10), randn(r), rand(r, Bool), randperm(r, 5))
@test own(Counting(7)) == want
