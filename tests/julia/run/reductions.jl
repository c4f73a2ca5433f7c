# Reductions, maps, sorting and searching, with their keywords.
using Test, Statistics

@testset "reductions" begin
    A = [1 2; 3 4]
    @test sum(A) == 10 && prod(A) == 24 && sum(abs2, [1, 2]) == 5
    @test sum(A; dims = 1) == [4 6] && sum(A; dims = 2) == reshape([3, 7], 2, 1)
    @test maximum(A; dims = 1) == [3 4] && minimum(A) == 1 && extrema([3, 1, 2]) == (1, 3)
    @test maximum(abs, [-3, 2]) == 3 && sum(Int[]) == 0 && sum([]; init = 5) == 5
    @test_throws ArgumentError maximum(Int[])
    @test argmax([3, 9, 2]) == 2 && findmax([3, 9, 2]) == (9, 2) && argmin([3, 9, 2]) == 3
    @test any(>(2), [1, 2, 3]) && all(isodd, [1, 3]) && count(iseven, 1:10) == 5
    @test reduce(+, 1:4) == 10 && foldl(-, [1, 2, 3]) == -4 && foldr(-, [1, 2, 3]) == 2
    @test mapreduce(x -> x^2, +, 1:3) == 14 && reduce(max, [1, 5, 2]; init = 10) == 10
    @test accumulate(+, 1:4) == [1, 3, 6, 10] && cumsum([1, 2, 3]) == [1, 3, 6] && cumprod([1, 2, 3]) == [1, 2, 6]
    @test cumsum(A; dims = 1) == [1 2; 4 6] && diff([1, 4, 9]) == [3, 5]
    @test map(+, [1, 2], [10, 20]) == [11, 22] && filter(isodd, 1:5) == [1, 3, 5]
    @test mapslices(sum, A; dims = 1) == [4 6] && foreach(identity, 1:2) === nothing
    @test collect(zip(1:2, "ab")) == [(1, 'a'), (2, 'b')] && collect(enumerate("ab")) == [(1, 'a'), (2, 'b')]
    @test [sum(x) for x in Iterators.partition(1:5, 2)] == [3, 7, 5]
    @test collect(Iterators.take(Iterators.cycle([1, 2]), 5)) == [1, 2, 1, 2, 1]
    @test sum(x for x in 1:10 if iseven(x)) == 30 && sum(i * j for i in 1:2, j in 1:3) == 18
    @test collect(Iterators.product(1:2, 1:2)) == [(1, 1) (1, 2); (2, 1) (2, 2)]
    @test collect(Iterators.flatten([[1], [2, 3]])) == [1, 2, 3]
    @test first(Iterators.drop(1:5, 2)) == 3 && only([7]) == 7
end

@testset "sorting" begin
    @test sort([3, 1, 2]) == [1, 2, 3] && sort([3, 1, 2]; rev = true) == [3, 2, 1]
    @test sort(["bb", "a", "ccc"]; by = length) == ["a", "bb", "ccc"]
    @test sort([1, -3, 2]; lt = (a, b) -> abs(a) < abs(b)) == [1, 2, -3]
    v = [5, 3, 4]
    sort!(v)
    @test v == [3, 4, 5] && issorted(v) && sortperm([30, 10, 20]) == [2, 3, 1]
    @test searchsortedfirst([1, 3, 5], 3) == 2 && searchsortedlast([1, 3, 5], 4) == 2 && insorted(3, [1, 3])
    @test sort([2.0, NaN, 1.0])[1:2] == [1.0, 2.0] && isnan(sort([2.0, NaN, 1.0])[3])
    @test partialsort([5, 1, 4], 2) == 4 && sort([(2, 'a'), (1, 'b')]) == [(1, 'b'), (2, 'a')]
    # stable
    @test sort([(1, 'b'), (0, 'x'), (1, 'a')]; by = first) == [(0, 'x'), (1, 'b'), (1, 'a')]
    @test sort([3 1; 2 4]; dims = 2) == [1 3; 2 4]
    @test findfirst(>(2), [1, 3, 5]) == 2 && findlast(isodd, [1, 2, 3, 4]) == 3 && findfirst(>(9), [1]) === nothing
    @test indexin([1, 5], [5, 6]) == [nothing, 1] && reverse(sort([2, 1])) == [2, 1]
end

@testset "statistics" begin
    x = [2.0, 4, 4, 4, 5, 5, 7, 9]        # a textbook sample: mean 5, population deviation 2
    @test mean(x) == 5 && std(x; corrected = false) == 2 && median(x) == 4.5
    @test var(x) ≈ 32 / 7 && middle(1, 3) == 2 && quantile(1:5, 0.5) == 3
    @test mean([1 2; 3 4]; dims = 1) == [2 3] && cor([1, 2, 3], [2, 4, 6]) ≈ 1
    @test mean(abs2, [1, 2, 3]) ≈ 14 / 3
end
