# Derivatives of loops and lanes where other systems give NaN, refuse or cut the time short; values by closed forms.
using Test, Weft, Zygote, LinearAlgebra

logarithm(x) = x > 0 ? log(x) : zero(x)
length_or_one(r) = (n = norm(r); n > 0.5 ? n : 1.0)

@testset "derivatives of loops" begin
    @testset "the branch that is not taken" begin
        slope(x) = (g = gradient(logarithm, x)[1]; g === nothing ? 0.0 : g)
        @test pfor(slope, [1.0, 0.0]) == [1.0, 0.0]
        A = [1.0 2.0; 3.0 4.0; 0.0 0.0]
        expected = [1/sqrt(5) 2/sqrt(5); 0.6 0.8; 0.0 0.0]
        function by_loop(A)
            s = 0.0
            for i in axes(A, 1)
                s += length_or_one(A[i, :])
            end
            s
        end
        @test gradient(by_loop, A)[1] ≈ expected
        @test gradient(A -> sum(pfor(length_or_one, eachrow(A))), A)[1] ≈ expected
    end

    @testset "through every step" begin
        for T in 1:8
            function recurrence(w)
                h = 0.0
                for x in 1:T
                    h = h * w + x
                end
                h
            end
            # h = Σ k w^(T-k)
            @test gradient(recurrence, 0.5)[1] ≈ sum((T - k) * k * 0.5^(T - k - 1) for k in 1:T)
        end
    end

    @testset "loops in lanes" begin
        function ten_more(x)
            for _ in 1:10
                x = x + 1
            end
            x
        end
        function squared(x)
            for _ in 1:4
                x = x .^ 2
            end
            x
        end
        @test pfor(ten_more, [1.0, 2.0, 3.0]) == [11.0, 12.0, 13.0]
        # x^16
        @test jacobian(squared, [1.1, 1.0])[1] ≈ [16 * 1.1^15 0.0; 0.0 16.0]
        @test pfor(x -> gradient(squared, x)[1], [1.1, 1.0]) ≈ [16 * 1.1^15, 16.0]
        # Windows whose place the lane decides.
        v = collect(0.0:9.0)
        @test pfor(i -> sum(v[2i-1:2i+1]), 4) == [3.0, 9.0, 15.0, 21.0]
        # The gradient of (w ⋅ x - 1)^2 by w for each column x.
        @test pfor(x -> gradient(w -> (dot(w, x) - 1)^2, [2.0, 1.0])[1], [1.0 0.0; 0.5 4.0]) ≈ [3.0 0.0; 1.5 24.0]
        # The sum of (w ⋅ x)^2, and its gradient 2 (w ⋅ x) x.
        @test gradient(w -> sum(pfor(x -> dot(w, x)^2, [1.0 0.0; 0.5 4.0])), [2.0, 1.0])[1] ≈ [5.0, 34.5]
        function power(x, n)
            p = 1.0
            for _ in 1:n
                p *= x
            end
            p
        end
        @test pfor(n -> gradient(x -> power(x, n), 2.0)[1], [1, 2, 3]) ≈ [1.0, 4.0, 12.0]
    end

    @testset "second derivatives" begin
        # Σ x[i]^2 x[i+1]
        function neighbours(x)
            s = 0.0
            for i in 1:length(x)-1
                s += x[i]^2 * x[i+1]
            end
            s
        end
        expected = [4.0 2.0 0.0; 2.0 6.0 4.0; 0.0 4.0 0.0]
        @test hessian(neighbours, [1.0, 2.0, 3.0]) == expected
        @test Zygote.hessian_reverse(neighbours, [1.0, 2.0, 3.0]) == expected
        @test Zygote.diaghessian(neighbours, [1.0, 2.0, 3.0]) == ([4.0, 6.0, 0.0],)
    end

    @testset "what holds the numbers" begin
        nested = gradient(p -> p.a * sum(p.b.c), (a = 2.0, b = (c = [1.0, 2.0],)))[1]
        @test nested == (a = 3.0, b = (c = [2.0, 2.0],))
        @test gradient(r -> r[]^2, Ref(3.0))[1].x == 6.0
        # A \ b by hand: x = [1/2, 1/2], A'λ = 1, the gradients -λx' and λ.
        @test all(gradient((A, b) -> sum(A \ b), [2.0 0.0; 0.0 4.0], [1.0, 2.0]) .≈ ([-0.25 -0.25; -0.125 -0.125], [0.5, 0.25]))
        @test gradient(det, [2.0 1.0; 1.0 4.0])[1] ≈ [4.0 -1.0; -1.0 2.0]
    end

    @testset "no elements, one row" begin
        @test size(jacobian(v -> 2 .* v, Float64[])[1]) == (0, 0)
        @test gradient(A -> sum(A .^ 2), zeros(0, 7)) == (zeros(0, 7),)
        @test gradient(A -> sum(A .^ 2), fill(3.0, 1, 4)) == (fill(6.0, 1, 4),)
    end
end
