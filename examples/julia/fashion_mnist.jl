# A network of two layers on Fashion-MNIST. `train` is plain Julia: its loops, the gradient and the updates are compiled into one program.
using MLDatasets, Zygote, Random, Printf

function loss(W1, b1, W2, b2, x, y)
    h = max.(W1 * x .+ b1, 0)
    z = W2 * h .+ b2
    m = maximum(z, dims=1)
    logsum = m .+ log.(sum(exp.(z .- m), dims=1))
    return -sum(y .* (z .- logsum)) / size(x, 2)
end

function train(W1, b1, W2, b2, X, Y, epochs, batch, rate, momentum)
    n = size(X, 2)
    vW1, vb1, vW2, vb2 = zero(W1), zero(b1), zero(W2), zero(b2)
    mean = 0f0
    for epoch in 1:epochs
        mean = 0f0
        for k in 1:n÷batch
            first = (k - 1) * batch + 1
            x = X[:, first:first+batch-1]
            y = Y[:, first:first+batch-1]
            value, (gW1, gb1, gW2, gb2) = withgradient((W1, b1, W2, b2) -> loss(W1, b1, W2, b2, x, y), W1, b1, W2, b2)
            vW1 .= momentum .* vW1 .- rate .* gW1
            vb1 .= momentum .* vb1 .- rate .* gb1
            vW2 .= momentum .* vW2 .- rate .* gW2
            vb2 .= momentum .* vb2 .- rate .* gb2
            W1 .+= vW1
            b1 .+= vb1
            W2 .+= vW2
            b2 .+= vb2
            mean += value / (n ÷ batch)
        end
    end
    return mean
end

function accuracy(W1, b1, W2, b2, X, labels)
    z = W2 * max.(W1 * X .+ b1, 0) .+ b2
    right = 0
    for i in eachindex(labels)
        right += argmax(z[:, i]) == labels[i] + 1
    end
    return right / length(labels)
end

function flat(data)
    n = length(data)
    X = reshape(data.features, :, n)
    Y = zeros(Float32, 10, n)
    for i in 1:n
        Y[data.targets[i]+1, i] = 1
    end
    return X, Y
end

function main(epochs, hidden)
    Random.seed!(1)
    X, Y = flat(FashionMNIST(:train))
    test = FashionMNIST(:test)
    Xtest, _ = flat(test)
    W1 = randn(Float32, hidden, 784) .* Float32(sqrt(2 / 784))
    W2 = randn(Float32, 10, hidden) .* Float32(sqrt(2 / hidden))
    b1, b2 = zeros(Float32, hidden), zeros(Float32, 10)
    for round in 1:epochs
        rate = 0.05f0 * 0.8f0^(round - 1)
        l = train(W1, b1, W2, b2, X, Y, 1, 100, rate, 0.9f0)
        @printf("epoch %d: loss %.4f, test accuracy %.4f\n", round, l, accuracy(W1, b1, W2, b2, Xtest, test.targets))
    end
end

if abspath(PROGRAM_FILE) == @__FILE__
    main(length(ARGS) > 0 ? parse(Int, ARGS[1]) : 10, length(ARGS) > 1 ? parse(Int, ARGS[2]) : 128)
end
