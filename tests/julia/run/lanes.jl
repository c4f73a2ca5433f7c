# pfor: functions of one example for many, against loops.
using Test, Weft, Zygote, LinearAlgebra

loss(w, x) = (s = dot(w, x); s > 0 ? s^2 : -s)

@testset "pfor" begin
    X = [1.0 -2.0 3.0; 0.5 4.0 -1.0]
    w = [2.0, 1.0]
    @test pfor(x -> x^2 + 1, [1.0, 2.0, 3.0]) == [2.0, 5.0, 10.0]
    @test pfor(i -> i * (i + 1) ÷ 2, 4) == [1, 3, 6, 10]
    @test pfor(x -> sum(abs2, x), X) == vec(sum(abs2, X, dims = 1))
    @test pfor(x -> 2x, eachcol(X)) == 2X && pfor(sum, eachrow(X)) == vec(sum(X, dims = 2))
    @test pfor((a, b) -> a * b, [1.0, 2.0], [3.0, 4.0]) == [3.0, 8.0]
    @test pfor(x -> (sum(x), 2x), X) == (vec(sum(X, dims = 1)), 2X)
    @test vmap(x -> x .+ w, X) == X .+ w
    # Each example's gradient.
    g = pfor(x -> gradient(v -> loss(v, x), w)[1], eachcol(X))
    @test g == reduce(hcat, [gradient(v -> loss(v, x), w)[1] for x in eachcol(X)])
    # Loops that lanes leave at different steps.
    function steps(n)
        k = 0
        while n != 1
            n = isodd(n) ? 3n + 1 : n ÷ 2
            k += 1
        end
        k
    end
    @test pfor(steps, 8) == [0, 1, 7, 2, 5, 8, 16, 3]
    # Lanes in lanes, and a Jacobian row by row.
    @test pfor(x -> pfor(y -> x * y, [1.0, 2.0]), [1.0, 2.0, 3.0]) == [1.0 2.0 3.0; 2.0 4.0 6.0]
    f(x) = [x[1] * x[2], sin(x[1]), x[2]^3]
    x = [0.5, 2.0]
    J = pfor(i -> gradient(v -> f(v)[i], x)[1], 3)
    @test J' == jacobian(f, x)[1]
    # Inside of compiled functions, and under a derivative.
    total(v) = sum(pfor(x -> x^3, v))
    @test total([1.0, 2.0]) == 9.0 && gradient(total, [1.0, 2.0]) == ([3.0, 12.0],)
    # What is not compiled runs lane by lane.
    seen = Dict{Float64,Int}()
    @test pfor(x -> (seen[x] = 1; 2x), [1.0, 2.0]) == [2.0, 4.0] && length(seen) == 2
    @test gradient(v -> (print(""); sum(pfor(x -> x^3, v))), [1.0, 2.0]) == ([3.0, 12.0],)
    @test_throws DimensionMismatch pfor(+, [1.0, 2.0], [1.0])
    @test pfor(x -> 2x, Float64[]) == Float64[]
    @testset "slices" begin
        A = reshape(collect(1.0:24.0), 2, 3, 4)
        for k in 1:3
            slices = eachslice(A; dims = k)
            @test pfor(sum, slices) == map(sum, slices) && pfor(m -> 2 .* m, slices) == stack(map(m -> 2 .* m, slices))
        end
        @test permutedims(pfor(m -> 2 .* m, eachslice(A; dims = 1)), (3, 1, 2)) == 2 .* A
        @test_throws ArgumentError pfor(sum, eachslice(A; dims = (1, 2)))
    end
end
