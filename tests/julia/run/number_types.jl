# Promotion with a program's own number types; rational, irrational and complex numbers.
using Test

struct Dual <: Number
    value::Float64
    slope::Float64
end
Base.:+(a::Dual, b::Dual) = Dual(a.value + b.value, a.slope + b.slope)
Base.:-(a::Dual, b::Dual) = Dual(a.value - b.value, a.slope - b.slope)
Base.:*(a::Dual, b::Dual) = Dual(a.value * b.value, a.value * b.slope + a.slope * b.value)
Base.:/(a::Dual, b::Dual) = Dual(a.value / b.value, (a.slope * b.value - a.value * b.slope) / b.value^2)
Base.convert(::Type{Dual}, x::Real) = Dual(x, 0.0)
Base.promote_rule(::Type{Dual}, ::Type{<:Real}) = Dual

struct Mod7 <: Integer
    n::Int
    Mod7(n) = new(mod(n, 7))
end
Base.:+(a::Mod7, b::Mod7) = Mod7(a.n + b.n)
Base.:*(a::Mod7, b::Mod7) = Mod7(a.n * b.n)
Base.promote_rule(::Type{Mod7}, ::Type{Int}) = Mod7
Base.one(::Type{Mod7}) = Mod7(1)

struct Lone <: Number end

@testset "own types" begin
    f(x) = x^3 + 2x - 1 / x
    @test f(Dual(2.0, 1.0)) === Dual(11.5, 14.25)
    @test Mod7(3) * 5 + 1 === Mod7(2) && Mod7(3)^6 === Mod7(1)
    @test promote(1, 2.5f0) === (1.0f0, 2.5f0) && promote_type(Int8, UInt16) === UInt16
    @test promote_type(Int, Float32) === Float32 && promote_type(Rational{Int}, Float64) === Float64
    @test_throws ErrorException Lone() + 1
end

@testset "rational" begin
    @test 6 // -4 === -3 // 2 && numerator(6 // 4) == 3 && denominator(6 // 4) == 2
    @test 1 // 2 + 1 // 3 === 5 // 6 && (2 // 3)^-2 === 9 // 4 && 3 * 1 // 6 === 1 // 2
    @test 1 // 2 < 2 // 3 && 1 // 2 == 0.5 && 1 // 3 != 1 / 3 && 1 // 0 > typemax(Int)
    @test Rational(0.75) === 3 // 4 && rationalize(0.1) === 1 // 10 && rationalize(3.14159; tol = 0.01) === 22 // 7
    @test floor(7 // 2) === 3 // 1 && round(Int, 5 // 2) === 2 && div(7 // 2, 2) === 1 && mod(7 // 2, 2) === 3 // 2
    @test float(1 // 4) === 0.25 && Int(4 // 2) === 2
    @test_throws ArgumentError 0 // 0
    @test_throws InexactError Int(1 // 2)
end

@testset "irrational" begin
    @test Float64(π) === 3.141592653589793 && Float32(π) === 3.1415927f0 && π + 1 === 4.141592653589793
    @test π != Float64(π) && 22 // 7 > π && 333 // 106 < π && 3 < π < 4
    @test ℯ^2 == exp(2) && log(ℯ) == 1 && sin(π) === 0.0 && cos(π) === -1.0
    @test Base.MathConstants.golden == Base.MathConstants.φ && repr(π) == "π"
end

@testset "complex" begin
    z = 3 + 4im
    @test abs(z) == 5.0 && abs2(z) === 25 && conj(z) === 3 - 4im && angle(1im) == pi / 2 && reim(z) === (3, 4)
    @test z * z === -7 + 24im && z / (1 + 2im) == 2.2 - 0.4im && inv(2im) == -0.5im && im^2 == -1
    @test sqrt(-1 + 0im) == 1im && exp(im * π) ≈ -1 && log(-1 + 0im) ≈ π * im && (1 + 2im)^2 == -3 + 4im
    @test cis(0.0) == 1 && cispi(1) == -1 && real(1.5) === 1.5 && isreal(2 + 0im)
    @test complex(1, 2.5) === 1.0 + 2.5im && ComplexF32(1, 2) isa Complex{Float32} && 1 + 0im == 1
    @test sin(1im) ≈ sinh(1) * im && cos(1im) ≈ cosh(1) && tan(1im) ≈ tanh(1) * im && atan(0.5im) ≈ atanh(0.5) * im
    @test (1e200 + 1e200im) / (1e200 + 0im) == 1 + 1im && abs(1e200 + 1e200im) ≈ sqrt(2) * 1e200
    @test_throws MethodError 1im < 2im
    @test_throws InexactError Float64(1 + 2im)
end
