# The program's own types: constructors, operators, conversion, iteration, display.
using Test

struct Point{T<:Real}
    x::T
    y::T
end
Point(x::Real, y::Real) = Point(promote(x, y)...)
Base.:+(a::Point, b::Point) = Point(a.x + b.x, a.y + b.y)
Base.:*(k::Number, p::Point) = Point(k * p.x, k * p.y)
Base.:-(p::Point) = Point(-p.x, -p.y)
Base.zero(::Type{Point{T}}) where {T} = Point(zero(T), zero(T))
Base.show(io::IO, p::Point) = print(io, "<", p.x, ", ", p.y, ">")

mutable struct Account
    const owner::String
    balance::Float64
    Account(owner) = new(owner, 0)
end
function deposit!(a::Account, amount)
    amount > 0 || throw(ArgumentError("amount must be positive"))
    a.balance += amount
    a
end

Base.@kwdef struct Config
    steps::Int = 10
    rate::Float64
    name::String = "run $steps"
end

struct Even
    value::Int
    function Even(value)
        iseven(value) || error("odd: $value")
        new(value)
    end
end

# The iteration protocol.
struct Squares
    count::Int
end
Base.iterate(s::Squares, state = 1) = state > s.count ? nothing : (state^2, state + 1)
Base.length(s::Squares) = s.count
Base.eltype(::Type{Squares}) = Int

# A vector of its own.
struct Ramp <: AbstractVector{Int}
    n::Int
end
Base.size(r::Ramp) = (r.n,)
Base.getindex(r::Ramp, i::Int) = 10i

abstract type Shape end
struct Circle <: Shape
    r::Float64
end
struct Square <: Shape
    side::Float64
end
area(c::Circle) = π * c.r^2
area(s::Square) = s.side^2
describe(s::Shape) = "a $(nameof(typeof(s))) of area $(round(area(s); digits = 2))"

struct Scaler
    k::Int
end
(s::Scaler)(x) = s.k * x

@testset "structs" begin
    @test Point(1, 2) + Point(3, 4) === Point(4, 6)
    @test Point(1, 2.5) isa Point{Float64}
    @test 2 * Point(1, 2) == Point(2, 4)
    @test -Point(1, 2) === Point(-1, -2)
    @test sum([Point(1, 2), Point(3, 4)]) === Point(4, 6)
    @test zero(Point{Int}) === Point(0, 0)
    @test string(Point(1, 2)) == "<1, 2>"
    @test "$(Point(1, 2))" == "<1, 2>"
    @test repr([Point(1, 2)]) == "Point{Int64}[<1, 2>]"

    a = Account("Ann")
    deposit!(deposit!(a, 10), 5)
    @test a.balance === 15.0
    @test_throws ArgumentError deposit!(a, -1)
    @test_throws ErrorException (a.owner = "Bob")
    b = a
    b.balance = 1
    @test a.balance == 1
    @test a !== Account("Ann")

    @test Config(rate = 0.1) == Config(10, 0.1, "run 10")
    @test Config(; rate = 1, steps = 3).name == "run 3"
    @test_throws UndefKeywordError Config()

    @test Even(4).value == 4
    @test_throws ErrorException Even(3)

    @test collect(Squares(4)) == [1, 4, 9, 16]
    @test sum(Squares(3)) == 14
    @test [x + 1 for x in Squares(2)] == [2, 5]
    a, b, c = Squares(3)
    @test (a, b, c) == (1, 4, 9)
    @test 9 in Squares(3)

    r = Ramp(4)
    @test r[2] == 20
    @test r[end] == 40
    @test sum(r) == 100
    @test r .+ 1 == [11, 21, 31, 41]
    @test r[2:3] == [20, 30]
    @test maximum(r) == 40

    @test describe(Circle(1)) == "a Circle of area 3.14"
    @test describe(Square(2)) == "a Square of area 4.0"
    @test map(Scaler(3), [1, 2]) == [3, 6]
    @test fieldnames(Point) == (:x, :y)
    @test getfield(Point(1, 2), :y) == 2
    @test supertype(Circle) === Shape
    @test Circle <: Shape
    @test !(Shape <: Circle)
    @test Point{Int} <: Point
end
