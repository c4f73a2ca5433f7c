# Rules of a program's own, in compiled code and on the host: their factors are wrong on purpose, so that no derivative of the code itself gives them.
using Test, Zygote, ChainRulesCore

scaled(x) = x^2
ChainRulesCore.rrule(::typeof(scaled), x) = scaled(x), dy -> (NoTangent(), 100 * dy * x)
times(A, v) = A * v
ChainRulesCore.rrule(::typeof(times), A, v) = times(A, v), dy -> (NoTangent(), dy * v', 2 * (A' * dy))
power(x, k) = x^k
ChainRulesCore.rrule(::typeof(power), x, k::Int) = power(x, k), dy -> (NoTangent(), 7k * dy, NoTangent())
same(x, y) = x + y
ChainRulesCore.rrule(::typeof(same), x, y) = x + y, dy -> (NoTangent(), dy, dy)
kept(x) = sum(x)
ChainRulesCore.rrule(::typeof(kept), x) = (y = sum(x); (y, dy -> (NoTangent(), x .* (y * dy))))
partly(x, y) = x * y
ChainRulesCore.rrule(::typeof(partly), x, y) = x * y, dy -> (NoTangent(), ZeroTangent(), 5.0)
declined(x) = 3x
ChainRulesCore.rrule(::typeof(declined), x) = nothing
fixed(x) = 2x
ChainRulesCore.@non_differentiable fixed(::Any)
clipped(x) = clamp.(x, 0, 6)
Zygote.@adjoint clipped(x) = clipped(x), d -> (d .* ((x .> 0) .& (x .< 6)) .* 10,)
pair(x) = (x, x^2)
ChainRulesCore.rrule(::typeof(pair), x) = pair(x), d -> (NoTangent(), 10d[1] + 20d[2])
keyed(x; a = 1) = a * x
ChainRulesCore.rrule(::typeof(keyed), x; a = 1) = keyed(x; a), dy -> (NoTangent(), 50a * dy)
struct Scale
    w::Float64
end
(s::Scale)(x) = s.w * x
ChainRulesCore.rrule(s::Scale, x) = s(x), dy -> (Tangent{Scale}(; w = 5dy), 6dy)
with_table(x) = scaled(x)
ChainRulesCore.rrule(::typeof(with_table), x) = (d = Dict(1 => x); (d[1]^2, dy -> (NoTangent(), 30dy)))

slope(f, x) = gradient(f, x)[1]
repeated(x) = (for i in 1:3; x = scaled(x); end; x)

@testset "rules" begin
    @testset "numbers and arrays" begin
        @test gradient(scaled, 3.0) == (300.0,) && slope(scaled, 3.0) == 300.0 && gradient(scaled, 3.0f0) === (300.0f0,)
        @test gradient(repeated, 1.1)[1] ≈ 100 * 1.1 * 100 * 1.1^2 * 100 * 1.1^4
        @test gradient((A, v) -> sum(times(A, v) .^ 2), [1.0 2; 3 4], [1.0, 1.0]) == ([6.0 6; 14 14], [96.0, 136.0])
        @test gradient(x -> power(x, 3), 2.0) == (21.0,) && gradient(kept, [1.0, 2.0]) == ([3.0, 6.0],)
        @test gradient((x, y) -> sum(same(x, y) .* x), [1.0, 2.0], [3.0, 4.0]) == ([5.0, 8.0], [1.0, 2.0])
        @test gradient((x, y) -> partly(x, y) + x, 1.0, 2.0) == (1.0, 5.0)
        @test gradient(declined, 2.0) == (3.0,) && gradient(x -> x * fixed(x), 3.0) == (6.0,) && slope(x -> x * fixed(x), 3.0) == 6.0
        @test gradient(x -> sum(abs2, clipped(x)), [-1.0, 2.0, 7.0]) == ([0.0, 40.0, 0.0],)
        @test gradient(x -> sum(scaled.(x)), [1.0, 2.0]) == ([100.0, 200.0],)
        @test gradient(x -> sum(map(scaled, x)), collect(1.0:100.0))[1] == 100.0:100.0:10000.0
        @test jacobian(x -> [scaled(x[1]), x[2]], [3.0, 1.0]) == ([300.0 0; 0 1],)
    end
    @testset "second derivatives" begin
        @test gradient(x -> gradient(scaled, x)[1], 3.0) == (100.0,) && hessian(x -> scaled(x[1]), [3.0]) == [100.0;;]
        # The rule holds for the values in the first derivative as well: that is 10^6 c b x of b = x^2 and c = b^2, whose derivatives are
        # 100 x and 100 b 100 x.
        @test gradient(x -> slope(repeated, x), 1.1)[1] ≈ 10^6 * (10^4 + 100 + 1) * 1.1^6
        @test gradient(x -> slope(y -> scaled(y) * y, x), 2.0)[1] ≈ 100 * 2 * 2.0 + 100 * 2.0
    end
    @testset "by the host" begin
        @test gradient(x -> sum(pair(x)), 3.0) == (30.0,) && gradient(x -> keyed(x; a = 2), 3.0) == (100.0,)
        @test gradient((s, x) -> s(x), Scale(2.0), 3.0) == ((w = 5.0,), 6.0)
        @test gradient(with_table, 3.0) == (30.0,) && slope(with_table, 3.0) == 30.0
    end
end
