# The distributions that the programs draw from.
module Distributions
import Random
export Bernoulli, Normal, MvNormal, Uniform, Categorical, pdf, fit
using LinearAlgebra
struct Bernoulli
    p::Float64
end
Base.rand(d::Bernoulli) = rand() < d.p
Base.rand(d::Bernoulli, n::Integer) = [rand() < d.p for _ in 1:n]
struct Normal
    mu::Float64
    sigma::Float64
end
Base.rand(d::Normal) = d.mu + d.sigma * randn()
Base.rand(d::Normal, n::Integer) = [rand(d) for _ in 1:n]
pdf(d::Normal, x) = exp(-((x - d.mu) / d.sigma)^2 / 2) / (d.sigma * sqrt(2pi))
struct Categorical
    p::Vector{Float64}
end
function Base.rand(d::Categorical)
    u = rand()
    for (i, p) in enumerate(d.p)
        u -= p
        u < 0 && return i
    end
    length(d.p)
end
function Base.rand(d::Categorical, n::Integer)
    below = cumsum(d.p)
    [min(searchsortedfirst(below, rand()), length(below)) for _ in 1:n]
end
struct MvNormal
    μ::Vector{Float64}
    Σ::Matrix{Float64}
end
MvNormal(mu::AbstractVector, sigma::AbstractMatrix) = MvNormal(Vector{Float64}(mu), Matrix{Float64}(sigma))
Base.rand(d::MvNormal) = d.μ + cholesky(Symmetric(d.Σ)).L * randn(length(d.μ))
Base.rand(d::MvNormal, n::Integer) = reduce(hcat, [rand(d) for _ in 1:n])
pdf(d::MvNormal, x) = exp(-dot(x - d.μ, d.Σ \ (x - d.μ)) / 2) / sqrt((2pi)^length(d.μ) * det(d.Σ))
function fit(::Type{MvNormal}, samples)
    n = size(samples, 2)
    mu = vec(sum(samples, dims = 2)) ./ n
    centred = samples .- mu
    MvNormal(mu, centred * centred' ./ n)
end
struct Uniform
    a::Float64
    b::Float64
end
Base.rand(d::Uniform) = d.a + (d.b - d.a) * rand()
end
