# The names of ForwardDiff, by hand.
using Test, ForwardDiff, LinearAlgebra

rosenbrock(x) = (1 - x[1])^2 + 100 * (x[2] - x[1]^2)^2
slope(x) = ForwardDiff.derivative(t -> t^2 * exp(t), x)

@testset "ForwardDiff" begin
    @test ForwardDiff.derivative(sin, 0.0) == 1.0 && ForwardDiff.derivative(x -> 2.0, 1.0) == 0.0 && slope(1.0) ≈ 3exp(1)
    @test ForwardDiff.derivative(x -> [x, x^2], 3.0) == [1.0, 6.0]
    @test ForwardDiff.derivative(x -> ForwardDiff.derivative(y -> y^4, x), 2.0) == 48.0
    x = [-1.0, 2.0]
    g = [-2 * (1 - x[1]) - 400 * x[1] * (x[2] - x[1]^2), 200 * (x[2] - x[1]^2)]
    H = [2 - 400 * (x[2] - 3x[1]^2) -400x[1]; -400x[1] 200]
    @test ForwardDiff.gradient(rosenbrock, x) ≈ g && ForwardDiff.hessian(rosenbrock, x) ≈ H
    @test ForwardDiff.gradient(x -> 1.0, x) == [0.0, 0.0] && ForwardDiff.gradient(x -> sum(x .^ 2), [1, 2]) == [2, 4]
    @test ForwardDiff.jacobian(x -> [x[1] * x[2], x[1]^2, x[2]], x) == [2 -1; -2 0; 0 1]
    @test ForwardDiff.jacobian((y, x) -> (y[1] = x[1] * x[2]; y[2] = x[2]^2; nothing), zeros(2), x) == [2 -1; 0 4]
    out = zeros(2)
    @test ForwardDiff.gradient!(out, rosenbrock, x) === out && out ≈ g
    square = zeros(2, 2)
    @test ForwardDiff.hessian!(square, rosenbrock, x) === square && square ≈ H
    config = ForwardDiff.GradientConfig(rosenbrock, x, ForwardDiff.Chunk{2}())
    @test ForwardDiff.gradient(rosenbrock, x, config) ≈ g
    # Newton's method.
    solve(x) = (for _ in 1:20; x = x - ForwardDiff.hessian(rosenbrock, x) \ ForwardDiff.gradient(rosenbrock, x); end; x)
    @test solve(x) ≈ [1, 1]
    @test_throws DimensionMismatch ForwardDiff.gradient(x -> 2x, x)
    @test_throws DimensionMismatch ForwardDiff.derivative(sum, x)
    @test_throws DimensionMismatch ForwardDiff.jacobian(sum, x)
end
