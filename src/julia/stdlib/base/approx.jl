# Equality up to a tolerance.

export isapprox, ≈, ≉

function isapprox(x::Number, y::Number; atol::Real=0, rtol::Real=_default_rtol(x, y, atol), nans::Bool=false, norm::Function=abs)
    x == y && return true
    x isa Integer && y isa Integer && iszero(rtol) && atol < 1 && norm === abs && return false
    isfinite(x) && isfinite(y) && return _distance(x, y, norm) <= max(atol, rtol * max(norm(x), norm(y)))
    return nans && isnan(x) && isnan(y)
end
_distance(x, y, norm) = norm(x - y)
_distance(x::Unsigned, y::Unsigned, norm) = norm(max(x, y) - min(x, y))
isapprox(y; k...) = x -> isapprox(x, y; k...)
const ≈ = isapprox
≉(x, y; k...) = !isapprox(x, y; k...)

# The square root of the coarser precision; exact types have none.
_default_rtol(x, y, atol) = atol > 0 ? zero(_rtol_of(real(typeof(x)))) : max(_rtol_of(real(typeof(x))), _rtol_of(real(typeof(y))))
rtoldefault(x, y, atol) = _default_rtol(x, y, atol)
rtoldefault(::Type{T}, ::Type{S}, atol) where {T,S} = atol > 0 ? zero(_rtol_of(real(T))) : max(_rtol_of(real(T)), _rtol_of(real(S)))
_rtol_of(::Type{T}) where {T<:AbstractFloat} = sqrt(eps(T))
_rtol_of(::Type{<:Real}) = 0
rtoldefault(::Type{T}) where {T} = _rtol_of(real(T))
