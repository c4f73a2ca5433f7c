# Recursion without end is an error soon, whoever runs it; deep recursion that ends does so.
using Test

endless(x::Vector, n) = n == -1 ? 0.0 : sum(x .+ endless(x .* 2, n + 1))
to(n) = n == -1 ? 0 : fro(n + 1) + 1
fro(n) = n == -1 ? 1 : to(n + 1) + 2
function counts(d)
    d[1] += 1.0
    s = sum(d)
    return s + counts(d)
end
function fails_deep(v, i)
    i == 1000 && return v[length(v) + i]
    s = sum(v)
    return s + fails_deep(v, i + 1)
end
longer(x, n) = n == 0 ? 0 : 1 + longer((x, 1), n - 1)
depth_of(x::Vector, n) = n == 0 ? sum(x) : 1.0 + depth_of(x, n - 1)

@testset "recursion without end" begin
    @test_throws StackOverflowError endless([1.0, 2.0], 0)
    @test_throws StackOverflowError to(0)
    # What was done before counts.
    d = [0.0]
    @test_throws StackOverflowError counts(d)
    @test d[1] > 1000
end

@testset "recursion that ends" begin
    @test_throws BoundsError fails_deep([1.0, 2.0], 0)
    @test depth_of([1.0, 2.0], 20000) == 20003.0
    @test longer(1, 20) == 20
    @test endless([1.0, 2.0], -1) == 0.0
    @test endless([1.0, 2.0], -2) == 3.0
end
