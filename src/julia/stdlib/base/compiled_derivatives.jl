# What compiled code makes of the pullbacks of rules: a derivative for each argument that is a real number or an array of them, or nothing.

_derivative_for(g::Number, x::AbstractFloat) = convert(typeof(x), real(g))
function _derivative_for(g::AbstractArray, x::Array{<:AbstractFloat})
    size(g) == size(x) || throw(DimensionMismatch("a derivative has another size than its argument"))
    return copyto!(similar(x), map(real, g))
end
_derivative_for(g::Number, x::Array{<:AbstractFloat}) =
    throw(DimensionMismatch("a derivative has another size than its argument"))
_derivative_for(g, x) = nothing

_derivatives_by_arguments(both, dy, xs...) = map(_derivative_for, both[2](dy), xs)
# The pullback gives one for the function itself first.
_derivatives_behind_callee(both, dy, xs...) = map(_derivative_for, tail(both[2](dy)), xs)
