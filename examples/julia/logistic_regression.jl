# Logistic regression on two overlapping clouds of points. The training loop and its gradient are one function.
# At the optimum the gradient vanishes, which gives equations that the fitted model must satisfy exactly.
using Zygote, Random, Statistics, Test

# log(1 + exp(z)) without overflow.
softplus(z) = max(z, 0) + log(1 + exp(-abs(z)))

function loss(w, b, X, y, decay)
    z = X' * w .+ b
    return mean(softplus.(z) .- y .* z) + decay / 2 * sum(abs2, w)
end

function train(w, b, X, y, decay, rate, steps)
    for _ in 1:steps
        gw, gb = gradient((w, b) -> loss(w, b, X, y, decay), w, b)
        w = w .- rate .* gw
        b = b - rate * gb
    end
    return w, b
end

# Two Gaussian clouds around ±center: Bayes' rule is the sign of 2 center'x, with weights 2 center.
function clouds(center, n)
    d = length(center)
    y = [Float64(isodd(i)) for i in 1:n]
    X = randn(d, n)
    for i in 1:n
        X[:, i] .+= (2 * y[i] - 1) .* center
    end
    return X, y
end

accuracy(w, b, X, y) = mean((X' * w .+ b .> 0) .== (y .== 1))

function main()
    Random.seed!(7)
    center = [0.9, -0.6, 0.3]
    X, y = clouds(center, 500)
    decay = 1e-4
    w, b = train(zeros(3), 0.0, X, y, decay, 2.0, 250)
    println("weights ", round.(w, digits=4), ", bias ", round(b, digits=4))
    println("accuracy ", accuracy(w, b, X, y))

    p = 1 ./ (1 .+ exp.(-(X' * w .+ b)))
    @test mean(p) ≈ mean(y) atol = 1e-8                       # the derivative by the bias
    @test X * (y .- p) ./ length(y) ≈ decay .* w atol = 1e-8  # and by the weights
    @test w ≈ 2 .* center rtol = 0.25                         # Bayes' rule, up to the noise of the sample
    @test abs(accuracy(w, b, X, y) - accuracy(2 .* center, 0.0, X, y)) < 0.01
    @test loss(w, b, X, y, decay) < loss(2 .* center, 0.0, X, y, decay) < log(2)
end

main()
