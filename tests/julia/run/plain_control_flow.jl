# Control flow, host arrays and sizes as they are written, without marks: early return from a loop, elements of a global array, a window that
# depends on data. Values from closed forms; all of it compiles (tests/cli/julia_check_test.cc).
using Test
using Zygote

# x + x^3 + … + x^19, up to the first power below 1e-8.
function odd_powers(x)
    s = zero(x)
    p = x
    for k in 1:2:19
        abs(p) < 1e-8 && return s
        s += p
        p *= x * x
    end
    s
end

ys = [1.0, 2.0, 3.0]
function filled(n)
    x = zeros(n)
    for i in 1:n
        x[i] = ys[i]
    end
    x
end

function window_sum(v, x)
    c = round(Int, 4x)
    s = 0.0
    for i in max(1, c - 1):min(length(v), c + 1)
        s += v[i]
    end
    x * s
end

# As a loop variable, a counter and an accumulator of another kind of number.
function mixed(v)
    s = 0
    n = 0
    while n < length(v)
        n += 1
        s += v[n] / 2
    end
    s
end

offset::Float64 = 2.5
shifted(x) = x + offset

@testset "plain control flow" begin
    @test odd_powers(1.0) == 10
    @test odd_powers(0.1) ≈ 0.1010101 rtol = 1e-12
    @test gradient(odd_powers, 1.0)[1] == 100
    @test gradient(odd_powers, 0.1)[1] ≈ 1.030507 rtol = 1e-12
    @test filled(3) == [1, 2, 3]
    v = collect(1.0:8.0)
    for (x, y) in [(0.0, 0.0), (0.1, 0.1), (0.3, 0.9), (0.5, 3.0), (0.9, 10.8)]
        @test window_sum(v, x) ≈ y atol = 1e-12
    end
    @test mixed([1, 2, 3]) == 3.0
    @test shifted(1.0) == 3.5
end
