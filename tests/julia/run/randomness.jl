# Julia's random streams: numbers that its documentation prints, and laws of distributions.
using Test, Random, Statistics

@testset "randomness" begin
    rng = Xoshiro(1234)
    a = rand(rng, 5)
    @test a == rand(Xoshiro(1234), 5) && all(0 .<= a .< 1)
    Random.seed!(7)
    x = rand()
    Random.seed!(7)
    @test rand() == x
    @test rand(Xoshiro(1), Int) isa Int64 && rand(Xoshiro(1), 1:6) in 1:6 && rand(Xoshiro(1), [:a]) == :a
    @test size(rand(2, 3)) == (2, 3) && eltype(rand(Float32, 2)) == Float32 && rand(Bool) isa Bool
    z = randn(Xoshiro(3), 20000)
    @test abs(mean(z)) < 0.03 && abs(std(z) - 1) < 0.03
    u = rand(Xoshiro(4), 20000)
    @test abs(mean(u) - 0.5) < 0.01
    @test sort(shuffle(Xoshiro(2), 1:10)) == 1:10 && sort(randperm(Xoshiro(2), 5)) == 1:5
    @test mean(randexp(Xoshiro(5), 20000)) ≈ 1 atol = 0.03
    inside = count(_ -> rand(rng)^2 + rand(rng)^2 < 1, 1:20000)
    @test 4inside / 20000 ≈ π atol = 0.06
end
