# Methods that a program adds to the library's functions, before and after it has called them.
using Test

struct Die
    eyes::Int
end

# Nobody has called these yet.
Base.isodd(d::Die) = isodd(d.eyes)
Base.count_ones(d::Die) = -1
Base.gcd(a::Die, b::Die) = Die(gcd(a.eyes, b.eyes))
Base.Complex(d::Die) = Complex(d.eyes, 0)
Base.Rational{T}(d::Die) where {T} = Rational{T}(d.eyes, 6)

@testset "beside the library's methods" begin
    @test isodd(Die(3)) && !isodd(Die(4))
    @test isodd(3) && !isodd(0x02) && isodd(3.0)
    @test count_ones(Die(3)) == -1 && count_ones(7) == 3
    @test gcd(Die(12), Die(18)) == Die(6) && gcd(12, 18) == 6 && gcd(12, 18, 27) == 3
    @test Complex(Die(2)) == 2 + 0im && Complex(1, 2) == 1 + 2im && Complex(1.5) isa ComplexF64
    @test Rational{Int}(Die(3)) == 1 // 2 && Rational{Int}(3) == 3 // 1
end

# Called before and after.
before(d) = try
    iseven(d)
catch e
    e isa MethodError
end
was = before(Die(2))
Base.iseven(d::Die) = iseven(d.eyes)

@testset "added after a call" begin
    @test was === true
    @test before(Die(3)) === false && before(Die(4)) === true
    @test iseven(8) && !iseven(7)
end

# More specific methods go before the library's.
Base.trailing_ones(x::Int) = :mine
thrice(x) = ntuple(_ -> trailing_zeros(x), 3)
@test thrice(8) == (3, 3, 3)
Base.trailing_zeros(x::Int) = :mine

@testset "before the library's" begin
    @test trailing_ones(7) === :mine
    @test thrice(8) === (:mine, :mine, :mine)
end

@testset "what there is" begin
    @test hasmethod(isodd, Tuple{Die}) && hasmethod(isodd, Tuple{Int}) && !hasmethod(isodd, Tuple{String})
    @test applicable(leading_zeros, 1) && !applicable(leading_zeros, 1.0)
    @test length(methods(leading_ones)) >= 1
    @test isdefined(Base, :cld) && Base.fld isa Function
    @test_throws MethodError leading_zeros(1.0)
end

# A local function of the same name hides it.
f(x) = begin
    signbit(y) = "own"
    signbit(x)
end
@test f(-1) == "own" && signbit(-1)

# Deep recursion whose end is the first call of a library function.
down(n) = n == 0 ? digits(123) : (r = down(n - 1); r)
@test down(1000) == [3, 2, 1]
forever(n) = forever(n + 1) + evalpoly(n, (1, 2))
@test_throws StackOverflowError forever(0)
@test evalpoly(2, (1, 2)) == 5
