# Which method a call takes, and what is said when there is none.
using Test

kind(x) = "anything"
kind(x::Number) = "number"
kind(x::Integer) = "integer"
kind(x::Int8) = "byte"
kind(x::AbstractVector{<:Number}) = "numbers"
kind(x::Vector{String}) = "strings"
kind(x, y) = "two"
kind(xs::Int...) = "ints $(length(xs))"

same(a::T, b::T) where {T} = true
same(a, b) = false

ambiguous(a::Int, b) = 1
ambiguous(a, b::Int) = 2

abstract type Animal end
struct Dog <: Animal end
struct Cat <: Animal end
meets(a::Animal, b::Animal) = "passes"
meets(a::Dog, b::Cat) = "chases"
meets(a::Cat, b::Dog) = "hisses"

value(::Val{N}) where {N} = N + 1
name_of(::Type{T}) where {T<:Real} = "real"
name_of(::Type{Complex{T}}) where {T} = "complex of $T"

@testset "dispatch" begin
    @test kind("a") == "anything"
    @test kind(1.5) == "number"
    @test kind(true) == "integer"
    @test kind(Int8(1)) == "byte"
    @test kind([1, 2]) == "numbers"
    @test kind(["a"]) == "strings"
    @test kind(1:2) == "numbers"
    @test kind(1, "a") == "two"
    @test kind(1, 2, 3) == "ints 3"
    @test kind() == "ints 0"
    @test same(1, 2) && !same(1, 2.0)
    @test_throws MethodError ambiguous(1, 2)
    @test ambiguous(1, 2.0) == 1
    @test meets(Dog(), Cat()) == "chases"
    @test meets(Cat(), Dog()) == "hisses"
    @test meets(Dog(), Dog()) == "passes"
    @test value(Val(3)) == 4
    @test name_of(Float32) == "real"
    @test name_of(ComplexF64) == "complex of Float64"
    @test hasmethod(kind, Tuple{Int8})
    @test applicable(value, Val(1))
    @test !applicable(value, 1)
    @test invoke(kind, Tuple{Number}, 1) == "number"
end

# A method added later is seen by the next call.
before = kind(:a)
kind(x::Symbol) = "symbol"
@test (before, kind(:a)) == ("anything", "symbol")
