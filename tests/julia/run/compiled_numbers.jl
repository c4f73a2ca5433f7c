# Functions of run-time numbers that compiled code writes out itself: values of the manual and closed forms.
using Test

# Arguments come through functions, so that compiled code does not know them.
at(f, arguments...) = f(arguments...)

@testset "what is thrown" begin
    below(x) = (if x < 0; y = x + 1; throw(DomainError(y, "y is $y")); end; 2x)
    @test below(3.0) == 6.0
    @test_throws DomainError(-2.0, "y is -2.0") below(-3.0)
    function climbs(x, n)
        for i in 1:n
            if x > 5
                z = x - 1
                error("at $i: ", z, " of $(n)")
            end
            x += i
        end
        return x
    end
    @test climbs(1.0, 2) == 4.0
    @test_throws ErrorException("at 4: 6.0 of 10") climbs(1.0, 10)
    never(n) = (for i in 1:n; throw(ArgumentError("turn $i")); end; n)
    @test never(0) == 0
    @test_throws ArgumentError("turn 1") never(2)
    shape(a, b) = length(a) == length(b) ? sum(a .* b) : throw(DimensionMismatch("lengths $(length(a)) and $(length(b)), " * repr(a[1])))
    @test shape([1, 2], [3, 4]) == 11
    @test_throws DimensionMismatch("lengths 2 and 1, 1") shape([1, 2], [3])
    label(x) = (name = x > 0 ? "positive" : "other"; note = "x = $x"; x > 100 && throw(ArgumentError("$name, $note")); x + 1)
    @test label(5) == 6
    @test_throws ArgumentError("positive, x = 101") label(101)
    early(x) = (x > 0 && return x; y = -x; throw(DomainError(y, "early")))
    @test early(2) == 2
    @test_throws DomainError(3, "early") early(-3)
end

@testset "ranges of floats" begin
    steps(a, s, b) = (r = a:s:b; (length(r), r[1], r[end], sum(r)))
    @test steps(0.0, 0.25, 1.0) == (5, 0.0, 1.0, 2.5)
    @test steps(1.0, -0.5, -1.0) == (5, 1.0, -1.0, 0.0)
    third(a, s, b) = (a:s:b)[3]
    @test third(0.1, 0.1, 0.5) === 0.3 && third(0.0, 0.1, 1.0) === 0.2 && third(0f0, 0.1f0, 1f0) === 0.2f0
    @test at((a, s, b) -> collect(a:s:b), 0.1, 0.1, 0.3) == [0.1, 0.2, 0.3]
    @test at((a, s, b) -> length(a:s:b), 1.0, 0.1, 2.0) == 11
    @test at((a, s, b) -> length(a:s:b), 0.0, 0.1, 0.95) == 10
    @test at((a, b) -> length(a:b), 1.5, 5.5) == 5 && at((a, b) -> isempty(a:b), 2.0, 1.0)
    @test at((a, b, n) -> range(a, b; length = n)[4], 0.0, 1.0, 11) === 0.3
    @test at((a, b, n) -> collect(range(a, b; length = n)), -1.0, 1.0, 5) == [-1, -0.5, 0, 0.5, 1]
    @test at((a, s, n) -> range(a; step = s, length = n)[end], 0.0, 0.1, 4) === 0.3
    @test at((x, n) -> sum(x * (1:n)), 0.5, 4) === 5.0
    area(n) = sum(sqrt(1 - x^2) for x in range(0.0, 1.0; length = n)) / n
    @test area(2001) ≈ π / 4 atol = 1e-3
    @test_throws ArgumentError third(0.0, 0.0, 1.0)
    @test_throws BoundsError third(0.0, 0.5, 0.5)
    @test_throws BoundsError at((a, i) -> (a:5)[i], 3, 4)
    @test_throws BoundsError at((a, i) -> (a:2:9)[i], 1, 0)
    @test Base.TwicePrecision(0.1, 0.0) * 10 == Base.TwicePrecision(1.0, 5.551115123125783e-17)
end

@testset "fma and rounding" begin
    @test at(fma, 0.1, 10.0, -1.0) === 5.551115123125783e-17      # 0.1 is that much more than a tenth, times 10
    @test at(fma, 2.0, 3.0, 4.0) === 10.0 && at(fma, 2, 3, 4) === 10 && at(fma, Inf, 2.0, 1.0) === Inf
    @test at(fma, 1f0 + eps(1f0), 1f0 - eps(1f0), -1f0) === -eps(1f0)^2
    halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    @test [at(round, x, RoundNearestTiesUp) for x in halves] == [-2, -1, -0.0, 1, 2, 3]
    @test [at(round, x, RoundNearestTiesAway) for x in halves] == [-3, -2, -1, 1, 2, 3]
    @test [at(round, x, RoundNearest) for x in halves] == [-2, -2, -0.0, 0, 2, 2]
    @test at(rem, 5.0, 3.0, RoundNearest) === -1.0 && at(rem, 4.0, 3.0, RoundNearest) === 1.0
end

@testset "parts of floats" begin
    @test at(exponent, 6.5) == 2 && at(exponent, -0.25) == -2 && at(exponent, 5e-324) == -1074 && at(exponent, 6f-8) == -24
    @test at(significand, 12.3) === 1.5375 && at(significand, -0.0) === -0.0
    @test at(frexp, 6.0) === (0.75, 3) && at(ldexp, 5.0, 2) === 20.0 && at(ldexp, 1.0, -1074) === 5e-324 && at(ldexp, 1.0, 2000) === Inf
    @test at(modf, 3.5) === (0.5, 3.0) && at(modf, -3.5) === (-0.5, -3.0) && isequal(at(modf, -Inf), (-0.0, -Inf))
    @test at(eps, 1.0) === 2.220446049250313e-16 && at(eps, 1000.0) === 1.1368683772161603e-13 && at(eps, 1f0) === 1.1920929f-7
    @test at(eps, Float16(65504)) === Float16(32) && at(eps, 0.0) === 5e-324 && isnan(at(eps, Inf))
    @test at(nextfloat, 1.0, 2) === 1.0000000000000004 && at(prevfloat, 0.0, 1) === -5e-324 && at(nextfloat, floatmax(), 3) === Inf
    @test at(nextfloat, Float16(1)) === Float16(1.001) && at(prevfloat, Float16(0)) === -Float16(6e-8)
    @test at(x -> reinterpret(UInt64, x), 1.0) === 0x3ff0000000000000 && at(u -> reinterpret(Float32, u), 0x40490fdb) === Float32(π)
    @test at(issubnormal, 1e-310) && !at(issubnormal, 1.0)
    @test at(hypot, 2.0, 3.0, 6.0) === 7.0
end

@testset "turns" begin
    @test at(sinpi, 1.0) === 0.0 && at(cospi, 0.5) === 0.0 && at(sinpi, 0.5) === 1.0 && at(cospi, 1.0) === -1.0
    @test at(sincospi, 0.25) == (sqrt(0.5), sqrt(0.5)) && at(sinpi, 1 / 6) ≈ 0.5
    @test at(sind, 180) == 0 && at(cosd, 90) == 0 && at(cosd, 60) ≈ 0.5 && at(tand, 45) == 1
    @test at(mod2pi, 9 * pi / 4) ≈ 0.7853981633974481
    @test at(log, 2, 8) === 3.0 && at(log, 10.0, 1e3) ≈ 3
    @test_throws DomainError at(sinpi, Inf)
end

@testset "integers" begin
    @test at(gcd, 6, 9) == 3 && at(gcd, -4, 6) == 2 && at(lcm, 4, 6) == 12 && at(gcd, 0x0c, 0x12) === 0x06
    @test at(gcdx, 12, 42) == (6, -3, 1) && at(gcdx, 240, 46) == (2, -9, 47)
    @test at(invmod, 2, 5) == 3 && at(invmod, 2, 3) == 2 && at(invmod, 5, 6) == 5
    @test at(powermod, 2, 6, 5) == 4 && at(powermod, 5, 2, 19) == 6 && at(powermod, 5, 3, 19) == 11 && at(powermod, 3, -1, 7) == 5
    @test at(binomial, 5, 3) == 10 && at(binomial, -5, 3) == -35 && at(factorial, 6) == 720 && at(factorial, 20) == 2432902008176640000
    @test_throws OverflowError at(factorial, 21)
    @test_throws OverflowError at(Base.checked_mul, typemax(Int), 2)
    @test at(ndigits, 0) == 1 && at(ndigits, 12345) == 5 && at(n -> ndigits(n; base = 16), 1022) == 3 && at(ndigits, -123) == 3
    @test at(isqrt, 24) == 4 && at(isqrt, 25) == 5 && at(isqrt, typemax(Int)) == 3037000499
    @test at(bswap, 10) === 720575940379279360 && at(bitreverse, 0x8080808080808080) === 0x0101010101010101
    @test at(bitrotate, 0xb4, 2) === 0xd2 && at(bitrotate, 0xb4, -2) === 0x2d
    @test at(trailing_zeros, 8) == 3 && at(trailing_ones, 3) == 2 && at(leading_ones, UInt32(2^32 - 2)) == 31
    # a signed and an unsigned one
    @test at(div, typemax(UInt64), -1) === -typemax(UInt64) && at(div, -7, 0x02) === Int64(-3) && at(fld, -7, UInt64(2)) === -4
    @test at(cld, UInt64(7), 2) === UInt64(4) && at(rem, -7, 0x02) === -1 && at(mod, -7, UInt64(5)) === UInt64(3) && at(mod, UInt64(7), -5) === -3
    @test_throws DivideError at(div, -7, 0x00)
    @test at(div, true, true) === true
    @test_throws DivideError at(rem, true, false)
    @test at(signed, 0xffffffffffffffff) === -1 && at(unsigned, Int8(-1)) === 0xff && at(%, 300, UInt8) === 0x2c
end

@testset "complex functions" begin
    for T in (Float64, Float32)
        z = Complex{T}(0.3, -0.7)
        for (f, inverse) in [(sin, asin), (cos, acos), (sinh, asinh), (cosh, acosh), (tanh, atanh), (tan, atan)]
            @test at(f, at(inverse, z)) ≈ z
            @test typeof(at(inverse, z)) == Complex{T}
        end
    end
    @test at(asin, 2.0 + 0im) ≈ π / 2 + log(2 + sqrt(3)) * im
    @test at(acosh, -1.0 + 0im) ≈ π * im && at(atanh, 1.0im) ≈ π / 4 * im && at(tanh, π / 4 * im) ≈ im
    @test at(sinh, 1.0 + π * im / 2) ≈ cosh(1) * im && at(cosh, 1.0 + π * im) ≈ -cosh(1)
    # both sides of the cuts
    @test at(acos, Complex(2.0, 0.0)) ≈ -at(acos, Complex(2.0, -0.0)) && imag(at(asin, Complex(2.0, -0.0))) < 0
    # infinities
    @test isequal(at(tanh, Complex(Inf, 1.0)), Complex(1.0, 0.0)) && at(acos, Complex(-Inf, 1.0)) == Complex(Float64(π), -Inf)
    @test isequal(at(atanh, Complex(0.0, Inf)), Complex(0.0, π / 2)) && at(asinh, Complex(Inf, Inf)) == Complex(Inf, π / 4)
    @test isequal(at(atanh, Complex(1.0, 0.0)), Complex(Inf, 0.0))
end

@testset "integers of 128 bits" begin
    @test at(widemul, typemax(Int), typemax(Int)) == 85070591730234615847396907784232501249
    @test at((a, b) -> Int128(a) * b % 1000000007, 123456789012, 987654321098) == 474193777
    @test at(n -> (s = Int128(0); for i in 1:n; s += Int128(i)^3; end; s), 10^4) == (Int128(10)^4 * (10^4 + 1) ÷ 2)^2
    @test at(x -> Float64(Int128(x)), 9007199254740993) === 9.007199254740992e15 && at(x -> Int128(x), 1e30) == 1000000000000000019884624838656
    @test_throws InexactError at(x -> Int64(widemul(x, x)), typemax(Int))
    @test_throws InexactError at(x -> UInt128(x), -1)
    @test_throws DivideError at((x, y) -> div(Int128(x), y), 3, 0)
end

# A function of elements that is no whole-tensor form: what was tried before leaves nothing behind.
grains(n) = map(s -> Int128(2)^(s - 1), 1:n)
@testset "powers of 128 bits over a range" begin
    @test grains(3) == Int128[1, 2, 4]
    @test sum(grains(64)) == Int128(typemax(UInt64))
end
