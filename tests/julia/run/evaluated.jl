# Code that a program makes: @eval and eval of quoted code at top level.
using Test

struct Dual
    v::Float64
    d::Float64
end

for (f, df) in ((:sin, :cos), (:exp, :exp), (:sinh, :cosh))
    @eval Base.$f(a::Dual) = Dual($f(a.v), $df(a.v) * a.d)
end
for op in (:+, :-)
    @eval (Base.$op)(a::Dual, b::Dual) = Dual($op(a.v, b.v), $op(a.d, b.d))
end
for op in [:<, :(==), :<=]
    @eval Base.$op(a::Dual, b::Dual) = ($op)(a.v, b.v)
end

near(x, y) = x.v ≈ y.v && x.d ≈ y.d

@testset "methods of Base for a number type" begin
    a, b = Dual(0.5, 1.0), Dual(2.0, 0.0)
    @test near(sin(a), Dual(sin(0.5), cos(0.5)))
    @test near(exp(a), Dual(exp(0.5), exp(0.5)))
    @test near(sinh(a), Dual(sinh(0.5), cosh(0.5)))
    @test a + b === Dual(2.5, 1.0)
    @test b - a === Dual(1.5, -1.0)
    @test a < b && a <= b && !(a == b)
end

struct Box{T}
    x::T
end
for T in (Float32, Float64, Complex{Int}), (i, name) in enumerate((:first_of, :second_of))
    @eval $name(b::Box{$T}) = (b.x, $i, $(string(name)), $(QuoteNode(name)), $T)
end

@testset "values of every kind" begin
    @test first_of(Box(1.0f0)) === (1.0f0, 1, "first_of", :first_of, Float32)
    @test second_of(Box(2.0)) === (2.0, 2, "second_of", :second_of, Float64)
    @test second_of(Box(1 + 2im)) === (1 + 2im, 2, "second_of", :second_of, Complex{Int})
    @test_throws MethodError first_of(Box(1))
end

@eval begin
    const limit = $(2 + 3)
    "Documented."
    above(x) = x > limit
    mutable struct $(Symbol("Made", "Type"))
        n::Int
    end
end
for n in 1:3
    @eval $(Symbol("power", n))(x) = x^$n + $(-1.5) * $('a' == 'a')
end
arguments = [:x, :y, :z]
@eval total($(arguments...); $(:scale) = 2) = scale * +($(arguments...))
@eval table = $([1.0, 2.0])
const squares = [@eval $i^2 for i in 1:3]

@testset "names, constants and types" begin
    @test limit == 5 && above(6) && !above(5)
    @test MadeType(3).n == 3
    @test [power1(2), power2(2), power3(2)] == [0.5, 2.5, 6.5]
    @test total(1, 2, 3) == 12 && total(1, 2, 3; scale = 1) == 6
    @test table == [1.0, 2.0]
    @test squares == [1, 4, 9]
end

for f in (:half, :third)
    n = f == :half ? 2 : 3
    eval(:($f(x) = x / $n))
    eval(quote
        $(Symbol(f, "s"))(x) = $n * x
    end)
end
module Inner
name = :inner
eval(:(value = 3))
@eval $name() = value + 1
end
Core.eval(Inner, :(other = 2value))
@eval Inner another() = other + 1

@testset "eval" begin
    @test half(3) == 1.5 && third(6) == 2.0 && halfs(2) == 4 && thirds(2) == 6
    @test Inner.inner() == 4 && Inner.other == 6 && Inner.another() == 7
    @test eval(:limit) == 5 && eval(3) == 3 && eval(Symbol("lim", "it")) == 5 && Inner.eval(:value) == 3
    @test eval(:(limit + $(1 + 1))) == 7
    @test_throws UndefVarError eval(:not_there)
    @test_throws ErrorException eval(:(error("inside")))
end

@testset "within a test set" begin
    for (name, value) in ((:alpha, 1), (:beta, 2))
        @eval $name() = $value
    end
    @test eval(:(alpha())) == 1
    @test eval(:(beta())) == 2
end
