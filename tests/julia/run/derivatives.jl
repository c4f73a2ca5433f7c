# Derivatives where other systems are known to fail or to be slow, values by hand; rules of one's own, implicit parameters, constants.
using Test, Zygote, ChainRulesCore, LinearAlgebra

# Σ c[k] x^(k-1), from the last coefficient on, through an array that the loop writes.
function horner(c, x)
    n = length(c)
    s = zeros(n)
    s[n] = c[n]
    for i in n-1:-1:1
        s[i] = s[i+1] * x + c[i]
    end
    s[1]
end

function odd_powers(x)
    s, p = 0.0, x
    for _ in 1:2:19
        abs(p) < 1e-8 && return s
        s += p
        p *= x * x
    end
    s
end

function window(x, v)
    k = round(Int, 4x)
    x * sum(v[max(1, k - 1):min(length(v), k + 1)])
end

function fourfold(x)
    for _ in 1:4
        x = x^2
    end
    x
end

cube(x) = x^3
Zygote.@adjoint cube(x) = cube(x), dy -> (100dy * x,)

scaled(a, x) = a .* x
function ChainRulesCore.rrule(::typeof(scaled), a, x)
    back(dy) = (NoTangent(), 7 * sum(dy .* x), ZeroTangent())
    return scaled(a, x), back
end

noted(x) = x^2
@non_differentiable noted(::Any)

W = [1.0 2.0; 3.0 4.0]
b = [0.5, -0.5]
const fixed = [2.0, 3.0]

@testset "derivatives" begin
    @testset "arrays that are written to" begin
        function squares(x)
            r = zeros(3)
            for i in 1:3
                r[i] = x[i]^2
            end
            r
        end
        @test jacobian(squares, [1.0, 2.0, 3.0]) == ([2.0 0 0; 0 4 0; 0 0 6],)
        function column(x)
            a = zeros(2, 2)
            a[:, 1] .= x
            sum(a .^ 2)
        end
        @test withgradient(column, [3.0, 4.0]) == (val = 25.0, grad = ([6.0, 8.0],))
        function taken(ys)
            x = zeros(3)
            for i in 1:3
                x[i] = ys[i]
            end
            x
        end
        @test taken([1.0, 2.0, 3.0]) == [1, 2, 3] && jacobian(taken, [1.0, 2.0, 3.0])[1] == I
        c, x = [1.0, 2.0, 3.0, 4.0, 5.0], 0.5
        @test horner(c, x) == 3.5625
        @test gradient(horner, c, x) == ([0.5^k for k in 0:4], 10.5)
        # Twice the coefficients take about twice the time.
        function seconds(n)
            c = ones(n)
            gradient(horner, c, 0.5)
            minimum(@elapsed(gradient(horner, c, 0.5)) for _ in 1:7)
        end
        @test seconds(40000) < 6 * max(seconds(10000), 1e-4)
    end

    @testset "arguments" begin
        x = [1.0, 2.0]
        @test gradient((a, b) -> sum(a) + 2sum(b), x, x) == ([1.0, 1.0], [2.0, 2.0])
        @test gradient((a, b) -> (print(""); sum(a) + 2sum(b)), x, x) == ([1.0, 1.0], [2.0, 2.0])
    end

    @testset "views and ranges" begin
        @test gradient(v -> sum(abs2, v), view([1.0, 2.0, 3.0], 1:2)) == ([2.0, 4.0],)
        @test gradient(sum, 1.0:3.0) == ([1.0, 1.0, 1.0],) && gradient(r -> sum(abs2, r), 1:3) == ([2.0, 4.0, 6.0],)
        @test gradient((v, r) -> sum(v[r]), [1.0, 2.0, 3.0], 2:3)[1] == [0.0, 1.0, 1.0]
    end

    @testset "loops and branches" begin
        @test withgradient(odd_powers, 1.0) == (val = 10.0, grad = (100.0,))
        v, g = withgradient(odd_powers, 0.1)
        @test v ≈ 0.1010101 atol = 1e-7
        @test g[1] ≈ 1.030507 atol = 1e-6
        values = [withgradient(x -> window(x, collect(1.0:8.0)), x) for x in (0.0, 0.1, 0.3, 0.5, 0.9)]
        @test [r.val for r in values] ≈ [0, 0.1, 0.9, 3, 10.8]
        @test [r.grad[1] for r in values] == [1, 1, 3, 6, 12]
        @test fourfold(1.1) ≈ 4.594972986 && gradient(fourfold, 1.1)[1] ≈ 66.83597071
        @test gradient(x -> gradient(fourfold, x)[1], 1.1)[1] ≈ 911.3996006 && hessian(fourfold, 1.1) ≈ 911.3996006
        k(u, t) = gradient(u -> exp(t) * u, u)[1]
        @test k(1.0, 0.0) == 1 && k(1.0, 1.0) ≈ exp(1)
        root(a) = (x = a; y = (x + 1) / 2; while abs(y - x) >= 1e-12; x, y = y, (y + a / y) / 2; end; y)
        @test root(2.0) ≈ sqrt(2) && gradient(root, 2.0)[1] ≈ 0.5 / sqrt(2)
        @test gradient(x -> x > 0 ? log(x) : zero(x), 0.0) == (0.0,) || gradient(x -> x > 0 ? log(x) : zero(x), 0.0) == (nothing,)
        half(h) = (s = 0.0; for x in (1.0, 2.0, 3.0); s = h * s + x; end; s)
        @test half(0.5) == 4.25 && gradient(half, 0.5) == (3.0,)
    end

    @testset "ties and kinks" begin
        @test gradient(max, 1.0, 1.0) == (0.5, 0.5) && gradient(maximum, [1.0, 1.0, 0.0]) == ([0.5, 0.5, 0.0],)
        @test gradient(abs, 0.0) == (0.0,) && isnan(gradient(x -> sqrt(x^2), 0.0)[1])
        @test gradient((x, y) -> (print(""); max(x, y)), 1.0, 1.0) == (0.5, 0.5)
    end

    @testset "complex numbers" begin
        # Gradients point where the value grows.
        g = gradient(z -> imag(exp(z)), 1.0 + 0im)[1]
        @test g ≈ exp(1) * im
        @test gradient(abs2, 3.0 + 4.0im) == (6.0 + 8.0im,) && gradient(z -> real(z^2), 1.0 + 2.0im)[1] ≈ 2.0 - 4.0im
        @test gradient(v -> sum(abs2, v), [1.0 + 2im, 3.0im]) == ([2.0 + 4im, 6.0im],)
        @test_throws ErrorException gradient(z -> z^2, 1.0im)
        # By one part only.
        @test gradient(imag, 3.0 + 3.0im) == (1.0im,) && gradient(real, 3.0 + 1im) == (1.0 + 0im,)
        @test gradient(z -> imag(z)^2, 3.0 + 4.0im) == (8.0im,) && gradient(z -> real(z)^2, 3.0 + 4.0im) == (6.0 + 0im,)
        of_imaginary(z) = gradient(w -> imag(w)^2, z)  # a gradient inside compiled code
        @test of_imaginary(3.0 + 4.0im) == (8.0im,)
        @test gradient(z -> 2.0, 1.0im) == (nothing,)
        @test gradient(z -> real((1 + 3im) * z^2), 5 + 7im) == (-32.0 - 44.0im,)
        @test gradient(v -> sum(abs2, v), [1 + 2im, 3]) == ([2.0 + 4.0im, 6.0],)
    end

    @testset "integers" begin
        # Those that a function captures stay integers, those it is given are numbers to differentiate by.
        corner(i, j, xs) = gradient(v -> hvcat((i, j), v...)[1, 1], xs)[1]
        first_sum(t, xs) = gradient(v -> sum(v[1:t]), xs)[1]
        power(t, x) = gradient(y -> y^t, x)[1]
        turned(x) = gradient(y -> abs((im * y) / im), x)[1]
        for _ in 1:2
            @test corner(2, 2, [1, 2, 3, 4]) == [1, 0, 0, 0]
            @test first_sum(3, [1, 2, 3, 4]) == [1, 1, 1, 0] && first_sum(1, [1, 2]) == [1, 0]
            @test [power(t, 2) for t in 1:4] == [1.0, 4.0, 12.0, 32.0]
            @test turned(2) == 1.0
        end
    end

    @testset "rules of one's own" begin
        @test gradient(cube, 2.0) == (200.0,) && cube(2.0) == 8.0
        @test gradient(x -> 2cube(x) + x, 2.0) == (401.0,)
        @test gradient(v -> sum(map(cube, v)), [1.0, 2.0]) == ([100.0, 200.0],)
        @test gradient((a, x) -> sum(scaled(a, x)), 3.0, [1.0, 2.0]) == (21.0, nothing)
        @test gradient(x -> noted(x) * x, 3.0) == (9.0,)
        @test gradient(x -> x * ignore_derivatives(x), 3.0) == (3.0,) && gradient(x -> x * Zygote.dropgrad(x), 3.0) == (3.0,)
        @test gradient(x -> x * Zygote.ignore(() -> x^2), 3.0) == (9.0,)
        @test gradient(x -> x * @ignore_derivatives(x + 1), 3.0) == (4.0,)
        @test gradient(v -> sum(v .* ignore_derivatives(v)), [2.0, 3.0]) == ([2.0, 3.0],)
        @test gradient(x -> Zygote.hook(d -> 10d, x) * 3, 2.0) == (30.0,)
        @test gradient(x -> Zygote.checkpointed(sin, x) + Zygote.forwarddiff(cos, x), 0.0) == (1.0,)
    end

    @testset "implicit parameters" begin
        x = [1.0, 2.0]
        gs = gradient(() -> sum(abs2, W * x .+ b), Params([W, b]))
        r = W * x .+ b
        @test gs[W] == 2r * x' && gs[b] == 2r
        @test gradient(() -> sum(fixed .^ 2), Params([fixed]))[fixed] == [4.0, 6.0]
        @test gradient(() -> sum(b), Params([W, b]))[W] === nothing
        value, grads = withgradient(() -> (print(""); sum(W)), Params([W]))
        @test value == 10.0 && grads[W] == ones(2, 2)
        W .-= 0.1 .* gs[W]
        @test W ≈ [1.0 2.0; 3.0 4.0] .- 0.1 .* (2r * x')
    end
end
