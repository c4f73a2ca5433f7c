# Loops and branches as values and as statements.
using Test

function collatz(n)
    steps = 0
    while n != 1
        n = iseven(n) ? n ÷ 2 : 3n + 1
        steps += 1
    end
    steps
end

function first_square_above(limit)
    for i in 1:limit
        i^2 > limit && return i^2
    end
    nothing
end

function odd_until(stop)
    out = Int[]
    for i in 1:100
        i % 2 == 0 && continue
        i > stop && break
        push!(out, i)
    end
    out
end

@testset "control flow" begin
    @test collatz(27) == 111          # a known length
    @test first_square_above(50) == 64
    @test first_square_above(0) === nothing
    @test odd_until(9) == [1, 3, 5, 7, 9]

    # several iterators are one loop: break leaves both
    pairs = Tuple{Int,Int}[]
    for i in 1:3, j in i:3
        j == 3 && i == 2 && break
        push!(pairs, (i, j))
    end
    @test pairs == [(1, 1), (1, 2), (1, 3), (2, 2)]

    # values of blocks
    @test (if false 1 end) === nothing
    @test (begin 1; 2 end) == 2
    x = if 3 > 2
        "yes"
    else
        "no"
    end
    @test x == "yes"
    @test (1 < 2 < 3) && !(1 < 3 < 2)
    @test (for i in 1:3 end) === nothing

    # evaluated once in a chain
    count = Ref(0)
    next() = (count[] += 1; 2)
    @test 1 < next() < 3
    @test count[] == 1

    # short circuit
    @test (false && error("never")) === false
    @test (true || error("never")) === true
    @test_throws TypeError (1 && true)

    s = 0
    let s = 10
        s += 1
    end
    @test s == 0
    i = 5
    for i in 1:3
    end
    @test i == 5
    for outer_i = 1:3
        global last_seen = outer_i
    end
    @test last_seen == 3
end

# Conditions that change what they look at: each is evaluated once before every turn and once where the loop ends.
function halves(n)
    s = 0
    while (y = n ÷ 2) > 0
        s += y
        n = y
    end
    return s
end
function last_difference(n)
    y = 7
    while (y = n - y) > 3
        n -= 1
    end
    return y
end
took!(v) = (v[1] -= 1)
function turns(v)
    k = 0
    while took!(v) > 0
        k += 1
        k == 100 && return -1
    end
    return k, v[1]
end
function sieve(limit)
    is_open = fill(true, limit)
    is_open[1] = false
    primes = Int[]
    while (i = findfirst(is_open)) !== nothing
        push!(primes, i)
        for j in i:i:limit
            is_open[j] = false
        end
    end
    return primes
end
@testset "conditions that change something" begin
    @test halves(100) == 50 + 25 + 12 + 6 + 3 + 1
    @test last_difference(20) == 3      # 20 - 7 = 13, 19 - 13 = 6, 18 - 6 = 12, … until 3 or less
    @test turns([5]) == (4, 0)
    @test turns([0]) == (0, -1)
    @test sieve(30) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    @test sieve(1) == []
end
