# Functions of integers and floats: values from the manual, number theory and closed forms.
using Test

@testset "integers" begin
    @test gcd(12, 18) === 6 && gcd(-12, 18) === 6 && gcd(0, 5) === 5 && gcd(Int8(12), 18) === 6
    @test lcm(4, 6) === 12 && lcm(0, 3) === 0 && lcm(2, 3, 4) === 12
    @test gcdx(12, 42) == (6, -3, 1)
    @test Base.divgcd(12, -18) === (2, -3) && Base.divgcd(0x04, 6) == (2, 3)
    @test invmod(3, 7) == 5 && powermod(2, 10, 1000) == 24 && powermod(3, -1, 7) == 5
    @test powermod(2, 62, 1000000007) == mod(2^62, 1000000007)
    @test isqrt(99) === 9 && isqrt(typemax(Int64)) === 3037000499
    @test factorial(20) === 2432902008176640000
    @test_throws OverflowError factorial(21)
    @test_throws DomainError factorial(-1)
    @test binomial(5, 2) == 10 && binomial(-5, 3) == -35 && binomial(62, 31) == 465428353255261088
    @test digits(1234) == [4, 3, 2, 1] && digits(10; base = 2, pad = 6) == [0, 1, 0, 1, 0, 0]
    @test ndigits(1000) == 4 && ndigits(255; base = 16) == 2 && ndigits(0) == 1
    @test nextpow(2, 9) == 16 && prevpow(3, 26) == 9 && ispow2(64) && !ispow2(0)
    @test count_ones(0xff) == 8 && leading_zeros(Int32(1)) == 31 && trailing_zeros(8) == 3
    @test bitrotate(0x01, -1) === 0x80 && bitreverse(0x01) === 0x80 && bswap(0x0102) === 0x0201
    @test bitstring(Int8(-2)) == "11111110"
    @test evalpoly(2, (1, 2, 3)) == 17 && evalpoly(im, (0, 0, 1)) == -1
    @test fld1(7, 3) == 3 && mod1(6, 3) == 3 && fldmod1(7, 3) == (3, 1)
    @test div(7, 2, RoundUp) == 4 && div(5, 2, RoundNearest) == 2 && div(7, 2, RoundNearest) == 4
    @test -129 % Int8 === Int8(127) && 300 % UInt8 === 0x2c
end

@testset "checked" begin
    @test Base.checked_add(1, 2) == 3 && Base.Checked.checked_mul(Int8(5), Int8(6)) === Int8(30)
    @test_throws OverflowError Base.checked_add(typemax(Int), 1)
    @test_throws OverflowError Base.checked_neg(typemin(Int8))
    @test Base.Checked.mul_with_overflow(Int8(100), Int8(2)) == (Int8(-56), true)
end

@testset "floats" begin
    @test nextfloat(1.0) - 1.0 == eps() && prevfloat(0.0) == -5.0e-324 && eps(1.0f0) == 2.0f0^-23
    @test exponent(6.5) == 2 && significand(6.5) == 1.625 && frexp(6.5) == (0.8125, 3) && ldexp(0.8125, 3) == 6.5
    @test modf(-2.25) == (-0.25, -2.0)
    @test floatmax(Float32) == Float32((2.0 - 2.0^-23) * 2.0^127) && floatmin(Float64) == 2.0^-1022
    @test issubnormal(5.0e-324) && !issubnormal(floatmin())
    @test muladd(2, 3, 4) === 10 && fma(0.1, 10.0, -1.0) == 2.0^-54
    @test sqrt(2) == 1.4142135623730951 && cbrt(27) == 3.0 && hypot(3, 4) == 5.0
    @test exp(0) === 1.0 && exp2(10) === 1024.0 && exp10(3) === 1000.0 && expm1(1e-20) == 1e-20
    @test log2(8) === 3.0 && log10(1000) === 3.0 && log(2, 8) == 3.0 && log1p(1e-20) == 1e-20
    @test sinpi(1) === 0.0 && cospi(0.5) === 0.0 && sind(30) === 0.5 && cosd(60) === 0.5 && tand(45) === 1.0
    @test atan(1, -1) == 3pi / 4 && atan(-0.0, -1.0) == -Float64(π) && asin(1.0) == pi / 2
    @test sincos(0.0) == (0.0, 1.0) && rad2deg(pi) == 180.0 && deg2rad(180) == Float64(pi)
    @test mod2pi(-pi / 2) ≈ 3pi / 2 && rem2pi(7.0, RoundNearest) ≈ 7.0 - 2pi
    @test sin(Float32(1)) isa Float32 && exp(Float16(1)) === Float16(ℯ)
    @test_throws DomainError log(-1)
    @test_throws DomainError sin(Inf)
    @test_throws DomainError asin(2)
    @test_throws DomainError exponent(0.0)
end

@testset "rounding" begin
    @test round(2.5) == 2 && round(3.5) == 4 && round(-2.5, RoundNearestTiesAway) == -3 && round(-2.5, RoundNearestTiesUp) == -2
    @test round(Int, 1e15 + 0.5) == 1000000000000000 && ceil(Int8, 1.2) === Int8(2) && trunc(UInt8, 3.9) === 0x03
    @test round(123.456; digits = 2) == 123.46 && round(123.456; sigdigits = 2) == 120.0 && round(1234, digits = -2) == 1200
    @test floor(-1.25; digits = 1) == -1.3 && round(0.6, base = 2, digits = 1) == 0.5
    @test_throws InexactError round(Int8, 200.0)
    @test_throws InexactError trunc(Int, NaN)
    @test isapprox(1.0, 1.0 + 1e-9) && !isapprox(1.0, 1.1) && isapprox(0.0, 1e-12; atol = 1e-10) && 1.1 ≈ 1.1f0
    @test isapprox(NaN, NaN; nans = true) && NaN ≉ NaN
end
