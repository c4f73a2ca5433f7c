# Arrays: making, indexing, assigning, growing, shaping.
using Test

@testset "arrays" begin
    A = [1 2 3; 4 5 6]
    @test size(A) == (2, 3) && length(A) == 6 && ndims(A) == 2
    @test A[2, 3] == 6 && A[3] == 2              # column-major
    @test A[:, 2] == [2, 5] && A[1, :] == [1, 2, 3]
    @test A[end, end] == 6 && A[begin] == 1
    @test A[1:2, [1, 3]] == [1 3; 4 6]
    @test A[A .> 2] == [4, 5, 3, 6]
    @test A' == [1 4; 2 5; 3 6]
    @test vec(A) == [1, 4, 2, 5, 3, 6]
    @test reshape(1:6, 2, 3) == [1 3 5; 2 4 6]
    @test [A; 7 8 9] == [1 2 3; 4 5 6; 7 8 9]
    @test hcat(A, [0, 0]) == [1 2 3 0; 4 5 6 0]
    @test vcat([1], [2, 3]) == [1, 2, 3]
    @test cat([1 2], [3 4]; dims = 3)[:, :, 2] == [3 4]
    @test zeros(2, 2) == [0.0 0.0; 0.0 0.0]
    @test ones(Int, 3) == [1, 1, 1]
    @test fill(7, 2) == [7, 7]
    @test [i * j for i in 1:2, j in 1:3] == [1 2 3; 2 4 6]
    @test [x for x in 1:10 if x % 3 == 0] == [3, 6, 9]
    @test [(i, j) for i in 1:2 for j in 1:i] == [(1, 1), (2, 1), (2, 2)]
    @test Float32[1, 2] isa Vector{Float32}
    @test [1, 2.5] isa Vector{Float64}
    @test [1, "a"] isa Vector{Any}
    @test isempty(Int[]) && eltype([]) == Any
    @test collect(1:2:7) == [1, 3, 5, 7]

    B = copy(A)
    B[1, 1] = 100
    @test A[1, 1] == 1
    B[:, 3] .= 0
    @test B == [100 2 0; 4 5 0]
    B[2, :] = [7, 8, 9]
    @test B[2, :] == [7, 8, 9]
    @test_throws BoundsError A[3, 1]
    @test_throws BoundsError A[0]
    @test_throws DimensionMismatch (B[1, :] = [1, 2])
    @test_throws InexactError (B[1, 1] = 1.5)

    v = [1, 2, 3]
    push!(v, 4)
    pushfirst!(v, 0)
    @test v == [0, 1, 2, 3, 4]
    @test pop!(v) == 4 && popfirst!(v) == 0
    append!(v, [5, 6])
    insert!(v, 2, 9)
    deleteat!(v, 1)
    @test v == [9, 2, 3, 5, 6]
    @test splice!(v, 2:3) == [2, 3] && v == [9, 5, 6]
    resize!(v, 2)
    @test v == [9, 5]
    empty!(v)
    @test isempty(v)
    @test_throws ArgumentError pop!(v)

    # views share
    w = view(A, :, 2)
    w[1] = 50
    @test A[1, 2] == 50
    @views A[2, :] .= 1
    @test A[2, :] == [1, 1, 1]
    s = @view A[1, :]
    @test parent(s) === A && sum(s) == 54

    @test permutedims([1 2; 3 4]) == [1 3; 2 4]
    @test circshift([1, 2, 3], 1) == [3, 1, 2]
    @test reverse([1, 2, 3]) == [3, 2, 1]
    @test repeat([1, 2], 2) == [1, 2, 1, 2]
    @test axes(A) == (Base.OneTo(2), Base.OneTo(3))
    @test eachindex([5, 6]) == 1:2
    @test [sum(c) for c in eachcol([1 2; 3 4])] == [4, 6]
    @test [sum(r) for r in eachrow([1 2; 3 4])] == [3, 7]
    @test CartesianIndices((2, 2))[3] == CartesianIndex(1, 2)
    @test findall(x -> x > 1, [1, 2, 3]) == [2, 3]
    @test [1, 2] == [1.0, 2.0] && [1, 2] != [2, 1]
    t = [3, 1, 2]
    t[1], t[2] = t[2], t[1]
    @test t == [1, 3, 2]
    C = zeros(2, 2, 2)
    C[:, :, 1] .= [1 2; 3 4]
    @test sum(C) == 10 && C[2, 1, 1] == 3
    @test similar([1.0, 2.0]) isa Vector{Float64}
end
