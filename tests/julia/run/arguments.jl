# Functions that change their arguments: what the caller sees, whatever runs them.
using Test

function scale!(u, c)
    for i in eachindex(u)
        u[i] *= c
    end
    u
end

function prefix!(u)
    for i in 2:length(u)
        u[i] += u[i-1]
    end
    nothing
end

function exchange!(u, v)
    for i in eachindex(u)
        u[i], v[i] = v[i], u[i]
    end
end

# Stops in the middle: what was stored before stays.
function stops!(u, n)
    for i in 1:n
        u[i] = -u[i]
    end
    u
end

function first_of_both!(u, v)
    s = 0.0
    for i in eachindex(u)
        u[i] = 2i
        s += v[i]
    end
    s
end

mutable struct Tank
    level::Vector{Float64}
    steps::Int
end

function fill!_(t::Tank, by)
    for i in eachindex(t.level)
        t.level[i] += by
    end
    t.steps += 1
    t
end

struct Point
    x::Float64
    y::Float64
end

function turn!(ps)
    for i in eachindex(ps)
        ps[i] = Point(-ps[i].y, ps[i].x)
    end
end

untouched(u, v) = (s = 0.0; for i in eachindex(v) s += v[i] end; (u, s))

@testset "arguments that change" begin
    u = [1.0, 2.0, 3.0]
    @test scale!(u, 2.0) === u
    @test u == [2.0, 4.0, 6.0]
    for _ in 1:5
        scale!(u, 0.5)
    end
    @test u == [0.0625, 0.125, 0.1875]
    v = [1, 2, 3, 4]
    prefix!(v)
    @test v == [1, 3, 6, 10]
    prefix!(v)
    @test v == [1, 4, 10, 20]

    a, b = [1.0, 2.0], [3.0, 4.0]
    exchange!(a, b)
    @test a == [3.0, 4.0] && b == [1.0, 2.0]
    exchange!(a, a)
    @test a == [3.0, 4.0]
end

@testset "a failure leaves what was done before it" begin
    u = [1.0, 2.0, 3.0]
    @test_throws BoundsError stops!(u, 4)
    @test u == [-1.0, -2.0, -3.0]
    @test stops!(u, 2) == [1.0, 2.0, -3.0]
    @test_throws BoundsError stops!(u, 5)
    @test u == [-1.0, -2.0, 3.0]
end

@testset "arrays over the same memory" begin
    u = [1.0 2.0; 3.0 4.0]
    w = vec(u)
    scale!(w, 10.0)
    @test u == [10.0 20.0; 30.0 40.0]
    prefix!(w)
    @test u == [10.0 60.0; 40.0 100.0] && w == [10.0, 40.0, 60.0, 100.0]
    x = zeros(4)
    @test first_of_both!(x, x) == 2 + 4 + 6 + 8
    y = zeros(4)
    @test first_of_both!(y, reshape(y, 2, 2)) == 2 + 4 + 6 + 8
    z = zeros(4)
    @test first_of_both!(z, copy(z)) == 0
end

@testset "arrays that have grown and shrunk" begin
    u = collect(1.0:6.0)
    popfirst!(u)
    scale!(u, 2.0)
    @test u == [4.0, 6.0, 8.0, 10.0, 12.0]
    push!(u, 1.0)
    scale!(u, 2.0)
    @test u == [8.0, 12.0, 16.0, 20.0, 24.0, 2.0]
    resize!(u, 2)
    scale!(u, 0.5)
    push!(u, 7.0)
    @test u == [4.0, 6.0, 7.0]
    kept = copy(u)
    scale!(u, 3.0)
    @test kept == [4.0, 6.0, 7.0] && u == [12.0, 18.0, 21.0]
end

@testset "objects that hold arrays" begin
    t = Tank([1.0, 2.0], 0)
    level = t.level
    @test fill!_(t, 0.5) === t
    @test level == [1.5, 2.5] && t.level === level && t.steps == 1
    fill!_(t, 0.5)
    @test level == [2.0, 3.0] && t.steps == 2

    ps = [Point(1.0, 0.0), Point(0.0, 2.0)]
    turn!(ps)
    @test ps == [Point(-0.0, 1.0), Point(-2.0, 0.0)]

    u, v = [1.0], [2.0, 3.0]
    r, s = untouched(u, v)
    @test r === u && s == 5.0
    bits = trues(3)
    stops(b) = (for i in eachindex(b) b[i] = !b[i] end; b)
    @test stops(bits) === bits && !any(bits)
end

# Arrays over the same memory within a function.
through_vec!(u) = (v = vec(u); v[1] = 5.0; sum(u))
beside_vec(u) = (w = copy(u); v = vec(w); w[2, 1] = 7.0; v[2])
only_vec(n) = (v = collect(1.0:n); w = reshape(v, 2, :); w[1, 2] = 0.0; sum(w))
kept_shape(u) = reshape(u, length(u))
function in_turn(u, n)
    w = copy(u)
    v = vec(w)
    s = 0.0
    for i in 1:n
        s += v[1]
        w[1, 1] += 1
    end
    s
end

@testset "arrays over the same memory, made inside" begin
    u = [1.0 2.0; 3.0 4.0]
    @test through_vec!(u) == 5 + 3 + 2 + 4 && u[1, 1] == 5
    @test beside_vec(u) == 7
    @test only_vec(4) == 1 + 2 + 0 + 4
    @test in_turn(u, 4) == 5 + 6 + 7 + 8
    v = kept_shape(u)
    v[4] = -1.0
    @test u[2, 2] == -1
end
