# Names of Base whose methods are LinearAlgebra's and Random's, and what they mean for numbers.

function rand end
function randn end
function kron end

transpose(x::Number) = x
adjoint(x::Number) = conj(x)
transpose(x::Missing) = missing
adjoint(x::Missing) = missing

_to_dims(dims::Int...) = dims
_to_dims(dims::Integer...) = map(Int, dims)

export rand, randn, kron, transpose, adjoint

Val(x) = _new(Val{x})
