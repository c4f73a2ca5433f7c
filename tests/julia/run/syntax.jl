# What syntax means: evaluation order, scopes, closures, destructuring, loops and their exits. Values follow from the manual's rules.
using Test

calls = Int[]
note(x) = (push!(calls, x); x)

@testset "each operand once, in order" begin
  empty!(calls)
  @test (note(1) < note(2) < note(3)) == true
  @test calls == [1, 2, 3]
  empty!(calls)
  @test (note(3) < note(2) < note(1)) == false
  @test calls == [3, 2]
  a = [10, 20, 30]
  empty!(calls)
  a[note(2)] += 5
  @test a == [10, 25, 30] && calls == [2]
  i = 1
  next() = (i += 1)
  a[next()] *= 2
  @test a == [10, 50, 30] && i == 2
  x = a[1] = 7
  @test x == 7 && a[1] == 7
end

@testset "end and begin" begin
  a = [1, 2, 3]
  b = [1 2; 3 4; 5 6]
  @test a[end] == 3 && a[begin] == 1 && a[end-1] == 2
  @test b[end, 1] == 5 && b[1, end] == 2 && b[end] == 6
  @test a[b[1, end]] == 2
  @test a[a[end] - 1] == 2
  @test b[a[1:2]..., ] == b[1, 2]
  @test (1, 2, 3)[end] == 3
  a[end] += 1
  @test a == [1, 2, 4]
end

@testset "closures share what changes" begin
  function counter()
    n = 0
    up() = (n += 1)
    now() = n
    return up, now
  end
  up, now = counter()
  up(); up()
  @test now() == 2
  fs = []
  for i in 1:3
    push!(fs, () -> i)
  end
  @test [f() for f in fs] == [1, 2, 3]
  gs = []
  k = 0
  while k < 3
    k += 1
    j = k
    push!(gs, () -> j)
  end
  @test [g() for g in gs] == [1, 2, 3]
  fact(n) = n <= 1 ? 1 : n * fact(n - 1)
  @test fact(5) == 120
  is_even(n) = n == 0 ? true : is_odd(n - 1)
  is_odd(n) = n == 0 ? false : is_even(n - 1)
  @test is_even(10) && !is_even(7)
  adder(x) = y -> x + y
  @test adder(2)(3) == 5
  many(x) = 1
  many(x, y) = many(x) + 1
  @test many(1, 2) == 2
end

f_default(x, y=x + 1, z=y * 2) = (x, y, z)
f_keyword(a; b=a, c=b + 1) = (a, b, c)
f_rest(a, rest...; options...) = (a, rest, length(options))
outer_value = 5
f_outer(; outer_value=outer_value) = outer_value
f_both(x, y=10; k=0) = x + y + k
f_typed(x)::Float64 = x
f_where(x::T, y::T=one(T)) where {T<:Number} = (T, x + y)
f_pattern((a, b), c) = a + b * c
f_early(xs) = (for x in xs; x > 2 && return x; end; nothing)

@testset "functions" begin
  @test f_default(1) == (1, 2, 4)
  @test f_default(1, 5) == (1, 5, 10)
  @test f_keyword(1) == (1, 1, 2) && f_keyword(1; c=0) == (1, 1, 0) && f_keyword(1, b=4) == (1, 4, 5)
  @test f_rest(1) == (1, (), 0) && f_rest(1, 2, 3; x=1) == (1, (2, 3), 1)
  @test f_outer() == 5 && f_outer(outer_value=6) == 6
  @test f_both(1) == 11 && f_both(1; k=2) == 13 && f_both(1, 2, k=3) == 6
  @test f_typed(1) === 1.0
  @test f_where(2) == (Int, 3) && f_where(2.0, 1.5) == (Float64, 3.5)
  @test f_pattern((1, 2), 3) == 7
  @test f_early([1, 2, 3, 4]) == 3 && f_early([1]) === nothing
  @test map(x -> 2x, [1, 2]) == [2, 4]
  @test map((x, y) -> x * y, [1, 2], [3, 4]) == [3, 8]
  r = map([1, 2, 3]) do x
    x > 1 || return 0
    x^2
  end
  @test r == [0, 4, 9]
  args = (1, 2)
  @test +(args..., 3) == 6
  kw = (b=7,)
  @test f_keyword(1; kw...) == (1, 7, 8)
  b = 9
  @test f_keyword(1; b) == (1, 9, 10)
end

@testset "destructuring" begin
  a, b = 1, 2
  a, b = b, a
  @test (a, b) == (2, 1)
  (x, (y, z)), w = (1, (2, 3)), 4
  @test (x, y, z, w) == (1, 2, 3, 4)
  h, t... = [1, 2, 3]
  @test h == 1 && t == [2, 3]
  h, t... = (1, 2, 3)
  @test t === (2, 3)
  first_one, middle..., last_one = 1:5
  @test (first_one, collect(middle), last_one) == (1, [2, 3, 4], 5)
  (; p, q) = (q=1, p=2)
  @test (p, q) == (2, 1)
  v = [0, 0]
  v[1], v[2] = 3, 4
  @test v == [3, 4]
  _, second = (1, 2)
  @test second == 2
  @test_throws BoundsError (let; m, n = (1,); end)
  for (i, c) in enumerate("ab")
    @test c == "ab"[i]
  end
  @test [k => v for (k, v) in [(1, 2), (3, 4)]] == [1 => 2, 3 => 4]
end

@testset "loops and their exits" begin
  seen = Tuple{Int,Int}[]
  for i in 1:3, j in 1:3
    j == 2 && continue
    i == 3 && break
    push!(seen, (i, j))
  end
  @test seen == [(1, 1), (1, 3), (2, 1), (2, 3)]
  seen = Tuple{Int,Int}[]
  for i in 1:2
    for j in 1:3
      j == 2 && break
      push!(seen, (i, j))
    end
  end
  @test seen == [(1, 1), (2, 1)]
  log = Int[]
  for i in 1:3
    try
      i == 2 && continue
      i == 3 && break
      push!(log, i)
    finally
      push!(log, -i)
    end
  end
  @test log == [1, -1, -2, -3]
  function tries()
    try
      return 1
    finally
      push!(log, 0)
    end
  end
  @test tries() == 1 && log[end] == 0
  result = try
    error("no")
  catch e
    e.msg
  else
    "fine"
  end
  @test result == "no"
  @test (try 1 catch; 2 else 3 end) == 3
  s = 0
  while true
    s += 1
    s < 5 || break
  end
  @test s == 5
  local i
  for outer i in 1:3
  end
  @test i == 3
end

@testset "comprehensions" begin
  @test [i + j for i in 1:2, j in 1:3] == [2 3 4; 3 4 5]
  @test [(i, j) for i in 1:3 for j in 1:i if i + j == 4] == [(2, 2), (3, 1)]
  @test [x for x in 1:5 if isodd(x)] == [1, 3, 5]
  @test Float32[x for x in 1:2] isa Vector{Float32}
  @test sum(x^2 for x in 1:3) == 14
  n = 10
  @test [n * x for x in 1:2] == [10, 20]
  @test collect(x * y for x in 1:2, y in 1:2) == [1 2; 2 4]
end

@testset "scopes" begin
  x = 1
  let x = x + 1
    @test x == 2
    x = 5
  end
  @test x == 1
  y = begin
    z = 3
    z + 1
  end
  @test y == 4 && z == 3
  for k in 1:2
    fresh = k
  end
  @test !@isdefined(fresh)
  t::Float64 = 1
  t = 2
  @test t === 2.0
  u = (t = 3)
  @test u === 3 && t === 3.0
end

struct Point{T<:Real}
  x::T
  y::T
  Point{T}(x, y) where {T} = new{T}(x, y)
  Point(x::T) where {T} = new{T}(x, zero(T))
end
Point(x, y) = Point{promote_type(typeof(x), typeof(y))}(x, y)
mutable struct Account
  const name::String
  balance::Float64
end
@kwdef struct Options
  steps::Int = 10
  rate::Float64 = 1 / steps
  name
end
(p::Point)(s) = Point(p.x * s, p.y * s)

@testset "types" begin
  @test Point(1, 2.5) === Point{Float64}(1.0, 2.5)
  @test Point(3).y === 0
  @test Point(1, 2)(3).y == 6
  a = Account("x", 1)
  a.balance += 2
  @test a.balance === 3.0
  @test_throws ErrorException a.name = "y"
  o = Options(name="n", steps=4)
  @test o.rate == 0.25 && o.name == "n"
  @test_throws UndefKeywordError Options()
end

@testset "dots" begin
  x = [1.0, 4.0]
  @test sqrt.(x) .+ 1 == [2, 3]
  y = similar(x)
  y .= x .^ 2
  @test y == [1, 16]
  @. y = 2x + $sum(x)
  @test y == [7, 13]
  y[1:1] .+= 1
  @test y == [8, 13]
  @test (1 .< x .< 5) == [false, true]
  @test max.(x, [2 3]) == [2 3; 4 4]
  A = [1 2; 3 4]
  @views A[:, 1] .= A[:, 2]
  @test A == [2 2; 4 4]
  @views row(i) = A[i, :]
  @test row(1) isa SubArray
end

@testset "strings and literals" begin
  n = 3
  @test "n = $n, n^2 = $(n^2)" == "n = 3, n^2 = 9"
  @test """
    a
      b $n
    """ == "a\n  b 3\n"
  @test raw"a\b" == "a\\b"
  @test 2n == 6 && 2n^2 == 18 && 1/2n == 1/6
  @test -2^2 == -4 && 2^-1 == 0.5
  @test (a=1, b=2).b == 2
  @test (; n) == (n=3,)
  @test merge((a=1,), (; n, (; b=2)...)) == (a=1, n=3, b=2)
end
