# Dense linear algebra, checked by its own laws.
using Test, LinearAlgebra

@testset "linear algebra" begin
    A = [4.0 1 2; 1 3 0; 2 0 5]
    b = [1.0, 2, 3]
    x = A \ b
    @test A * x ≈ b && inv(A) * A ≈ I && det(A) ≈ 4 * 15 - 1 * 5 - 2 * 6
    @test [1 2; 3 4] * [5 6; 7 8] == [19 22; 43 50] && [1 2; 3 4] * [1, 1] == [3, 7]
    @test dot([1, 2, 3], [4, 5, 6]) == 32 && [1, 2] ⋅ [3, 4] == 11 && cross([1, 0, 0], [0, 1, 0]) == [0, 0, 1]
    @test norm([3, 4]) == 5 && norm([1, -2], 1) == 3 && norm([1, -2], Inf) == 2 && norm([1 2; 3 4]) ≈ sqrt(30)
    @test tr(A) == 12 && rank([1 2; 2 4]) == 1 && A' == A && issymmetric(A)
    L, U, p = lu(A)
    @test L * U ≈ A[p, :] && istril(L) && istriu(U)
    Q, R = qr(A)
    @test Matrix(Q) * R ≈ A && Matrix(Q)' * Matrix(Q) ≈ I
    C = cholesky(A)
    @test C.L * C.L' ≈ A && C \ b ≈ x
    e = eigen(Symmetric(A))
    @test A * e.vectors ≈ e.vectors * Diagonal(e.values) && sum(e.values) ≈ tr(A) && prod(e.values) ≈ det(A)
    F = svd([1.0 2; 3 4; 5 6])
    @test F.U * Diagonal(F.S) * F.Vt ≈ [1 2; 3 4; 5 6] && F.S[1] >= F.S[2]
    @test eigvals([2.0 0; 0 3]) ≈ [2, 3]
    @test Diagonal([1, 2]) * [1 1; 1 1] == [1 1; 2 2] && diag(A) == [4, 3, 5]
    @test UpperTriangular([1 2; 3 4]) == [1 2; 0 4] && LowerTriangular([1 2; 3 4]) == [1 0; 3 4]
    @test kron([1 2], [1, 1]) == [1 2; 1 2] && [1 2; 3 4]^2 == [7 10; 15 22]
    @test exp(zeros(2, 2)) ≈ I && triu([1 2; 3 4]) == [1 2; 0 4]
    y = zeros(3)
    mul!(y, A, b)
    @test y == A * b
    @test [1.0 0; 1 1; 1 2] \ [6.0, 0, 0] ≈ [5, -3]     # a classic least squares fit
    @test_throws DimensionMismatch A * [1, 2]
    @test_throws SingularException inv([1.0 2; 2 4])
    @test_throws PosDefException cholesky([1.0 2; 2 1])
    @test normalize([3.0, 4]) ≈ [0.6, 0.8] && I * A == A && (A - 2I)[1, 1] == 2
    @test cond([1.0 0; 0 2]) ≈ 2
    @test nullspace([1.0 1; 1 1])' * [1, 1] ≈ [0] atol = 1e-12
    @test opnorm([3.0 0; 0 4]) ≈ 4 && pinv([1.0 0; 0 2]) ≈ [1 0; 0 0.5] && isposdef(A)
end
