# Factorizations and what is made of them inside of functions, which compile: by closed forms, by their own laws, and derivatives by
# finite differences and known rules.
using Test, LinearAlgebra, Statistics, Zygote

const S = [4.0 1 2; 1 3 0; 2 0 5]          # positive definite, determinant 43
const G = [2.0 -1 0.5; 1 3 -2; 0.5 1 1.5]  # of no special form
const b = [1.0, 2, 3]
const W = [1.0 2 3; -1 0.5 2; 0 1 -1; 2 2 0.5; 1 -1 1]

solve(A, b) = A \ b
right(B, A) = B / A
gram(A) = A' * A

@testset "systems" begin
    @test G * solve(G, b) ≈ b && G * solve(G, [b 2b]) ≈ [b 2b]
    @test solve([1 2; 3 4], [5, 6]) ≈ [-4, 4.5]               # Cramer's rule
    @test solve([2.0 1; 0 4], [4.0, 4]) == [1.5, 1]             # triangular matrices: substitution
    @test solve([2.0 0; 1 4], [4.0, 4]) == [2, 0.5]
    @test solve([2.0 0; 0 4], [4.0, 4]) == [2, 1]
    @test right(b', G) ≈ (G' \ b)' && right([1.0 2 3; 4 5 6], G) * G ≈ [1 2 3; 4 5 6]
    @test solve(G', b) ≈ inv(G)' * b && solve(transpose(G), b) ≈ inv(G)' * b
    @test_throws SingularException solve([1.0 2; 2 4], [1.0, 1])
    @test_throws SingularException solve([1.0 2; 0 0], [1.0, 1])
    @test_throws DimensionMismatch solve(G, [1.0, 2])
    # The classic fit of a line, and the least norm of a wide system.
    @test solve([1.0 0; 1 1; 1 2], [6.0, 0, 0]) ≈ [5, -3]
    @test solve([1.0 1], [2.0]) ≈ [1, 1]
    @test W' * (W * solve(W, ones(5)) - ones(5)) ≈ zeros(3) atol = 1e-12
    @test solve([1.0 1; 1 1; 1 1], [1.0, 2, 3]) ≈ [1, 1]      # columns that depend on each other: the least norm
    @test solve(Float32[2 0; 1 1], Float32[2, 3]) isa Vector{Float32}
    Z = [1.0+2im 2; 0.5im 3]
    @test Z * solve(Z, [1.0, 2im]) ≈ [1, 2im] && solve(Z', [1.0im, 2]) ≈ inv(Z)' * [1im, 2]
    triangles(A, b) = (UpperTriangular(A) \ b, LowerTriangular(A) \ b, UnitUpperTriangular(A) \ b, UnitLowerTriangular(A) \ b)
    u, l, uu, ul = triangles(G, b)
    @test triu(G) * u ≈ b && tril(G) * l ≈ b && (triu(G, 1) + I) * uu ≈ b && (tril(G, -1) + I) * ul ≈ b
    three(A, b) = Tridiagonal(A) \ b
    @test Tridiagonal(G) * three(G, b) ≈ b
    symmetric(A, b) = Symmetric(A) \ b
    @test Symmetric(G) * symmetric(G, b) ≈ b
end

@testset "LU, determinants, inverses" begin
    parts(A) = (F = lu(A); (F.L, F.U, F.p, F.P))
    L, U, p, P = parts(G)
    @test L * U ≈ G[p, :] && P * G ≈ L * U && istril(L) && istriu(U) && diag(L) == ones(3)
    function taken_apart(A)
        L, U, p = lu(A)
        V, S, _ = svd(A)
        λ, _ = eigen(Symmetric(A))
        return L * U - A[p, :], S, λ
    end
    r, s, λ = taken_apart(S)
    @test norm(r) < 1e-14 && s ≈ reverse(λ)      # of a positive definite matrix they are the same
    factors(A) = (F = lu(A); (det(F), logdet(F), inv(F), F \ [1.0, 2, 3]))
    d, ld, i, x = factors(S)
    @test d ≈ 43 && ld ≈ log(43) && i * S ≈ I && S * x ≈ b
    @test lu(G) isa LU && issuccess(lu(G)) && !issuccess(lu([1.0 2; 2 4]; check=false))
    determinant(A) = det(A)
    @test determinant(S) ≈ 43 && determinant([1.0 2; 3 4]) ≈ -2 && determinant([2.0 5; 0 3]) == 6 && determinant([1.0 2; 2 4]) == 0
    @test determinant([1 2; 3 4]) ≈ -2 && determinant([1im 2; 3 4]) ≈ 4im - 6
    signed(A) = logabsdet(A)
    @test all(signed([1.0 2; 3 4]) .≈ (log(2), -1.0))
    inverse(A) = inv(A)
    @test inverse(G) * G ≈ I && inverse([2.0 1; 0 4]) ≈ [0.5 -0.125; 0 0.25] && inverse([1 2; 3 4]) ≈ [-2 1; 1.5 -0.5]
    @test_throws SingularException inverse([1.0 2; 2 4])
    @test_throws DimensionMismatch inverse([1.0 2 3; 4 5 6])
    power(A, k) = A^k
    @test power([1.0 1; 0 1], 5) == [1 5; 0 1] && power([2.0 0; 1 1], -2) ≈ inv([4.0 0; 3 1])
end

@testset "Cholesky" begin
    parts(A) = (C = cholesky(A); (C.U, C.L, C \ [1.0, 2, 3], det(C), logdet(C), inv(C)))
    U, L, x, d, ld, i = parts(S)
    @test U isa UpperTriangular && U' * U ≈ S && L * L' ≈ S && S * x ≈ b && d ≈ 43 && ld ≈ log(43) && i * S ≈ I
    lower(A) = cholesky(Symmetric(A, :L)).L
    @test lower(S) * lower(S)' ≈ S
    test(A) = isposdef(A)
    @test test(S) && !test([1.0 2; 2 1]) && !test(G)
    factor(A) = cholesky(A).U
    @test_throws PosDefException factor([1.0 2; 2 1])
    @test_throws PosDefException factor(G)                     # not symmetric
    Z = [2.0 1im; -1im 3]
    complex_parts(A) = (C = cholesky(Hermitian(A)); (C.U, C \ [1.0, 2im]))
    V, y = complex_parts(Z)
    @test V' * V ≈ Z && Z * y ≈ [1, 2im]
end

@testset "QR" begin
    parts(A) = (F = qr(A); (Matrix(F.Q), F.R))
    for A in (W, G, [1.0 2 3; 4 5 6], randn(40, 40))
        Q, R = parts(A)
        @test Q * R ≈ A && Q' * Q ≈ I && istriu(R)
    end
    @test abs.(parts([3.0 1; 4 1])[2]) ≈ [5 1.4; 0 0.2]
    apply(A, x) = (F = qr(A); (F.Q' * x, F.Q * (F.Q' * x), F \ x))
    q, same, fit = apply(W, ones(5))
    @test norm(q) ≈ sqrt(5) && same ≈ ones(5) && fit ≈ W \ ones(5)
    wide(A) = (F = lq(A); (F.L, Matrix(F.Q)))
    L, Q = wide([1.0 2 3; 4 5 7])
    @test L * Q ≈ [1 2 3; 4 5 7] && Q * Q' ≈ I && istril(L)
    near(A) = (F = hessenberg(A); (Matrix(F.Q), Matrix(F.H)))
    Q, H = near(S)
    @test Q * H * Q' ≈ S && Q' * Q ≈ I && abs(H[3, 1]) < 1e-12
    pivoted(A) = (F = qr(A, ColumnNorm()); (Matrix(F.Q) * F.R, F.p, rank(F)))
    QR, p, r = pivoted(W)
    @test QR ≈ W[:, p] && r == 3 && pivoted([1.0 2; 2 4])[3] == 1
end

@testset "singular values and eigenvalues" begin
    parts(A) = (F = svd(A); (F.U, F.S, F.V))
    for A in (W, [1.0 2 3; 4 5 6])
        U, s, V = parts(A)
        @test U * Diagonal(s) * V' ≈ A && s == sort(s, rev=true) && U' * U ≈ I
    end
    values(A) = svdvals(A)
    @test values([3.0 0; 0 -4]) ≈ [4, 3]
    numbers(A) = (cond(A), opnorm(A), rank(A), norm(pinv(A) * A - I))
    c, o, r, n = numbers([2.0 0; 0 8])
    @test c ≈ 4 && o ≈ 8 && r == 2 && n < 1e-14
    spectrum(A) = (F = eigen(Symmetric(A)); (F.values, F.vectors))
    λ, V = spectrum(S)
    @test S * V ≈ V * Diagonal(λ) && V' * V ≈ I && issorted(λ) && sum(λ) ≈ 12 && prod(λ) ≈ 43
    @test spectrum([2.0 1; 1 2])[1] ≈ [1, 3]
    general(A) = (F = eigen(A); (F.values, F.vectors))
    λ, V = general([2.0 1; 0 3])
    @test λ ≈ [2, 3] && [2.0 1; 0 3] * V ≈ V * Diagonal(λ)
    @test general([2.0 1; 1 2])[1] ≈ [1, 3]
    @test general([0.0 1; -1 0])[1] ≈ [-1im, 1im]              # complex ones: not compiled, the same function
    bounds(A) = (eigmin(Symmetric(A)), eigmax(Symmetric(A)), eigvals(Hermitian(A)))
    @test all(bounds([2.0 1; 1 2])[1:2] .≈ (1, 3)) && bounds([2.0 1; 1 2])[3] ≈ [1, 3]
    relative(A, B) = eigen(Symmetric(A), B).values
    @test relative([2.0 1; 1 2], [2.0 0; 0 1]) ≈ [(3 - sqrt(3)) / 2, (3 + sqrt(3)) / 2]   # roots of 2(1-λ)(2-λ) = 1
    three_bands(d, e) = (F = eigen(SymTridiagonal(d, e)); (F.values, F.vectors))
    λ, V = three_bands([2.0, 2, 2], [1.0, 1])
    @test λ ≈ 2 .+ sqrt(2) .* [-1, 0, 1] && Matrix(SymTridiagonal([2.0, 2, 2], [1.0, 1])) * V ≈ V * Diagonal(λ)
    hermitian(A) = eigen(Hermitian(A)).values
    @test hermitian([2.0 1im; -1im 2]) ≈ [1, 3]
end

@testset "products, norms, forms" begin
    @test gram(W) ≈ [sum(W[:, i] .* W[:, j]) for i in 1:3, j in 1:3] && gram([1 2; 3 4]) == [10 14; 14 20]
    outer(x, y) = (x * y', x' * y, kron(x, y), dot(x, y))
    o, i, k, d = outer([1.0, 2], [3.0, 4])
    @test o == [3 4; 6 8] && i == d == 11 && k == [3, 4, 6, 8]
    whole(A, B) = (A * B, kron(A, B), tr(A))
    p, k, t = whole([1 2; 3 4], [0 1; 1 0])
    @test p == [2 1; 4 3] && k == [0 1 0 2; 1 0 2 0; 0 3 0 4; 3 0 4 0] && t == 5
    complex_products(z, w) = (dot(z, w), z' * w, norm(z), z * w')
    d, i, n, o = complex_products([1.0+im, 2], [im, 1.0])
    @test d == i == (1 - im) * im + 2 && n ≈ sqrt(6) && o ≈ [1-im 1+im; -2im 2]
    norms(x) = (norm(x), norm(x, 1), norm(x, Inf), norm(x, 3), norm(x, 0), norm(x, -Inf), normalize(x))
    n = norms([3.0, -4])
    @test n[1] == 5 && n[2] == 7 && n[3] == 4 && n[4] ≈ cbrt(91) && n[5] == 2 && n[6] == 3 && n[7] ≈ [0.6, -0.8]
    @test norms([3e200, 4e200])[1] ≈ 5e200 && norms([3e-200, 4e-200])[1] ≈ 5e-200
    place(C, A, B) = (mul!(C, A, B, 2.0, 1.0); rmul!(C, 0.5); axpy!(3.0, A, C); C)
    @test place(ones(2, 2), [1.0 2; 3 4], [1.0 0; 0 1]) == [4.5 8.5; 12.5 16.5]
    back!(A, x) = (ldiv!(UpperTriangular(A), x); x)
    @test back!([2.0 1; 9 4], [4.0, 4]) == [1.5, 1]
    forms(A) = (Symmetric(A) * A, Diagonal(A) * A, A * UpperTriangular(A), LowerTriangular(A) * A, A + I, 2I - A)
    s, d, u, l, plus, minus = forms([1.0 2; 3 4])
    @test s == [7 10; 14 20] && d == [1 2; 12 16] && u == [1 10; 3 22] && l == [1 2; 15 22] && plus == [2 2; 3 5] && minus == [1 -2; -3 -2]
    @test cross([1.0, 0, 0], [0.0, 1, 0]) == [0, 0, 1]
    exponential(A) = exp(A)
    @test exponential([0.0 1; -1 0]) ≈ [cos(1) sin(1); -sin(1) cos(1)] && exponential([1.0 0; 0 2]) ≈ Diagonal(exp.([1, 2]))
    @test exponential([0.0 20; -20 0]) ≈ [cos(20) sin(20); -sin(20) cos(20)]
    @test exponential([1.0 1; 0 1]) ≈ ℯ * [1 1; 0 1] && exponential([0.0 1; 1 0]) ≈ [cosh(1) sinh(1); sinh(1) cosh(1)]
    functions(A) = (sqrt(A), log(A), sqrt(Symmetric(A)), log(Symmetric(A)))
    r, l, rs, ls = functions(S)
    @test r^2 ≈ S && exp(l) ≈ S && rs^2 ≈ S && exp(ls) ≈ S
    general(A) = (sqrt(A), log(A))
    r, l = general([4.0 1; 0 9])
    @test r ≈ [2 0.2; 0 3] && exp(l) ≈ [4 1; 0 9] && l[1, 1] ≈ log(4) && general(G)[1]^2 ≈ G
    @test general([1.0 0; 0 -1])[1] ≈ [1 0; 0 im]              # complex: the host's
end

# (f(x + h e) - f(x - h e)) / 2h by every entry.
function differences(f, X, h=1e-6)
    D = zero(X)
    for i in eachindex(X)
        E = zero(X)
        E[i] = h
        D[i] = (f(X + E) - f(X - E)) / 2h
    end
    return D
end
slope(f, X) = gradient(f, X)[1]

@testset "derivatives" begin
    # Of systems: with y = A'\c, the derivative of c'x by A is -y x', by b it is y.
    c = [1.0, -1, 2]
    by_matrix(A) = slope(A -> dot(c, A \ b), A)
    by_side(A, b) = slope(b -> dot(c, A \ b), b)
    for A in (G, S, triu(G), tril(G), Matrix(Diagonal(S)))      # whatever its zeros
        x, y = A \ b, A' \ c
        @test by_matrix(A) ≈ -y * x' && by_side(A, b) ≈ y
    end
    @test slope(A -> sum(abs2, A \ [b 2b]), G) ≈ differences(A -> sum(abs2, A \ [b 2b]), G) rtol = 1e-6
    @test slope(A -> sum(b' / A), G) ≈ differences(A -> sum(b' / A), G) rtol = 1e-6
    # det(A) A⁻ᵀ (Jacobi), and A⁻ᵀ of the logarithm
    for A in (G, triu(G), [2.0 0; 0 3])
        @test slope(det, A) ≈ det(A) * inv(A)'
        @test slope(A -> logabsdet(A)[1], A) ≈ inv(A)'
    end
    @test slope(logdet, S) ≈ inv(S)
    @test slope(A -> tr(inv(A)), G) ≈ -(inv(G)^2)' && slope(A -> sum(inv(A)), triu(G)) ≈ -inv(triu(G))' * ones(3, 3) * inv(triu(G))'
    # Of a symmetric argument of which the upper triangle is read.
    @test slope(A -> logdet(cholesky(Symmetric(A))), S) ≈ differences(A -> logdet(cholesky(Symmetric(A))), S) rtol = 1e-6
    @test slope(t -> logdet(cholesky(S + t * I)), 0.5) ≈ tr(inv(S + 0.5I))
    @test slope(t -> dot(b, cholesky(S + t * I) \ b), 0.5) ≈ -sum(abs2, (S + 0.5I) \ b)
    @test slope(t -> sum(cholesky(S + t * I).L), 0.5) ≈ (sum(cholesky(S + 0.500001I).L) - sum(cholesky(S + 0.499999I).L)) / 2e-6 rtol = 1e-6
    @test slope(A -> sum(abs2, A \ ones(5)), W) ≈ differences(A -> sum(abs2, A \ ones(5)), W) rtol = 1e-5
    @test slope(A -> sum(abs2, A \ [1.0, 2]), [1.0 2 3; 4 5 7]) ≈ differences(A -> sum(abs2, A \ [1.0, 2]), [1.0 2 3; 4 5 7]) rtol = 1e-5
    @test slope(A -> sum(qr(A).R), W) ≈ differences(A -> sum(qr(A).R), W) rtol = 1e-5
    # d/dt exp(tA) = A exp(tA), and by an entry of A in general.
    @test slope(t -> exp(t * [0.0 1; -1 0])[1, 2], 0.3) ≈ cos(0.3)
    @test slope(A -> exp(A)[1, 3], G) ≈ differences(A -> exp(A)[1, 3], G) rtol = 1e-6
    @test slope(A -> sum(exp(A)[1:2, 1]), S) ≈ differences(A -> sum(exp(A)[1:2, 1]), S) rtol = 1e-6
    # The largest singular value's is u v', an eigenvalue's v v'.
    F = svd(W)
    @test slope(A -> svdvals(A)[1], W) ≈ F.U[:, 1] * F.V[:, 1]'
    V = eigen(Symmetric(S)).vectors
    @test slope(t -> eigvals(Symmetric(S + t * [1.0 2 0; 2 0 1; 0 1 3]))[2], 0.0) ≈ V[:, 2]' * [1.0 2 0; 2 0 1; 0 1 3] * V[:, 2]
    @test slope(x -> norm(x), [3.0, 4]) ≈ [0.6, 0.8] && slope(x -> norm(x), [0.0, 0]) == [0, 0]
    @test slope(A -> norm(A), G) ≈ G / norm(G) && slope(x -> norm(x, 1), [3.0, -4]) == [1, -1]
    @test hessian(x -> log(det([x[1] x[2]; x[2] 3.0])), [2.0, 1]) ≈ [-9/25 6/25; 6/25 -14/25]
    # In a loop of training: a step of Newton's method on the matrix itself.
    function descend(A, b, steps)
        for _ in 1:steps
            A = A - 0.01 * gradient(A -> sum(abs2, A \ b), A)[1]
        end
        return A
    end
    @test sum(abs2, descend(S, b, 20) \ b) < sum(abs2, S \ b)
end

@testset "statistics" begin
    X = [1.0 2; 3 5; 4 1; 6 8]
    moments(X) = (mean(X, dims=1), var(X, dims=1), std(X, dims=2), cov(X), cor(X), median(X, dims=1))
    m, v, s, c, r, md = moments(X)
    @test m == [3.5 4] && v ≈ [13/3 10] && s ≈ reshape([1, 2, 3, 2] ./ sqrt(2), 4, 1)
    @test c ≈ [13/3 13/3; 13/3 10] && r ≈ [1 sqrt(13/30); sqrt(13/30) 1] && md == [3.5 3.5]
    single(x) = (mean(x), var(x), std(x; corrected=false), median(x), quantile(x, 0.25), quantile(x, [0.5, 1.0]))
    m, v, s, md, q, qs = single([1.0, 2, 3, 10])
    @test m == 4 && v ≈ 50 / 3 && s ≈ sqrt(12.5) && md == 2.5 && q == 1.75 && qs == [2.5, 10]
    pair(x, y) = (cov(x, y), cor(x, y))
    @test all(pair([1.0, 2, 3], [2.0, 4, 7]) .≈ (2.5, 2.5 / sqrt(19 / 3)))
end
