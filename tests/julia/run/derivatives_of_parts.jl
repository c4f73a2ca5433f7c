# Derivatives by arrays of structs, tuples of integers and complex powers, rules for functions of the library and under recursion, by hand.
using Test, Zygote, ChainRulesCore

struct Both
    a::Float64
    b::Float64
end
struct Counted
    n::Int
    x::Float64
end

# As compiled code takes them: derivatives inside of functions.
of_elements(f, x) = gradient(x -> sum(f, x), x)[1]
product_of_parts(t) = gradient(t -> t[1] * t[2], t)[1]
of_counted(c) = gradient(c -> c.n * c.x, c)[1]
reshaped(x, d) = gradient((x, d) -> sum(abs2, reshape(x, d)), x, d)
by_exponent(z, p) = gradient((z, p) -> real(z^p), z, p)
of_arrays(v) = gradient(v -> sum(v[1]) + sum(v[2] .^ 2), v)[1]
of_first_array(v) = gradient(v -> sum(v[1] .^ 2), v)[1]
with_parts(x) = withgradient(x -> (z = 1 ./ x; (sum(z), z)), x)

tenfold(x) = x^2
ChainRulesCore.rrule(::typeof(tenfold), x) = tenfold(x), dy -> (NoTangent(), 10dy)
repeated(n, x) = n == 0 ? tenfold(x) : repeated(n - 1, x) + tenfold(x)
value_and_slope(n, x) = (repeated(n, x), gradient(x -> repeated(n, x), x)[1])
sums_of_slopes(x, n) = (s = 0.0; for i in 1:n; s += gradient(y -> i * tenfold(y), x)[1]; end; s)

sevenfold(x) = tan(x)
Zygote.@adjoint Base.tan(x::Float64) = tan(x), dy -> (7dy,)

@testset "derivatives by parts" begin
    @testset "arrays of structs" begin
        pairs = [(1.0, 2.0), (3.0, 4.0)]
        @test of_elements(t -> t[1] * t[2], pairs) == [(2.0, 1.0), (4.0, 3.0)]
        @test of_elements(first, pairs) == [(1.0, nothing), (1.0, nothing)] && of_elements(last, pairs) == [(nothing, 1.0), (nothing, 1.0)]
        @test of_elements(p -> p.a * p.b^2, [Both(1.0, 2.0), Both(3.0, 4.0)]) == [(a = 4.0, b = 4.0), (a = 16.0, b = 24.0)]
        @test gradient(x -> sum(p -> p.b, x), [Both(1.0, 2.0)]) == ([(a = nothing, b = 1.0)],)
        @test gradient(x -> sum(first, x), [(1, 2), (3, 4)]) == ([(1.0, nothing), (1.0, nothing)],)
        grid = [(i + 0.0, j + 0.5) for i in 1:2, j in 1:3]
        @test gradient(g -> sum(t -> t[1] * t[2], g), grid)[1] == [(j + 0.5, i + 0.0) for i in 1:2, j in 1:3]
        @test gradient(z -> real(z[1][1] * z[2][1]), ([2.0 + 1im], [3.0 + 0im])) == (([3.0 + 0im], [2.0 - 1im]),)
    end
    @testset "arrays of arrays" begin
        @test of_arrays([[1.0, 2.0], [3.0]]) == [[1.0, 1.0], [6.0]] && gradient(v -> sum(v[1] .* v[2]), [[1, 2], [3, 4]]) == ([[3.0, 4.0], [1.0, 2.0]],)
        @test of_first_array([[1.0, 2.0], [3.0]])[1] == [2.0, 4.0]
    end
    @testset "integers in tuples and structs" begin
        @test product_of_parts((3, 4)) == (4.0, 3.0) && product_of_parts((a = 3, b = 4.0)) == (a = 4.0, b = 3.0)
        @test gradient(t -> t[1] * t[2], (3, 4)) == ((4.0, 3.0),)
        @test gradient(t -> sum(inv, collect(t)), (1, 2)) == ((-1.0, -0.25),)
        @test gradient(t -> t.a[1] * t.b, (a = [2, 3], b = 5)) == ((a = [5.0, 0.0], b = 2.0),)
        @test of_counted(Counted(3, 4.0)) == (n = 4.0, x = 3.0)
        # Sizes stay integers.
        @test reshaped([1.0, 2.0, 3.0, 4.0], (2, 2)) == ([2.0, 4.0, 6.0, 8.0], nothing)
    end
    @testset "nothing and zero" begin
        # As Zygote's own tests have it.
        @test gradient(x -> map(+, x, (1, 2, 3))[1], (4, 5, 6)) == ((1.0, nothing, nothing),)
        @test gradient(x -> fill(x, 3)[1].a, (a = 1, b = 2)) == ((a = 1.0, b = nothing),)
        @test gradient(x -> Zygote.ignore(() -> x * x), 1) == (nothing,)
        @test gradient(x -> imag(x + 2.0 * im), 3.0) == (0.0,) && gradient((x, y) -> x > 0 ? y : 2y, 1.0, 2.0) == (nothing, 1.0)
    end
    @testset "lengths at 0" begin
        @test gradient(abs, 0.0 + 0im) == (0.0 + 0im,) && gradient(hypot, 0.0, 0.0) == (0.0, 0.0) && gradient(hypot, 3.0, 4.0)[1] ≈ 0.6
        @test gradient(z -> sum(abs.(z)), [0.0 + 0im, 3.0 + 4im])[1] ≈ [0, 0.6 + 0.8im]
        @test hypot(0.0, 0.0) === 0.0 && hypot(-3.0, 4.0) === 5.0 && isnan(hypot(NaN, 0.0)) && hypot(NaN, Inf) === Inf
    end
    @testset "complex powers" begin
        for (z, p) in ((5.0 + 7im, 2.0), (5.0 + 7im, 2.5), (4.0 + 0im, 2.5), (-2.0 + 0im, 0.5), (1.5 - 2im, -3.0))
            dz, dp = by_exponent(z, p)
            @test dz ≈ conj(p * z^(p - 1)) && dp ≈ real(z^p * log(z))
        end
        @test gradient(z -> imag(z^2.5), 4.0 + 0im)[1] ≈ 20im
        @test gradient(z -> real(z^(1 + 1im)), 2.0 + 1im)[1] ≈ conj((1 + 1im) * (2.0 + 1im)^(1im))
        @test gradient(p -> by_exponent(5.0 + 7im, p)[2], 2.0)[1] ≈ real((5 + 7im)^2 * log(5 + 7im)^2)
    end
    @testset "more than a number" begin
        # The example of withgradient's documentation.
        @test withgradient(x -> (z = 1 ./ x; (sum(z), z)), [1, 2, 4]) == (val = (1.75, [1.0, 0.5, 0.25]), grad = ([-1.0, -0.25, -0.0625],))
        @test with_parts([1.0, 2.0, 4.0]) == (val = (1.75, [1.0, 0.5, 0.25]), grad = ([-1.0, -0.25, -0.0625],))
        @test withgradient(x -> (loss = sum(abs2, x), name = "a", n = 3), [1.0, 2.0]) == (val = (loss = 5.0, name = "a", n = 3), grad = ([2.0, 4.0],))
        @test withgradient(x -> (d = Dict(1 => x); (loss = d[1]^2, kept = 2d[1])), 3.0) == (val = (loss = 9.0, kept = 6.0), grad = (6.0,))
        @test_throws ErrorException withgradient(x -> (x, sum(x)), [1.0, 2.0])
        @test_throws ErrorException gradient(x -> (sum(x), x), [1.0, 2.0])
    end
    @testset "rules" begin
        @test value_and_slope(3, 3.0) == (36.0, 40.0) && sums_of_slopes(3.0, 3) == 60.0
        @test gradient(sevenfold, 0.5) == (7.0,) && gradient(x -> sum(tan.(x)), [0.5, 1.0]) == ([7.0, 7.0],)
    end
    @testset "names of Zygote" begin
        cube(x) = x^3
        @test cube'(2.0) == 12.0 && cube''(2.0) == 12.0 && (x -> 2x)'(1.0) == 2.0
        function squares(x)
            b = Zygote.Buffer(x)
            for i in eachindex(b)
                b[i] = x[i]^2
            end
            b[1] *= 2
            sum(copy(b))
        end
        @test gradient(squares, [1.0, 2.0, 3.0]) == ([4.0, 4.0, 6.0],)
        b = Zygote.Buffer([1.0, 2.0], 2, 3)
        b[:, :] = ones(2, 3)
        @test size(b) == (2, 3) && copy(b) == ones(2, 3)
        @test_throws ErrorException("Buffer is frozen") b[1, 1] = 2.0
        value, back = pullback(x -> x .^ 2, [1.0, 2.0])
        @test value == [1.0, 4.0] && back([1.0, 0.0]) == ([2.0, 0.0],) && back([0.0, 1.0]) == ([0.0, 4.0],)
        @test gradient(x -> x * Zygote.@ignore(x^2), 3.0) == (9.0,)
        @test hessian_reverse(x -> x[1] * x[2]^2, [1.0, 2.0]) == [0 4; 4 2] && diaghessian(x -> sum(x .^ 3), [1.0, 2.0]) == ([6.0, 12.0],)
    end
end
