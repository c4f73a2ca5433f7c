# The numbers of Julia's own documentation.
using Test, Random

@testset "streams" begin
    @test rand(Xoshiro(1234), 2) == [0.32597672886359486, 0.5490511363155669]
    @test rand(MersenneTwister(123), 2) == [0.37453777969575874, 0.8735343642013971]
    @test bitrand(Xoshiro(123), 10) == [0, 1, 0, 1, 0, 1, 0, 0, 1, 1]
    @test randsubseq(Xoshiro(123), 1:8, 0.3) == [4, 7]
    @test shuffle(Xoshiro(123), Vector(1:10)) == [5, 4, 2, 3, 6, 10, 8, 1, 9, 7]
    @test randperm(Xoshiro(123), 4) == [1, 4, 2, 3]
    @test randcycle(Xoshiro(123), 6) == [5, 4, 2, 6, 3, 1]
    @test randn!(Xoshiro(123), zeros(5)) ==
          [-0.6457306721039767, -1.4632513788889214, -1.6236037455860806, -0.21766510678354617, 0.4922456865251828]
    @test randexp!(Xoshiro(123), zeros(5)) ==
          [1.1757716836348473, 1.758884569451514, 1.0083623637301151, 0.3510644315565272, 0.6348266443720407]
    rng = Xoshiro(123)
    @test randexp(rng, Float32) == 1.1757717f0
    printed = [1.37766 0.456653 0.236418; 3.40007 0.229917 0.0684921; 0.48096 0.577481 0.71835]
    @test all(isapprox.(randexp(rng, 3, 3), printed; rtol=5e-6))
end

struct Die
    nsides::Int
end
Random.rand(rng::AbstractRNG, ::Random.SamplerType{Die}) = Die(rand(rng, 4:20))
Random.Sampler(R::Type{<:AbstractRNG}, d::Die, n::Random.Repetition) = Random.SamplerSimple(d, Random.Sampler(R, 1:d.nsides, n))
Random.rand(rng::AbstractRNG, sp::Random.SamplerSimple{Die}) = rand(rng, sp.data)

@testset "a program's own values" begin
    @test rand(Xoshiro(1), Die) isa Die
    @test all(d -> 4 <= d.nsides <= 20, rand(Die, 50))
    @test all(x -> 1 <= x <= 6, [rand(Die(6)) for _ in 1:50])
end
