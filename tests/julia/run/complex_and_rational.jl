# Complex and rational numbers: exact identities.
using Test

@testset "complex" begin
    z = 3 + 4im
    @test z isa Complex{Int} && real(z) == 3 && imag(z) == 4 && abs(z) == 5 && abs2(z) == 25
    @test conj(z) == 3 - 4im && z * conj(z) == 25 && z + 1 == 4 + 4im
    @test (1 + 2im) * (3 - im) == 5 + 5im
    @test collect(im * (1:3)) == [im, 2im, 3im] && (im * (1:3))[2] == 2im && sum((1 + im) * (1:2:5)) == 9 + 9im
    @test string(im * (1:3)) == "0 + 1im:0 + 1im:0 + 3im"
    @test (1 + 2im) / (1 - 2im) ≈ -0.6 + 0.8im
    @test im^2 == -1 && im^3 == -im
    @test sqrt(-1 + 0im) == im
    @test exp(im * π) ≈ -1
    @test angle(1im) ≈ π / 2 && cis(0) == 1
    @test [1 + im, 2]' == [1 - im 2]
    @test string(1 - 2im) == "1 - 2im" && repr(1.5 + 0im) == "1.5 + 0.0im"
    @test_throws MethodError 1im < 2im
    @test Complex(1, 2.0) isa ComplexF64 && complex(2) == 2
    @test iszero(0im) && isreal(1 + 0im) && reim(z) == (3, 4)
    # roots of unity sum to nothing
    @test abs(sum(cispi(2k / 7) for k in 0:6)) < 1e-15
end

@testset "rational" begin
    @test 1 // 2 + 1 // 3 == 5 // 6
    @test 2 // 4 === 1 // 2 && numerator(6 // 8) == 3 && denominator(6 // 8) == 4
    @test 1 // 2 < 2 // 3 && 1 // 2 == 0.5 && float(1 // 4) === 0.25
    @test (2 // 3)^2 == 4 // 9 && inv(2 // 3) == 3 // 2 && (1 // 2) / 2 == 1 // 4
    @test sum(1 // n for n in 1:10) == 7381 // 2520   # the tenth harmonic number
    @test string(3 // 4) == "3//4" && -1 // 2 == 1 // -2
    @test rationalize(0.25) == 1 // 4
    @test floor(7 // 2) == 3 && round(Int, 7 // 2) == 4
    @test_throws ArgumentError 0 // 0
    @test 1 // 0 > 10
    @test typeof(1 // 2 * 1.0) == Float64
end
