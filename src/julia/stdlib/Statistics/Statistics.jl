# Means, variances, correlations and quantiles.
module Statistics

using LinearAlgebra

export cor, cov, mean, mean!, median, median!, middle, quantile, quantile!, std, stdm, var, varm

include("mean.jl")
include("variance.jl")
include("covariance.jl")
include("quantile.jl")

end
