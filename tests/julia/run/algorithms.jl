# Programs in the small, with known answers.
using Test, LinearAlgebra

function quicksort!(a, lo = 1, hi = length(a))
    lo >= hi && return a
    p, i = a[(lo + hi) >>> 1], lo
    j = hi
    while i <= j
        while a[i] < p; i += 1; end
        while a[j] > p; j -= 1; end
        if i <= j
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
        end
    end
    quicksort!(a, lo, j)
    quicksort!(a, i, hi)
end

function mandel(z)
    c = z
    for n in 1:80
        abs2(z) > 4 && return n - 1
        z = z^2 + c
    end
    80
end

function sieve(n)
    is_prime = trues(n)
    is_prime[1] = false
    for i in 2:isqrt(n)
        is_prime[i] || continue
        is_prime[i^2:i:n] .= false
    end
    findall(is_prime)
end

function rk4(f, y, t, h, steps)
    for _ in 1:steps
        k1 = f(t, y)
        k2 = f(t + h / 2, y .+ h / 2 .* k1)
        k3 = f(t + h / 2, y .+ h / 2 .* k2)
        k4 = f(t + h, y .+ h .* k3)
        y = @. y + h / 6 * (k1 + 2k2 + 2k3 + k4)
        t += h
    end
    y
end

function life(grid)
    m, n = size(grid)
    map(CartesianIndices(grid)) do i
        alive = sum(grid[mod1(i[1] + a, m), mod1(i[2] + b, n)] for a in -1:1, b in -1:1) - grid[i]
        alive == 3 || (grid[i] == 1 && alive == 2) ? 1 : 0
    end
end

function conjugate_gradient(A, b)
    x = zero(b)
    r = copy(b)
    p = copy(r)
    rr = dot(r, r)
    for _ in eachindex(b)
        q = A * p
        alpha = rr / dot(p, q)
        x .+= alpha .* p
        r .-= alpha .* q
        rr, last = dot(r, r), rr
        sqrt(rr) < 1e-12 && break
        p .= r .+ rr / last .* p
    end
    x
end

pisum() = sum(1 / k^2 for k in 1:10000)
newton(f, df, x) = (for _ in 1:50; x -= f(x) / df(x); end; x)

function editing_distance(a, b)
    previous = collect(0:length(b))
    for (i, x) in enumerate(a)
        current = [i]
        for (j, y) in enumerate(b)
            push!(current, min(previous[j + 1] + 1, current[j] + 1, previous[j] + (x != y)))
        end
        previous = current
    end
    previous[end]
end

@testset "algorithms" begin
    @test quicksort!([5, 2, 9, 1, 5, 6, -3]) == [-3, 1, 2, 5, 5, 6, 9]
    # the sum of Julia's own micro-benchmark
    @test sum(mandel(complex(r, i)) for i in -1.0:0.1:1.0, r in -2.0:0.1:0.5) == 14791
    @test sieve(30) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29] && length(sieve(1000)) == 168
    @test rk4((t, y) -> [y[2], -y[1]], [0.0, 1.0], 0.0, 0.01, 100) ≈ [sin(1), cos(1)] atol = 1e-8
    blinker = [0 0 0 0 0; 0 0 1 0 0; 0 0 1 0 0; 0 0 1 0 0; 0 0 0 0 0]
    @test life(blinker) == blinker' && life(life(blinker)) == blinker
    A = [4.0 1; 1 3]
    @test conjugate_gradient(A, [1.0, 2]) ≈ [1 / 11, 7 / 11]
    @test pisum() ≈ 1.644834071848065
    @test newton(x -> x^2 - 2, x -> 2x, 1.0) ≈ sqrt(2)
    @test editing_distance("kitten", "sitting") == 3
end
