# k-means by Lloyd's iterations on clusters that lie far apart: the clusters must be found again, point for point.
using Random, Statistics, Test

function nearest(centers, x)
    best, distance = 0, Inf
    for j in axes(centers, 2)
        d = 0.0
        for i in axes(centers, 1)
            d += (x[i] - centers[i, j])^2
        end
        if d < distance
            best, distance = j, d
        end
    end
    return best, distance
end

function assign!(labels, X, centers)
    total = 0.0
    for p in axes(X, 2)
        labels[p], d = nearest(centers, @view X[:, p])
        total += d
    end
    return total
end

function kmeans(X, centers, iterations)
    k = size(centers, 2)
    labels = zeros(Int, size(X, 2))
    cost = Inf
    for _ in 1:iterations
        total = assign!(labels, X, centers)
        total < cost || break
        cost = total
        sums, counts = zero(centers), zeros(Int, k)
        for p in axes(X, 2)
            sums[:, labels[p]] .+= @view X[:, p]
            counts[labels[p]] += 1
        end
        centers = sums ./ max.(counts, 1)'
    end
    return centers, labels, cost
end

# Each next start is the point farthest from those taken.
function farthest_points(X, k)
    chosen = [1]
    while length(chosen) < k
        distances = [nearest(X[:, chosen], x)[2] for x in eachcol(X)]
        push!(chosen, argmax(distances))
    end
    return X[:, chosen]
end

function main()
    Random.seed!(11)
    truth = 10 .* [1.0 -1.0 1.0 -1.0 0.0; 1.0 1.0 -1.0 -1.0 0.0; 0.0 0.0 0.0 0.0 1.0]
    k, n = size(truth, 2), 3000
    origin = rand(1:k, n)
    X = truth[:, origin] + randn(3, n)
    centers, labels, cost = kmeans(X, farthest_points(X, k), 50)

    name = [labels[findfirst(==(j), origin)] for j in 1:k]   # what the algorithm calls cluster j
    @test sort(name) == 1:k
    @test labels == name[origin]
    for j in 1:k
        members = X[:, origin .== j]
        @test centers[:, name[j]] ≈ vec(mean(members, dims=2))
        println("cluster $j: ", size(members, 2), " points around ", round.(centers[:, name[j]], digits=2))
    end
    @test cost ≈ sum(sum(abs2, X[:, origin .== j] .- mean(X[:, origin .== j], dims=2)) for j in 1:k)
    @test cost / (3 * (n - k)) ≈ 1 rtol = 0.05               # the variance of the noise
end

main()
