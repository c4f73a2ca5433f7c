# Principal components by the singular value decomposition, by the covariance's eigenvectors and by power iteration.
using LinearAlgebra, Statistics, Random, Test

function pca_svd(X)
    Z = X .- mean(X, dims=2)
    U, S, _ = svd(Z)
    return U, S .^ 2 ./ (size(X, 2) - 1)
end

function pca_eigen(X)
    Z = X .- mean(X, dims=2)
    values, vectors = eigen(Symmetric(Z * Z' ./ (size(X, 2) - 1)))
    return vectors[:, end:-1:1], reverse(values)
end

# The first component as the direction that the covariance keeps.
function first_component(X, iterations)
    Z = X .- mean(X, dims=2)
    v = ones(size(X, 1))
    for _ in 1:iterations
        v = Z * (Z' * v)
        v = v ./ sqrt(sum(abs2, v))
    end
    return v
end

function reconstruct(X, U, k)
    μ = mean(X, dims=2)
    W = U[:, 1:k]
    return μ .+ W * (W' * (X .- μ))
end

# Signs of components are free: compare by the absolute inner products.
aligned(A, B) = [abs(dot(a, b)) for (a, b) in zip(eachcol(A), eachcol(B))]

function main()
    Random.seed!(5)
    # Four points whose covariance is known: diag(8, 2)/3 turned by 45 degrees.
    U, variances = pca_svd([2.0 -2.0 -1.0 1.0; 2.0 -2.0 1.0 -1.0])
    @test variances ≈ [16 / 3, 4 / 3]
    @test aligned(U, [1.0 -1.0; 1.0 1.0] ./ sqrt(2)) ≈ [1, 1]

    # A sample with standard deviations 5, 2, 1 and 0.1 along the columns of a rotation.
    d, n = 4, 20_000
    axes_, _ = qr(randn(d, d))
    Q = Matrix(axes_)
    deviations = [5.0, 2.0, 1.0, 0.1]
    X = Q * (deviations .* randn(d, n)) .+ [1.0, 2.0, 3.0, 4.0]
    U, variances = pca_svd(X)
    V, values = pca_eigen(X)
    println("deviations ", round.(sqrt.(variances), digits=3))
    @test variances ≈ values
    @test aligned(U, V) ≈ ones(d)
    @test sqrt.(variances) ≈ deviations rtol = 0.02
    @test all(aligned(U, Q) .> 0.999)
    @test abs(dot(first_component(X, 50), U[:, 1])) ≈ 1
    @test sum(variances) ≈ sum(var(X, dims=2))

    # What is lost is the variance of the components left out (Eckart and Young).
    for k in 1:d
        lost = sum(abs2, X - reconstruct(X, U, k)) / (n - 1)
        println("$k components lose ", round(lost, digits=6))
        @test lost ≈ sum(variances[k+1:end]) atol = 1e-9
    end
end

main()
