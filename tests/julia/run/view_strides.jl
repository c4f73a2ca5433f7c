# Views of every kind of index against copies by the same indices.
using Test

kinds(d) = (:, 1, d, 2:d, 1:2:d, d:-1:1, [1, d])
# Whole, by one index, by all indices and as what is calculated with.
same(v::AbstractArray, w::AbstractArray) = v == w && size(v) == size(w) && [v[i] for i in 1:length(w)] == vec(w) && sum(v; init = 0.0) == sum(w; init = 0.0) && collect(v) == w
same(v::AbstractArray, w::Number) = v[] == w
of_views(A, k) = sum(view(A, :, k, :)) + 10 * view(A, :, k, :)[3] + 100 * view(A, k, :, :)[4]
of_copies(A, k) = sum(A[:, k, :]) + 10 * A[:, k, :][3] + 100 * A[k, :, :][4]

@testset "views" begin
    A = reshape(collect(1.0:120.0), 2, 3, 4, 5)
    for i in kinds(2), j in kinds(3), k in kinds(4), l in (:, 1, 2:5)
        same(view(A, i, j, k, l), A[i, j, k, l]) || @test (i, j, k, l) == "a view that is like its copy"
    end
    B = A[:, :, :, 1]
    @test of_views(B, 2) == of_copies(B, 2)
    C = zeros(2, 3, 4)
    C[:, 2, :] .= 1
    view(C, :, 3, :)[3] = 7.0
    @test C[1, 3, 2] == 7.0 && sum(C) == 15.0
    @test stack(eachslice(B; dims = 2)) == permutedims(B, (1, 3, 2))
    @test typeof(view(B, 1, :, :)).parameters[5] && !typeof(view(B, :, 1, :)).parameters[5]
end
