# Small matrices in loops, by the laws of linear algebra: sizes on both sides of what compiled code keeps in scalars (six rows, 36 elements).
using Test, LinearAlgebra, Zygote

# Regular, with exchanged rows where the diagonal is small, and different in each turn.
entry(T, i, j, k) = T <: Complex ? T(mod(3i + 5j + 7i * j + k, 11) - 5, mod(i + 2j + k, 3)) : T(mod(3i + 5j + 7i * j + k, 11) - 5)
regular(T, n, k) = T[entry(T, i, j, k) + (mod(i, n) + 1 == j ? 20 : 0) for i in 1:n, j in 1:n]

function worst_inverse(A, steps)
    worst = zero(real(eltype(A)))
    for k in 1:steps
        B = A + k * I
        worst = max(worst, norm(B * inv(B) - I))
    end
    return worst
end
function worst_solution(A, b, steps)
    worst = zero(real(eltype(A)))
    for k in 1:steps
        B = A + k * I
        worst = max(worst, norm(B * (B \ b) - b), norm((b' / B) * B - b'))
    end
    return worst
end
function worst_factors(A, steps)
    worst = zero(real(eltype(A)))
    for k in 1:steps
        B = A * A' + k * I
        C = cholesky(Hermitian(B))
        F = lu(B)
        worst = max(worst, norm(C.L * C.L' - B), norm(F.L * F.U - B[F.p, :]), abs(det(B) - det(C)) / abs(det(C)))
    end
    return worst
end
# det(AB) = det(A) det(B)
function worst_determinant(A, steps)
    worst = zero(real(eltype(A)))
    for k in 1:steps
        B = A + k * I
        worst = max(worst, abs(det(A * B) - det(A) * det(B)) / abs(det(A * B)))
    end
    return worst
end

@testset "laws: $T, $n" for T in (Float32, Float64, ComplexF64), n in 1:8
    A = regular(T, n, 1)
    b = T[entry(T, i, 2, 3) for i in 1:n]
    small = 2000 * n^2 * eps(real(T))
    @test worst_inverse(A, 5) < small
    @test worst_solution(A, b, 5) < 20small
    @test worst_factors(A, 5) < 1000small
    @test worst_determinant(A, 5) < 20small
end

function inverses(A, steps)
    B = A
    for _ in 1:steps
        B = inv(B)
    end
    return B
end
function roots(A, steps)
    L = A
    for k in 1:steps
        L = cholesky(Symmetric(A - (k - 1) * I)).L * 1.0
    end
    return L
end
@testset "no inverse, no root" begin
    @test size(inverses(zeros(0, 0), 3)) == (0, 0)
    @test_throws SingularException inverses([1.0 2; 2 4], 2)
    @test_throws SingularException inverses([1.0 2; 0 0], 2)
    @test_throws SingularException inverses(zeros(3, 3), 2)
    @test_throws SingularException inverses([1.0 2 3; 2 4 6; 1 1 1], 2)
    @test roots([2.0 0.5; 0.5 2.0], 2) ≈ [1.0 0; 0.5 sqrt(0.75)]
    @test_throws PosDefException roots([2.0 0.5; 0.5 2.0], 4)
end

# ---- what users write

function turned(v, angle, steps)
    R = [cos(angle) -sin(angle) 0; sin(angle) cos(angle) 0; 0 0 1]
    total = Matrix{Float64}(I, 3, 3)
    for _ in 1:steps
        total = R * total
        v = R * v
    end
    return v, total
end
@testset "rotations" begin
    v, total = turned([1.0, 0, 2], pi / 12, 6)
    @test v ≈ [0, 1, 2] && total ≈ [0 -1 0; 1 0 0; 0 0 1]
end

function newton(x, steps)
    for _ in 1:steps
        x = x - [2x[1] 2x[2]; x[2] x[1]] \ [x[1]^2 + x[2]^2 - 5, x[1] * x[2] - 2]
    end
    return x
end
@testset "Newton's method" begin
    @test newton([3.0, 0.5], 8) ≈ [2, 1]
end

function spiral(A, x, dt, steps)
    for _ in 1:steps
        k1 = A * x
        k2 = A * (x + dt / 2 * k1)
        k3 = A * (x + dt / 2 * k2)
        k4 = A * (x + dt * k3)
        x = x + dt / 6 * (k1 + 2k2 + 2k3 + k4)
    end
    return x
end
@testset "a linear system by RK4" begin
    A = [-0.1 -1 0; 1 -0.1 0; 0 0 -0.5]
    @test spiral(A, [1.0, 0, 2], 0.01, 300) ≈ [exp(-0.3) * cos(3), exp(-0.3) * sin(3), 2exp(-1.5)] rtol = 1e-8
end

# Of a random walk seen with errors the variance p after a measurement settles at p² + q p = q r.
function variance(Q, R, steps)
    P = Matrix{Float64}(I, 2, 2)
    for _ in 1:steps
        P = P + Q
        K = P / (P + R)
        P = (I - K) * P
    end
    return P
end
@testset "a steady filter" begin
    q, r = 0.25, 2.0
    p = (-q + sqrt(q^2 + 4q * r)) / 2
    @test variance([q 0; 0 q], [r 0; 0 r], 200) ≈ [p 0; 0 p]
end

# ---- gradients by finite differences

by_inverse(A) = (x = A; for _ in 1:3; x = inv(x + A); end; sum(x .* x))
by_solution(A) = (x = [1.0, 2.0]; for k in 1:3; x = (A + k * I) \ x; end; sum(abs2, x))
by_determinant(A) = (s = 0.0; for k in 1:3; s += det(A + k * I) / k; end; s)
by_products(A) = (x = A; for _ in 1:3; x = x * A' + A; end; sum(x))
function differences(f, A; h=1e-5)
    G = zero(A)
    for i in eachindex(A)
        up, down = copy(A), copy(A)
        up[i] += h
        down[i] -= h
        G[i] = (f(up) - f(down)) / 2h
    end
    return G
end
@testset "gradients" begin
    A = [1.5 0.3; -0.4 0.8]
    for f in (by_inverse, by_solution, by_determinant, by_products)
        @test gradient(f, A)[1] ≈ differences(f, A) rtol = 1e-6
    end
end
