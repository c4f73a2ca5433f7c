# Fractions in loops, arrays and branches; values computed with another program's exact fractions.
using Test

function harmonic(n)
    s = 0 // 1
    for i in 1:n
        s += 1 // i
    end
    return s
end

# The Akiyama–Tanigawa algorithm.
function bernoulli(n)
    a = Vector{Rational{Int}}(undef, n + 1)
    for m in 0:n
        a[m+1] = 1 // (m + 1)
        for j in m:-1:1
            a[j] = j * (a[j] - a[j+1])
        end
    end
    return a[1]
end

function continued(v)
    x = v[end] // 1
    for i in length(v)-1:-1:1
        x = v[i] + 1 // x
    end
    return x
end

compare(x, y) = (x < y, x <= y, x == y, max(x, y), min(x, y), x > 1, x >= 2 // 3, x == 0.5, x < 0.25)
convert_each(x) = (float(x), Float32(x), floor(x), ceil(Int, x), round(x), trunc(Int, x), x + 0.5)
arithmetic(x, y) = (x + y, x - y, x * y, x / y, x * 2, 3 - y, x^3, inv(y), -x, abs(x), div(x, y), mod(x, y), rem(x, y))
over(v) = (sum(v), prod(v), maximum(v), v .+ 1, v .* v, sum(x -> x^2, v))

@testset "rationals" begin
    @test harmonic(20) == 55835135 // 15519504
    @test [bernoulli(n) for n in 0:10] == [1, 1 // 2, 1 // 6, 0, -1 // 30, 0, 1 // 42, 0, -1 // 30, 0, 5 // 66]
    @test continued([3, 7, 15, 1, 292]) == 103993 // 33102
    @test compare(3 // 4, 5 // 7) == (false, false, false, 3 // 4, 5 // 7, false, true, false, false)
    @test compare(-3 // 4, -3 // 4) == (false, true, true, -3 // 4, -3 // 4, false, false, false, true)
    # Products beyond 64 bits decide exactly, infinities have an order.
    big = typemax(Int)
    @test compare(big // 2, (big - 2) // 4)[1:3] == (false, false, false)
    @test compare((big - 1) // big, big // (big - 1))[1:3] == (true, true, false)
    @test compare(-1 // 0, 1 // 0)[1:3] == (true, true, false) && compare(1 // 0, 1 // 0)[1:3] == (false, true, true)
    @test convert_each(-7 // 2) == (-3.5, -3.5f0, -4 // 1, -3, -4 // 1, -3, -3.0)
    @test arithmetic(3 // 4, 5 // 7) ==
          (41 // 28, 1 // 28, 15 // 28, 21 // 20, 3 // 2, 16 // 7, 27 // 64, 7 // 5, -3 // 4, 3 // 4, 1, 1 // 28, 1 // 28)
    @test over([1 // 2, 1 // 3, -1 // 6]) ==
          (2 // 3, -1 // 36, 1 // 2, [3 // 2, 4 // 3, 5 // 6], [1 // 4, 1 // 9, 1 // 36], 7 // 18)
    @test ((a, x) -> a * x)([1//2 1//3; 1//4 1//5], [1 // 1, 2 // 1]) == [7 // 6, 13 // 20]
    @test ((x, y) -> x + y)(Int8(1) // Int8(2), Int8(1) // Int8(3)) === Int8(5) // Int8(6)
    @test ((n, d) -> n // d)(6, -4) === -3 // 2
end

@testset "what has no fraction" begin
    divide(n, d) = n // d
    times(x, y) = x * y
    @test divide(1, 0) === 1 // 0
    @test_throws "invalid rational: zero(Int64)//zero(Int64)" divide(0, 0)
    @test_throws "9223372036854775807 * 9 overflowed for type Int64" times(typemax(Int) // 2, 9 // 1)
    @test_throws "invalid rational: zero(Int64)//zero(Int64)" times(0 // 1, 1 // 0)
    @test_throws "100 * 7 overflowed for type Int8" ((x, y) -> x + y)(Int8(100) // Int8(3), Int8(100) // Int8(7))
end

@testset "sorted" begin
    order(v) = sort(v)
    @test order([1 // 2, -1 // 3, 1 // 3, 1 // 0, 0 // 1]) == [-1 // 3, 0 // 1, 1 // 3, 1 // 2, 1 // 0]
end
