# Machine numbers: overflow, division, conversion, comparison. Values from the manual and from arithmetic.
using Test

@testset "numbers" begin
    @test typemax(Int64) + 1 == typemin(Int64)
    @test Int8(127) + Int8(1) === Int8(-128)
    @test UInt8(200) + UInt8(100) === 0x2c
    @test 7 ÷ 2 == 3 && -7 ÷ 2 == -3 && fld(-7, 2) == -4 && cld(7, 2) == 4
    @test 7 % 3 == 1 && -7 % 3 == -1 && mod(-7, 3) == 2 && mod1(6, 3) == 3
    @test divrem(7, 2) == (3, 1) && fldmod(-7, 2) == (-4, 1)
    @test 7 / 2 === 3.5 && 1 / 0 === Inf && isnan(0 / 0)
    @test_throws DivideError 1 ÷ 0
    @test 2^10 === 1024 && 2.0^-1 === 0.5 && 2^-1 === 0.5
    @test_throws DomainError (n = -1; 2^n)
    @test_throws DomainError sqrt(-1)
    @test_throws InexactError Int(1.5)
    @test_throws InexactError UInt8(256)
    @test_throws InexactError convert(Int, 1e20)
    @test Int(3.0) === 3 && trunc(Int, 2.9) === 2 && round(Int, 2.5) === 2 && ceil(Int, 2.1) === 3
    @test round(3.14159; digits = 2) == 3.14
    @test round(1234.5; sigdigits = 2) == 1200
    @test 1 + 2.0 === 3.0 && 1.0f0 + 1 === 2.0f0 && Int8(1) + Int16(1) === Int16(2)
    @test typeof(1 // 2 + 1) == Rational{Int64}
    @test 1 == 1.0 && 1 !== 1.0 && isequal(NaN, NaN) && NaN != NaN && -0.0 == 0.0 && !isequal(-0.0, 0.0)
    @test 0.1 + 0.2 != 0.3 && 0.1 + 0.2 ≈ 0.3
    @test gcd(12, 18) == 6 && lcm(4, 6) == 12 && gcdx(240, 46) == (2, -9, 47)
    @test factorial(10) == 3628800 && binomial(10, 3) == 120
    @test bitstring(Int8(-1)) == "11111111" && count_ones(255) == 8 && trailing_zeros(8) == 3
    @test 5 & 3 == 1 && 5 | 3 == 7 && 5 ⊻ 3 == 6 && ~0 == -1 && 1 << 4 == 16 && -8 >> 1 == -4
    @test -1 >>> 63 == 1
    @test 0x0f + 0b1 == 0x10 && 0o17 == 15 && 1_000_000 == 10^6
    @test parse(Int, "42") == 42 && parse(Float64, "1e3") == 1000 && tryparse(Int, "x") === nothing
    @test parse(Int, "ff"; base = 16) == 255 && string(255; base = 2) == "11111111"
    @test_throws ArgumentError parse(Int, "4x")
    @test digits(123) == [3, 2, 1]
    @test clamp(5, 1, 3) == 3 && sign(-2.5) == -1 && abs(typemin(Int8)) == typemin(Int8)
    @test minmax(3, 1) == (1, 3) && max(1, 2.0) === 2.0
    @test eps(1.0) == 2.0^-52 && nextfloat(1.0) == 1 + 2.0^-52 && prevfloat(1.0) == 1 - 2.0^-53
    @test floatmax(Float64) == 1.7976931348623157e308 && floatmin(Float32) == 1.1754944f-38
    @test isinf(Inf) && isfinite(1.0) && !isfinite(NaN)
    @test muladd(2, 3, 4) == 10 && hypot(3, 4) == 5 && cbrt(27) == 3
    @test exp(0) == 1 && log(ℯ) == 1 && log2(8) == 3 && log10(1000) == 3 && log(2, 8) ≈ 3
    @test sin(π / 2) == 1 && cos(0) == 1 && atan(1, 1) ≈ π / 4 && sinpi(1) == 0
    @test sqrt(2) == 1.4142135623730951 && exp(1) == 2.718281828459045
    @test evalpoly(2, (1, 2, 3)) == 17
    @test zero(3.5) === 0.0 && one(Int8) === Int8(1)
    @test widen(Int32(1)) isa Int64 && typemax(UInt8) == 255
    @test string(1.0e-5) == "1.0e-5" && string(100000.0) == "100000.0" && string(1e6) == "1.0e6"
    @test reinterpret(Int64, 1.0) == 4607182418800017408
    @test Bool(1) === true && true + true === 2
    @test 3 in 1:5 && !(6 in 1:5)
end
