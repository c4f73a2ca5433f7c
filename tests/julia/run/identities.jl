# What a function returns is the caller's own array or a new one, as a branch or a loop decides.
using Test

either(x, flag) = flag ? x : copy(x)
function one_of(x, y, flag)
    z = flag ? x : y
    return z
end
early(x, n) = begin
    n > 2 && return x
    y = x .+ n
    return y
end
function exchanged(u, n)
    v = copy(u)
    for _ in 1:n
        v .= u .+ 1
        u, v = v, u
    end
    return u
end
function both(u, v, n)
    for _ in 1:n
        u, v = v, u
    end
    return u, v
end
function nested(u, v, n, flag)
    w = flag ? u : similar(u)
    for i in 1:n
        if isodd(i)
            u, w = w, u
        end
    end
    return (first = u, second = w, third = 3)
end
mutable struct Holder
    now::Vector{Float64}
    next::Vector{Float64}
    count::Int
end
function step!(h, n)
    for _ in 1:n
        h.next .= 2 .* h.now
        h.now, h.next = h.next, h.now
        h.count += 1
    end
    return h
end
holder(h, g, flag) = flag ? h : g
function largest(a, b, c)
    best = a
    for x in (b, c)
        if sum(x) > sum(best)
            best = x
        end
    end
    return best
end
function found(x, y, n)
    k = 0
    z = x
    while k < n
        k += 1
        z = k == 2 ? y : z
    end
    return z
end
matrix(A, flag) = (flag ? A : 2A, flag)

@testset "arrays" begin
    x = [1.0, 2.0]
    @test either(x, true) === x && either(x, false) !== x && either(x, false) == x
    y = either(x, true)
    y[1] = 7.0
    @test x == [7.0, 2.0]
    z = either(x, false)
    z[1] = 8.0
    @test x == [7.0, 2.0]
    w = [3.0, 4.0]
    @test one_of(x, w, true) === x && one_of(x, w, false) === w
    @test early(x, 3) === x && early(x, 1) == [8.0, 3.0] && early(x, 1) !== x
    A = [1.0 2.0; 3.0 4.0]
    @test matrix(A, true)[1] === A && matrix(A, false) == ([2.0 4.0; 6.0 8.0], false)
    a, b, c = [1.0, 1.0], [5.0, 5.0], [2.0, 2.0]
    @test largest(a, b, c) === b && largest(b, a, c) === b && largest(a, c, b) === b
    @test found(a, b, 1) === a && found(a, b, 2) === b && found(a, b, 5) === b
end

@testset "loops that exchange" begin
    for n in 0:3
        u = [0.0, 10.0]
        r = exchanged(u, n)
        @test r == [n, 10.0 + n]
        @test (r === u) == iseven(n)
        u, v = [1.0, 2.0], [3.0, 4.0]
        p, q = both(u, v, n)
        @test p === (iseven(n) ? u : v) && q === (iseven(n) ? v : u)
        for flag in (true, false)
            t = nested(u, v, n, flag)
            swapped = isodd(cld(n, 2))
            @test (t.first === u) == (flag || !swapped) && (t.second === u) == (flag || swapped) && t.third == 3
        end
    end
end

@testset "mutable structs" begin
    for n in 0:3
        a, b = [1.0, 3.0], [0.0, 0.0]
        h = Holder(a, b, 0)
        @test step!(h, n) === h
        @test h.now == [1.0, 3.0] .* 2.0^n && h.count == n
        @test h.now === (iseven(n) ? a : b) && h.next === (iseven(n) ? b : a)
    end
    h, g = Holder([1.0], [2.0], 0), Holder([3.0], [4.0], 1)
    @test holder(h, g, true) === h && holder(h, g, false) === g
end
