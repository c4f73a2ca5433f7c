# Programs in the small as they are written for one's own use; values from closed forms, textbooks and NumPy.
using Test, LinearAlgebra, Printf, Statistics

# ---- a sieve that flips flags under several conditions in a row (Atkin): the primes below 100
mutable struct Flags
    limit::Int
    prime::BitVector
    Flags(limit::Int) = new(limit, falses(limit + 1))
end
flip!(s, n, residues) = (n <= s.limit && mod(n, 12) in residues) && (s.prime[n] = !s.prime[n])
function atkin(limit)
    s = Flags(limit)
    x = 1
    while x^2 < limit
        y = 1
        while y^2 < limit
            flip!(s, 4x^2 + y^2, (1, 5))
            flip!(s, 3x^2 + y^2, (7,))
            x > y && flip!(s, 3x^2 - y^2, (11,))
            y += 1
        end
        x += 1
    end
    for r in 5:isqrt(limit)
        s.prime[r] || continue
        for i in r^2:r^2:limit
            s.prime[i] = false
        end
    end
    [2; 3; findall(s.prime)]
end
@testset "sieve" begin
    @test atkin(100) == [n for n in 2:100 if all(n % d != 0 for d in 2:isqrt(n))]
    @test length(atkin(10_000)) == 1229
end

# ---- polynomials with operators, called like functions
struct Poly{T<:Number}
    c::Vector{T}
end
function Base.:*(p::Poly{S}, q::Poly{T}) where {S,T}
    r = zeros(promote_type(S, T), length(p.c) + length(q.c) - 1)
    for (i, a) in enumerate(p.c), (j, b) in enumerate(q.c)
        r[i+j-1] += a * b
    end
    Poly(r)
end
(p::Poly)(x) = foldr((a, s) -> a + x * s, p.c; init = zero(x))
Base.show(io::IO, p::Poly) = print(io, join(["$(a)x^$(i-1)" for (i, a) in enumerate(p.c) if a != 0], " + "))
@testset "polynomials" begin
    p = Poly([1, 2, 3])
    @test string(p * Poly([0, 1])) == "1x^1 + 2x^2 + 3x^3"
    @test p(2) == 17 && p(0.5) == 2.75 && (p * p)(2) == 289
end

# ---- integration of equations, roots, eigenvalues
function rk4(f, y, t0, t1, n)
    h = (t1 - t0) / n
    t = t0
    for _ in 1:n
        k1 = f(t, y)
        k2 = f(t + h / 2, y .+ h / 2 .* k1)
        k3 = f(t + h / 2, y .+ h / 2 .* k2)
        k4 = f(t + h, y .+ h .* k3)
        y = y .+ h / 6 .* (k1 .+ 2 .* k2 .+ 2 .* k3 .+ k4)
        t += h
    end
    y
end
function newton(f, df, x; tol = 1e-12, maxit = 50)
    for k in 1:maxit
        step = f(x) / df(x)
        x -= step
        abs(step) < tol && return x, k
    end
    error("no convergence")
end
function heat(n, steps)
    u = zeros(n, n)
    u[n÷2, n÷2] = 100.0
    v = copy(u)
    for _ in 1:steps
        for j in 2:n-1, i in 2:n-1
            v[i, j] = u[i, j] + 0.1 * (u[i+1, j] + u[i-1, j] + u[i, j+1] + u[i, j-1] - 4u[i, j])
        end
        u, v = v, u
    end
    u
end
@testset "numerical methods" begin
    y = rk4((t, y) -> [y[2], -y[1]], [1.0, 0.0], 0.0, 2π, 200)
    @test y[1] - 1 ≈ -1.3350993643967968e-09 atol = 1e-14
    @test y[2] ≈ 5.098530393016221e-08 atol = 1e-14
    @test newton(x -> x^3 - 2, x -> 3x^2, 1.0)[1] ≈ cbrt(2)
    u = heat(16, 25)
    @test sum(u) ≈ 99.39246251489851 && u[8, 8] ≈ 3.22218725666152
end

# ---- counting, searching, formatting
function shortest(grid, s, t)
    q = [(s, 0)]
    seen = Set([s])
    while !isempty(q)
        (p, d) = popfirst!(q)
        p == t && return d
        for δ in ((1, 0), (-1, 0), (0, 1), (0, -1))
            n = p .+ δ
            checkbounds(Bool, grid, n...) && grid[n...] == '.' && n ∉ seen || continue
            push!(seen, n)
            push!(q, (n, d + 1))
        end
    end
    nothing
end
function partitions(n, m, memo = Dict{Tuple{Int,Int},Int}())
    n == 0 && return 1
    (n < 0 || m == 0) && return 0
    get!(memo, (n, m)) do
        partitions(n - m, m, memo) + partitions(n, m - 1, memo)
    end
end
function lcg(n; seed = 12345)
    s = UInt32(seed)
    out = Float64[]
    for _ in 1:n
        s = s * UInt32(1664525) + UInt32(1013904223)
        push!(out, s / 2^32)
    end
    out
end
@testset "data" begin
    maze = permutedims(reduce(hcat, collect.(["..#.", ".##.", "....", "#.#."])))
    @test shortest(maze, (1, 1), (1, 4)) == 7 && shortest(maze, (1, 1), (4, 4)) == 6
    @test shortest(maze, (1, 1), (4, 1)) === nothing
    @test partitions(50, 50) == 204226
    r = lcg(1000)
    @test sum(r) ≈ 507.2595152379945
    @test count(k -> r[2k-1]^2 + r[2k]^2 < 1, 1:500) == 387
    words = Dict{String,Int}()
    for w in split("the fox and the dog and the cat")
        words[w] = get(words, w, 0) + 1
    end
    lines = [@sprintf("%-4s%2d", w, n) for (w, n) in sort(collect(words); by = p -> (-p[2], p[1]))]
    @test lines == ["the  3", "and  2", "cat  1", "dog  1", "fox  1"]
end
