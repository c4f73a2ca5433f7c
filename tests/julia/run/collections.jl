# Tuples, named tuples, dictionaries, sets, ranges, missing values.
using Test

@testset "tuples" begin
    t = (1, "a", 2.5)
    @test t[1] == 1 && length(t) == 3 && t[2:3] == ("a", 2.5) && t[end] == 2.5
    a, b..., c = (1, 2, 3, 4)
    @test (a, b, c) == (1, (2, 3), 4) || (a, collect(b), c) == (1, [2, 3], 4)
    (x, (y, z)) = (1, (2, 3))
    @test x + y + z == 6
    n = (width = 3, height = 4)
    @test n.width == 3 && n[:height] == 4 && keys(n) == (:width, :height) && values(n) == (3, 4)
    (; height) = n
    @test height == 4
    @test merge(n, (height = 5,)) == (width = 3, height = 5)
    @test (1, 2) < (1, 3) && (1, 2) == (1, 2) && map(x -> x^2, (1, 2)) == (1, 4)
    @test (t..., 4) == (1, "a", 2.5, 4) && ntuple(i -> 2i, 3) == (2, 4, 6)
    @test typeof((1, 'a')) == Tuple{Int64,Char} && isempty(())
    @test sum((1, 2, 3)) == 6 && maximum((3, 9, 2)) == 9 && 2 in (1, 2)
    @test eltype((1, 2.0)) == Real
end

@testset "dictionaries and sets" begin
    d = Dict("a" => 1, "b" => 2)
    @test d["a"] == 1 && haskey(d, "b") && get(d, "c", 0) == 0 && length(d) == 2
    d["c"] = 3
    @test sort(collect(keys(d))) == ["a", "b", "c"] && sum(values(d)) == 6
    @test delete!(d, "a") === d && !haskey(d, "a") && pop!(d, "b") == 2
    @test get!(d, "z", 26) == 26 && d["z"] == 26
    @test_throws KeyError d["nope"]
    counts = Dict{Char,Int}()
    for c in "banana"
        counts[c] = get(counts, c, 0) + 1
    end
    @test counts == Dict('b' => 1, 'a' => 3, 'n' => 2)
    @test Dict(x => x^2 for x in 1:3)[3] == 9 && Dict([(1, 2)]) == Dict(1 => 2)
    @test sort([k => v for (k, v) in Dict(2 => 'b', 1 => 'a')]) == [1 => 'a', 2 => 'b']
    @test merge(Dict(1 => 1), Dict(1 => 2)) == Dict(1 => 2)
    s = Set([1, 2, 2, 3])
    @test length(s) == 3 && 2 in s && !(5 in s)
    push!(s, 4)
    @test union(Set([1]), [2]) == Set([1, 2]) && intersect(s, Set([3, 4, 5])) == Set([3, 4])
    @test setdiff([1, 2, 3], [2]) == [1, 3] && issubset([1], s) && unique([1, 2, 1]) == [1, 2]
    @test isempty(Set()) && Set("aab") == Set(['a', 'b'])
    @test first(1 => 2) == 1 && last(1 => 2) == 2
end

@testset "ranges" begin
    @test collect(1:0) == [] && length(1:2:10) == 5 && last(1:2:10) == 9 && step(1:2:10) == 2
    @test sum(1:100) == 5050 && (1:10)[3:5] === 3:5 && reverse(1:3) == 3:-1:1
    @test collect(0:0.1:0.3) == [0.0, 0.1, 0.2, 0.3] && (0:0.1:1)[4] == 0.3
    @test range(0, 1; length = 5) == [0, 0.25, 0.5, 0.75, 1] && length(range(1, 10; step = 3)) == 4
    @test LinRange(0, 1, 3) == [0, 0.5, 1] && collect('a':'e') == ['a', 'b', 'c', 'd', 'e']
    @test 5 in 1:10 && !(2 in 1:2:9) && minimum(3:7) == 3 && isempty(5:1)
    @test 2 * (1:3) == 2:2:6 && (1:3) + (1:3) == 2:2:6 && intersect(1:5, 3:9) == 3:5
    @test_throws ArgumentError 1:0:5
end

@testset "missing" begin
    @test ismissing(missing + 1) && ismissing(missing == 1) && isequal(missing, missing)
    @test coalesce(missing, 2) == 2 && collect(skipmissing([1, missing, 3])) == [1, 3]
    @test sum(skipmissing([1, missing])) == 1 && (false & missing) === false && ismissing(true & missing)
    @test something(nothing, 1) == 1 && isnothing(nothing)
    @test eltype([1, missing]) == Union{Missing,Int64}
end
