# Derivatives by the names and results of ForwardDiff: arrays and numbers, zeros where there is nothing to differentiate by.
module ForwardDiff

using Zygote: Zygote

# How many derivatives are taken at once is the compiler's to choose.
struct Chunk{N} end
Chunk(x::AbstractArray) = Chunk{length(x)}()
struct DerivativeConfig end
struct GradientConfig end
struct JacobianConfig end
struct HessianConfig end
DerivativeConfig(f, xs...) = DerivativeConfig()
GradientConfig(f, xs...) = GradientConfig()
JacobianConfig(f, xs...) = JacobianConfig()
HessianConfig(f, xs...) = HessianConfig()

_or_zero(g, x) = g === nothing ? zero(x) : g
_misuse(text) = throw(DimensionMismatch(text))

function gradient(f, x::AbstractArray)
    value = f(x)
    value isa Real || _misuse("gradient(f, x) expects that f(x) is a real number. Perhaps you meant jacobian(f, x)?")
    return _or_zero(Zygote.gradient(f, x)[1], float(x))
end
gradient(f, x::Real) = _misuse("gradient(f, x) expects that x is an array. Perhaps you meant derivative(f, x)?")

function derivative(f, x::Real)
    value = f(x)
    value isa Real && return _or_zero(Zygote.gradient(f, x)[1], float(x))
    return reshape(vec(Zygote.jacobian(f, x)[1]), size(value))
end
derivative(f, x::AbstractArray) = _misuse("derivative(f, x) expects that x is a real number. Perhaps you meant gradient(f, x)?")

function jacobian(f, x::AbstractArray)
    value = f(x)
    value isa AbstractArray || _misuse("jacobian(f, x) expects that f(x) is an array. Perhaps you meant gradient(f, x)?")
    J = Zygote.jacobian(f, x)[1]
    return J === nothing ? zeros(float(eltype(x)), length(value), length(x)) : J
end
jacobian(f, x::Real) = _misuse("jacobian(f, x) expects that x is an array. Perhaps you meant derivative(f, x)?")

function hessian(f, x::AbstractArray)
    value = f(x)
    value isa Real || _misuse("hessian(f, x) expects that f(x) is a real number. Perhaps you meant jacobian(f, x)?")
    return Zygote.hessian(f, x)
end
hessian(f, x::Real) = _misuse("hessian(f, x) expects that x is an array. Perhaps you meant derivative(f, x)?")

# f!(y, x) writes what it gives.
_result_of(f!, y) = x -> (z = similar(y, float(eltype(x))); f!(z, x); z)
derivative(f!, y::AbstractArray, x::Real) = (f!(y, x); derivative(x -> (z = similar(y, typeof(x)); f!(z, x); z), x))
jacobian(f!, y::AbstractArray, x::AbstractArray) = (f!(y, x); jacobian(_result_of(f!, y), x))

derivative(f, x, ::DerivativeConfig) = derivative(f, x)
gradient(f, x, ::GradientConfig) = gradient(f, x)
jacobian(f, x, ::JacobianConfig) = jacobian(f, x)
hessian(f, x, ::HessianConfig) = hessian(f, x)

derivative!(out, f, x, config...) = copyto!(out, derivative(f, x))
gradient!(out, f, x, config...) = copyto!(out, gradient(f, x))
jacobian!(out, f, x, config...) = copyto!(out, jacobian(f, x))
jacobian!(out, f!, y::AbstractArray, x::AbstractArray, config...) = copyto!(out, jacobian(f!, y, x))
hessian!(out, f, x, config...) = copyto!(out, hessian(f, x))

end
