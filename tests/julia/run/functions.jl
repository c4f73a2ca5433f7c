# Arguments of every kind, closures, composition.
using Test

area(w, h = w; scale = 1) = w * h * scale
total(first, rest...) = first + sum(rest; init = 0)
options(; a = 1, b = 2a, rest...) = (a, b, values(rest))

function counter()
    n = 0
    () -> (n += 1)
end

compose(fs...) = x -> foldl((v, f) -> f(v), fs; init = x)
fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
hanoi(n) = n == 0 ? 0 : 2hanoi(n - 1) + 1

@testset "functions" begin
    @test area(3) == 9
    @test area(3, 4) == 12
    @test area(3, 4; scale = 2) == 24
    @test area(2, scale = 10) == 40
    @test total(1) == 1
    @test total(1, 2, 3) == 6
    @test total((1, 2, 3)...) == 6
    @test options() == (1, 2, (;))
    @test options(a = 5) == (5, 10, (;))
    @test options(; b = 1, c = 7) == (1, 1, (c = 7,))
    scale = 3
    @test area(1; scale) == 3
    @test area(1; (scale = 4,)...) == 4

    c, d = counter(), counter()
    @test (c(), c(), d()) == (1, 2, 1)
    @test compose(x -> x + 1, x -> 2x)(3) == 8
    @test (sqrt ∘ abs)(-16) == 4
    @test (16 |> sqrt |> inv) == 0.25
    squares = map(3:5) do x
        x^2
    end
    @test squares == [9, 16, 25]
    @test fib(20) == 6765
    @test hanoi(10) == 2^10 - 1
    @test (x -> x^2).([1, 2, 3]) == [1, 4, 9]

    # each iteration has its own variable
    fs = [() -> i for i in 1:3]
    @test [f() for f in fs] == [1, 2, 3]

    # a captured variable is shared
    function shared()
        x = 1
        set(v) = (x = v)
        set(5)
        x
    end
    @test shared() == 5

    @test_throws MethodError area()
    @test_throws MethodError area(1, 2, 3)
    @test_throws UndefKeywordError (((; k) -> k)())
    @test nameof(area) == :area
    f(x::Int)::Float64 = x
    @test f(3) === 3.0
    swap((a, b)) = (b, a)
    @test swap((1, 2)) == (2, 1)
end
