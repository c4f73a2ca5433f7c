# Norms, normalization, and equality up to rounding.

norm(x::Number) = float(abs(x))
function norm(x::Number, p::Real)
    p == 0 && return iszero(x) ? zero(float(abs(x))) : one(float(abs(x)))
    return float(abs(x))
end
norm(::Missing, p::Real=2) = missing

norm(A::Array{T}) where {T<:BlasFloat} = _norm2(A)
norm(x) = _norm_2(x)
function norm(x, p::Real)
    isempty(x) && return float(norm(zero(eltype(x))))
    p == 2 && return norm(x)
    p == 1 && return norm1(x)
    p == Inf && return normInf(x)
    p == 0 && return _count_nonzero(x)
    p == -Inf && return normMinusInf(x)
    return normp(x, p)
end
norm2(x) = norm(x)
norm(A::AdjOrTrans{<:Number}, p::Real=2) = norm(A.parent, p)

function norm1(x)
    s = zero(norm(first(x)))
    for a in x
        s += norm(a)
    end
    return s
end
function normInf(x)
    m = norm(first(x))
    for a in x
        m = max(m, norm(a))
    end
    return m
end
function normMinusInf(x)
    m = norm(first(x))
    for a in x
        m = min(m, norm(a))
    end
    return m
end
function _count_nonzero(x)
    n = zero(float(norm(first(x))))
    for a in x
        iszero(a) || (n += 1)
    end
    return n
end

# Sums in Float64 at least, scaled where squares would leave the numbers' range.
function _norm_2(x)
    isempty(x) && return float(norm(zero(eltype(x))))
    largest = normInf(x)
    (ismissing(largest) || iszero(largest) || isinf(largest)) && return largest
    T = typeof(largest)
    s = zero(promote_type(Float64, T))
    if isfinite(length(x) * largest * largest) && !iszero(largest * largest)
        for a in x
            s += _norm_squared(a)
        end
        return convert(T, sqrt(s))
    end
    for a in x
        s += (norm(a) / largest)^2
    end
    return convert(T, largest * sqrt(s))
end
_norm_squared(x::Number) = abs2(float(x))
_norm_squared(x) = norm(x)^2

function normp(x, p::Real)
    largest = p > 1 || p < -1 ? (p > 1 ? normInf(x) : normMinusInf(x)) : one(normInf(x))
    (iszero(largest) || isinf(largest)) && return largest
    T = typeof(largest)
    s = zero(promote_type(Float64, T))
    q = convert(promote_type(Float64, typeof(float(p))), p)
    for a in x
        s += (norm(a) / largest)^q
    end
    return convert(T, largest * s^inv(q))
end

opnorm(A::AbstractMatrix) = opnorm(A, 2)
function opnorm(A::AbstractMatrix, p::Real)
    p == 2 && return _opnorm2(A)
    p == 1 && return _opnorm1(A)
    p == Inf && return _opnormInf(A)
    throw(ArgumentError("invalid p-norm p=$p. Valid: 1, 2, Inf"))
end
opnorm(x::Number, p::Real=2) = norm(x)
opnorm(v::AdjOrTransAbsVec, p::Real) = p == Inf ? norm(v.parent, 1) : p == 1 ? norm(v.parent, Inf) : norm(v.parent)
opnorm(v::AdjOrTransAbsVec) = norm(v.parent)
function _opnorm1(A::AbstractMatrix{T}) where {T}
    m = zero(float(real(zero(T))))
    for j in axes(A, 2)
        s = zero(m)
        for i in axes(A, 1)
            s += norm(A[i, j])
        end
        m = max(m, s)
    end
    return m
end
function _opnormInf(A::AbstractMatrix{T}) where {T}
    m = zero(float(real(zero(T))))
    for i in axes(A, 1)
        s = zero(m)
        for j in axes(A, 2)
            s += norm(A[i, j])
        end
        m = max(m, s)
    end
    return m
end
function _opnorm2(A::AbstractMatrix{T}) where {T}
    (size(A, 1) == 0 || size(A, 2) == 0) && return zero(float(real(zero(T))))
    (size(A, 1) == 1 || size(A, 2) == 1) && return norm(vec(_as_array(A)))
    return svdvals(A)[1]
end

normalize!(a::AbstractArray, p::Real=2) = _scale_to_one!(a, norm(a, p))
function _scale_to_one!(a::AbstractArray, size)
    if size >= 1 / floatmax(typeof(float(size)))
        return rmul!(a, inv(size))
    end
    rmul!(a, 1 / eps(typeof(float(size))))
    return rmul!(a, inv(norm(a)))
end
function normalize(a::AbstractArray, p::Real=2)
    size = norm(a, p)
    isempty(a) && return typeof(oneunit(eltype(a)) / size)[]
    return _scale_to_one!(copyto!(similar(a, typeof(first(a) / size)), a), size)
end
normalize(x::Number) = x / norm(x)
normalize(x::Number, p::Real) = x / norm(x, p)

# The default of a keyword of the same name.
const _norm_function = norm

function isapprox(x::AbstractArray, y::AbstractArray; atol::Real=0,
                  rtol::Real=Base.rtoldefault(promote_leaf_eltypes(x), promote_leaf_eltypes(y), atol), nans::Bool=false,
                  norm::Function=_norm_function)
    d = norm(x - y)
    if isfinite(d)
        return iszero(rtol) ? d <= atol : d <= max(atol, rtol * max(norm(x), norm(y)))
    end
    # Infinities and NaNs: element by element.
    for (a, b) in zip(x, y)
        isapprox(a, b; rtol=rtol, atol=atol, nans=nans) || return false
    end
    return true
end
promote_leaf_eltypes(x::Union{AbstractArray{T},Tuple{T,Vararg{T}}}) where {T<:Number} = T
promote_leaf_eltypes(x::Union{AbstractArray,Tuple}) = mapreduce(promote_leaf_eltypes, promote_type, x; init=Bool)
promote_leaf_eltypes(x) = typeof(x)
promote_leaf_eltypes(x::AbstractArray{T}) where {T<:AbstractArray} = mapreduce(promote_leaf_eltypes, promote_type, x; init=Bool)
