# Rules for derivatives of a program's own: methods of rrule, and functions that are constants to derivatives.
module ChainRulesCore

export rrule, frule, NoTangent, ZeroTangent, AbstractZero, Tangent, ignore_derivatives, @ignore_derivatives, @non_differentiable,
    @thunk, unthunk

function rrule end
function frule end

abstract type AbstractZero end
struct NoTangent <: AbstractZero end
struct ZeroTangent <: AbstractZero end
Base.:+(a::AbstractZero, b::AbstractZero) = a
Base.:+(::AbstractZero, b) = b
Base.:+(a, ::AbstractZero) = a
Base.:*(a::AbstractZero, b) = a
Base.:*(a, b::AbstractZero) = b
Base.:-(a::AbstractZero) = a

unthunk(x) = x

# The derivative by a struct or a tuple: a named tuple of its fields, or a tuple.
struct Tangent{P} end
Tangent{P}(; fields...) where {P} = values(fields)
Tangent{P}(parts...) where {P<:Tuple} = parts

# The value as a constant; of a function, what it gives.
ignore_derivatives(f::Function) = _stop_gradient(f())
ignore_derivatives(x) = _stop_gradient(x)

# Functions that @non_differentiable and @nograd name.
const constants = Any[]
declare_constant(f) = (any(g -> g === f, constants) || push!(constants, f); nothing)

end
