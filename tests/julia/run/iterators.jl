# Lazy iterators, sorting, searching and sets against closed forms and the values of Julia's documentation.
using Test

struct Countdown
    from::Int
end
Base.iterate(c::Countdown, n=c.from) = n == 0 ? nothing : (n, n - 1)
Base.length(c::Countdown) = c.from
Base.eltype(::Type{Countdown}) = Int

@testset "iterators" begin
    @test collect(zip(1:3, "abc")) == [(1, 'a'), (2, 'b'), (3, 'c')]
    @test length(zip(1:3, 1:5)) == 3
    @test eltype(zip([1], [1.0])) == Tuple{Int,Float64}
    @test [i * x for (i, x) in enumerate([4, 5, 6])] == [4, 10, 18]
    @test collect(Iterators.product(1:2, 3:5)) == [(i, j) for i in 1:2, j in 3:5]
    @test collect(Iterators.flatten((1:2, 8:9))) == [1, 2, 8, 9]
    @test collect(Iterators.take(Iterators.countfrom(10, 5), 3)) == [10, 15, 20]
    @test collect(Iterators.drop(1:2:11, 4)) == [9, 11]
    @test collect(Iterators.takewhile(<(3), [1, 2, 5, 1])) == [1, 2]
    @test collect(Iterators.dropwhile(<(3), [1, 2, 5, 1])) == [5, 1]
    @test collect(Iterators.partition([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
    @test collect(Iterators.accumulate(+, 1:4)) == [1, 3, 6, 10]
    @test collect(Iterators.reverse([1, 2, 3])) == [3, 2, 1]
    @test collect(Iterators.take(Iterators.cycle([1, 2]), 5)) == [1, 2, 1, 2, 1]
    @test collect(Iterators.repeated(7, 3)) == [7, 7, 7]
    @test sum(x^2 for x in 1:10 if isodd(x)) == 165
    (first_one, rest) = Iterators.peel([1, 2, 3])
    @test first_one == 1 && collect(rest) == [2, 3]
    @test only([4]) == 4
    @test_throws ArgumentError only([1, 2])
end

@testset "an iterator of the program's own among them" begin
    @test collect(enumerate(Countdown(3))) == [(1, 3), (2, 2), (3, 1)]
    @test sum(x * y for (x, y) in zip(Countdown(3), 1:3)) == 10
    @test maximum(Countdown(4)) == 4
    @test [x for x in Countdown(5) if iseven(x)] == [4, 2]
end

@testset "sums in pairs" begin
    n = 10^5
    v = fill(0.1, n)
    one_by_one = foldl(+, v)
    @test abs(sum(v) - 10^4) < 1e-9
    @test abs(one_by_one - 10^4) > 1e-9
    @test sum(1.0:1000.0) == 500500.0
    @test sum(collect(1:1000)) == 500500
    @test cumsum(collect(1:100))[end] == 5050
    @test typeof(sum(Int8[100, 100])) == Int
end

@testset "sorting" begin
    pairs_of = [(3, 'a'), (1, 'b'), (3, 'c'), (1, 'd')]
    @test sort(pairs_of, by=first) == [(1, 'b'), (1, 'd'), (3, 'a'), (3, 'c')]
    @test sort(pairs_of, by=first, rev=true) == [(3, 'a'), (3, 'c'), (1, 'b'), (1, 'd')]
    @test isequal(sort([NaN, -0.0, 1.0, 0.0, -Inf]), [-Inf, -0.0, 0.0, 1.0, NaN])
    @test sort([1, 2, 3, 4], lt=(a, b) -> isless(b, a)) == [4, 3, 2, 1]
    @test sortperm([30, 10, 20]) == [2, 3, 1]
    @test sort([3 1; 2 4], dims=2) == [1 3; 2 4]
    @test partialsort([5, 3, 1, 4], 2) == 3
    @test searchsorted([1, 2, 2, 5], 2) == 2:3
    @test searchsortedfirst([10, 20, 30], 25) == 3
    @test issorted([1, 2, 2]) && !issorted([2, 1])
end

@testset "searching and sets" begin
    A = [1 5; 7 2]
    @test findall(>(2), A) == [CartesianIndex(2, 1), CartesianIndex(1, 2)]
    @test findfirst(==(7), A) == CartesianIndex(2, 1)
    @test findlast(isodd, [1, 3, 4]) == 2
    @test findnext(iseven, [2, 3, 4], 2) == 3
    @test findfirst(>(10), A) === nothing
    @test findmax(A) == (7, CartesianIndex(2, 1))
    @test argmin(x -> (x - 3)^2, 0:10) == 3
    @test unique([2, 1, 2]) == [2, 1]
    @test union([1, 2], [2, 3]) == [1, 2, 3] && intersect([1, 2], [2, 3]) == [2]
    @test symdiff([1, 2, 3, 4, 5], [1, 2, 3], [3, 4]) == [3, 5]
    @test issubset([1, 2], 1:3) && !([4] ⊆ 1:3)
    @test indexin([1, 3, 5, 7], [5, 4, 3]) == [nothing, 3, 1, nothing]
    @test indexin([5], [5]) isa Vector{Union{Int,Nothing}} && indexin("cab", ['a', 'b']) == [nothing, 1, 2]
    @test replace([1, 2, 1], 1 => 0) == [0, 2, 0]
end

@testset "destinations that are read" begin
    a = collect(1:5)
    a[2:5] .= a[1:4]
    @test a == [1, 1, 2, 3, 4]
    b = collect(1.0:5.0)
    view(b, 2:5) .= view(b, 1:4) .* 10
    @test b == [1, 10, 20, 30, 40]
    c = [1.0 2; 3 4]
    c .= c'
    @test c == [1 3; 2 4]
    d = [4.0, -1.0]
    @test_throws DomainError (d .= sqrt.(d))
end
