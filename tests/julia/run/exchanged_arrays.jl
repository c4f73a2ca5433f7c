# Variables that refer to one array after another: exchanged in loops, chosen by branches, first made inside of a loop.
using Test

function smooth(u, n)  # the caller's array is one of the two
    v = similar(u)
    m = length(u)
    for k in 1:n
        v[1] = 0
        v[m] = 0
        for i in 2:m-1
            v[i] = (u[i-1] + u[i+1]) / 2 + k
        end
        u, v = v, u
    end
    u
end

function alternate!(a, b, n)
    for k in 1:n
        b .= 2 .* a .+ k
        a, b = b, a
    end
    nothing
end

function rotate!(a, b, c, n)
    for i in 1:n
        a, b, c = b, c, a
        a[1] += i
    end
    nothing
end

function one_array(n)
    x = zeros(3)
    y = zeros(3)
    for i in 1:n
        x = fill(1.0i, 3)
        y = x
    end
    y[1] = 100
    x
end

function third_name(n)
    x, y = zeros(3), ones(3)
    z = x
    for i in 1:n
        x, y = y, x
        x[2] += i
    end
    z[1] = 100
    x, y, z
end

function jacobi(u, f, tol; before = true)
    v = zero(u)
    for it in 1:1000
        d = 0.0
        for i in 2:length(u)-1
            v[i] = (u[i-1] + u[i+1] + f[i]) / 2
            d = max(d, abs(v[i] - u[i]))
        end
        before && d < tol && return v, it
        u, v = v, u
        !before && d < tol && return u, it
    end
    error("no convergence")
end

function largest_eigenvalue(A)
    x = ones(size(A, 1))
    λ = 0.0
    for i in 1:500
        y = A * x
        next = sum(x .* y) / sum(abs2, x)
        x = y / sqrt(sum(abs2, y))
        abs(next - λ) < 1e-13 && return next, x, i
        λ = next
    end
    λ, x, 500
end

function least(xs, with_later_change)
    best = zeros(2)
    value = Inf
    for x in xs
        w = [x, x^2]
        if w[2] < value
            value = w[2]
            best = w
        end
        with_later_change && (w[1] = 7)
    end
    best
end

function chosen(c)
    x, z = [1.0], [2.0]
    y = c ? x : z
    x[1] = 5
    y[1]
end

mutable struct Fields
    u::Vector{Float64}
    v::Vector{Float64}
end
function advance!(s, n)
    for i in 1:n
        s.v .= s.u ./ 2 .+ i
        s.u, s.v = s.v, s.u
    end
    s
end

@testset "arrays that change their names" begin
    a = [1.0, 2, 3, 4]
    @test smooth(a, 0) == [1, 2, 3, 4] && a == [1, 2, 3, 4]
    @test smooth(a, 1) == [0, 3, 4, 0] && a == [1, 2, 3, 4]
    @test smooth(a, 2) == [0, 4, 3.5, 0] && a == [0, 4, 3.5, 0]
    a, b = ones(2), zeros(2)
    alternate!(a, b, 3)
    @test (a, b) == ([8, 8], [19, 19])
    a, b, c = [1.0], [2.0], [3.0]
    rotate!(a, b, c, 4)
    @test (a, b, c) == ([4], [7], [5])
    @test one_array(3) == [100, 3, 3]
    @test third_name(3) == ([1, 5, 1], [100, 2, 0], [100, 2, 0])
    @test third_name(4) == ([100, 6, 0], [1, 5, 1], [100, 6, 0])
    @test chosen(true) == 5 && chosen(false) == 2
    s = advance!(Fields([1.0], [0.0]), 3)
    @test s.u == [4.375] && s.v == [2.75]
    kept = s.u
    advance!(s, 2)
    @test kept == s.u == [3.59375]
end

@testset "arrays that loops make" begin
    for before in (true, false)
        u = [0.0, 1, 2, 3, 0]
        v, n = jacobi(u, ones(5), 1e-9; before)
        @test v ≈ [0, 1.5, 2, 1.5, 0] atol = 1e-8
        @test u ≈ [0, 1.5, 2, 1.5, 0] atol = 1e-8
        @test 50 < n < 70
    end
    λ, x, n = largest_eigenvalue([2.0 1; 1 3])
    @test λ ≈ (5 + sqrt(5)) / 2
    @test x[2] / x[1] ≈ (1 + sqrt(5)) / 2 rtol = 1e-6
    @test least([3.0, 1.0, 2.0], false) == [1, 1] && least([3.0, 1.0, 2.0], true) == [7, 1]
end

sign_of(x) = x < 0 ? '-' : x > 0 ? '+' : '0'
word(x) = x < 0 ? :below : x > 0 ? :above : :zero
function first_change(xs)
    last = sign_of(xs[1])
    for (i, x) in enumerate(xs)
        now = sign_of(x)
        now == last || return now, i
        last = now
    end
    last, 0
end

@testset "characters and symbols by branches" begin
    @test [sign_of(x) for x in (-1.0, 0.0, 2.0)] == ['-', '0', '+']
    @test join(sign_of(x) for x in [1, -1, 0]) == "+-0"
    @test word.([-1, 0, 1]) == [:below, :zero, :above]
    @test first_change([1.0, 2.0, -1.0]) == ('-', 3) && first_change([1.0]) == ('+', 0)
end
