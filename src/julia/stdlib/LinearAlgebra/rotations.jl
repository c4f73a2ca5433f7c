# Plane rotations and reflections.

function rotate!(x::AbstractVector, y::AbstractVector, c, s)
    length(x) == length(y) || throw(DimensionMismatch("x has length $(length(x)), but y has length $(length(y))"))
    for i in eachindex(x, y)
        xi, yi = x[i], y[i]
        x[i] = c * xi + s * yi
        y[i] = -conj(s) * xi + c * yi
    end
    return x, y
end
function reflect!(x::AbstractVector, y::AbstractVector, c, s)
    length(x) == length(y) || throw(DimensionMismatch("x has length $(length(x)), but y has length $(length(y))"))
    for i in eachindex(x, y)
        xi, yi = x[i], y[i]
        x[i] = c * xi + s * yi
        y[i] = conj(s) * xi - c * yi
    end
    return x, y
end

struct Givens{T}
    i1::Int
    i2::Int
    c::T
    s::T
end
function givens(f::Real, g::Real, i1::Integer, i2::Integer)
    i1 == i2 && throw(ArgumentError("Indices must be distinct."))
    a, b = promote(float(f), float(g))
    r = hypot(a, b)
    iszero(b) && return Givens(Int(i1), Int(i2), one(a), zero(a)), a
    iszero(a) && return Givens(Int(i1), Int(i2), zero(a), one(a)), b
    r = abs(a) > abs(b) ? copysign(r, a) : r
    c, s = a / r, b / r
    if abs(a) > abs(b) && c < 0
        c, s, r = -c, -s, -r
    end
    return Givens(Int(i1), Int(i2), c, s), r
end
givens(A::AbstractMatrix, i1::Integer, i2::Integer, j::Integer) = givens(A[i1, j], A[i2, j], i1, i2)
givens(x::AbstractVector, i1::Integer, i2::Integer) = givens(x[i1], x[i2], i1, i2)
adjoint(G::Givens) = Givens(G.i1, G.i2, conj(G.c), -G.s)
function lmul!(G::Givens, A::AbstractVecOrMat)
    for j in 1:size(A, 2)
        a, b = A[G.i1, j], A[G.i2, j]
        A[G.i1, j] = G.c * a + G.s * b
        A[G.i2, j] = -conj(G.s) * a + G.c * b
    end
    return A
end
function rmul!(A::AbstractMatrix, G::Givens)
    for i in 1:size(A, 1)
        a, b = A[i, G.i1], A[i, G.i2]
        A[i, G.i1] = a * G.c - b * conj(G.s)
        A[i, G.i2] = a * G.s + b * G.c
    end
    return A
end
*(G::Givens{T}, A::AbstractVecOrMat{S}) where {T,S} = lmul!(G, _dense(promote_type(T, S), A))
*(A::AbstractMatrix{S}, G::Givens{T}) where {T,S} = rmul!(_dense(promote_type(T, S), A), G)
