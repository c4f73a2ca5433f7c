# Dotted calls: shapes, fusion, in place.
using Test

@testset "broadcast" begin
    @test [1, 2, 3] .+ 1 == [2, 3, 4]
    @test [1, 2] .* [3 4] == [3 4; 6 8]
    @test [1 2; 3 4] .+ [10, 20] == [11 12; 23 24]
    @test sin.([0.0]) == [0.0]
    @test (x -> 2x + 1).(1:3) == [3, 5, 7]
    @test abs.((-1, 2)) == (1, 2)
    @test max.([1, 5], [3, 2]) == [3, 5]
    @test .![true, false] == [false, true]
    @test ([1, 2] .== [1, 3]) == BitVector([1, 0])
    @test ["a", "b"] .* "c" == ["ac", "bc"]
    @test (1:3) .+ 1 === 2:4
    @test 2 .^ (0:3) == [1, 2, 4, 8]
    @test @.(sqrt(abs([-4, 9])) + 1) == [3, 4]
    f(x, y; k = 1) = k * (x + y)
    @test f.([1, 2], 3; k = 2) == [8, 10]
    @test string.([1, 2], "x") == ["1x", "2x"]
    @test (Ref([1, 2]) .== [[1, 2], [3]]) == [true, false]
    @test in.([1, 5], Ref([1, 2])) == [true, false]
    @test isempty(Int[] .+ 1)
    @test_throws DimensionMismatch [1, 2] .+ [1, 2, 3]

    a = [1.0, 2.0, 3.0]
    b = a
    a .= a .* 2 .+ 1
    @test b == [3, 5, 7] && a === b
    a .+= 1
    @test b == [4, 6, 8]
    a[2:3] .= 0
    @test a == [4, 0, 0]
    x = zeros(2, 2)
    x .= [1, 2]
    @test x == [1 1; 2 2]
    x[:, 1] .*= 10
    @test x == [10 1; 20 2]
    # what is read is read before it is written
    v = [1, 2, 3, 4]
    v[2:4] .= v[1:3]
    @test v == [1, 1, 2, 3]
    @test (y = [1, 2]; y .-= 1; y) == [0, 1]
    @test Int.([1.0, 2.0]) isa Vector{Int}
    @test round.(Int, [1.4, 1.6]) == [1, 2]
    @test (0.5 .< [0.2, 0.7]) isa BitVector
    @test [1, 2] .+ im == [1 + im, 2 + im]
    @test ifelse.([true, false], 1, 2) == [1, 2]
end
