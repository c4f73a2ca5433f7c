# Parts of matrices, and questions about their form.

function diagind(m::Integer, n::Integer, k::Integer=0)
    from = k <= 0 ? 1 - k : 1 + k * m
    count = k <= 0 ? min(m + k, n) : min(m, n - k)
    return range(Int(from); step=m + 1, length=max(0, Int(count)))
end
diagind(A::AbstractMatrix, k::Integer=0) = diagind(size(A, 1), size(A, 2), k)
diagind(m::Integer, n::Integer, k::Integer, ::IndexLinear) = diagind(m, n, k)
diagind(A::AbstractMatrix, ::IndexLinear) = diagind(A)
diagind(::IndexLinear, m::Integer, n::Integer, k::Integer=0) = diagind(m, n, k)
function diagind(::IndexCartesian, m::Integer, n::Integer, k::Integer=0)
    first = CartesianIndex(1 + max(0, -k), 1 + max(0, k))
    return StepRangeLen(first, CartesianIndex(1, 1), max(0, k <= 0 ? min(m + k, n) : min(m, n - k)))
end
diagind(A::AbstractMatrix, k::Integer, s::IndexCartesian) = diagind(s, size(A, 1), size(A, 2), k)
diagind(A::AbstractMatrix, s::IndexCartesian) = diagind(s, size(A, 1), size(A, 2))

diagview(A::AbstractMatrix, k::Integer=0) = view(A, diagind(A, k))
diag(A::AbstractMatrix, k::Integer=0) = [A[i-min(k, 0), i+max(k, 0)] for i in 1:_diagonal_length(A, k)]
_diagonal_length(A::AbstractMatrix, k::Integer) =
    max(0, k <= 0 ? min(size(A, 1) + k, size(A, 2)) : min(size(A, 1), size(A, 2) - k))
diag(A::Matrix{T}, k::Integer=0) where {T} = A[diagind(A, k)]

diagm(v::AbstractVector) = diagm(0 => v)
diagm(m::Integer, n::Integer, v::AbstractVector) = diagm(m, n, 0 => v)
function diagm(kv::Pair{<:Integer,<:AbstractVector}...)
    n = 0
    for (k, v) in kv
        n = max(n, length(v) + abs(k))
    end
    return diagm(n, n, kv...)
end
function diagm(m::Integer, n::Integer, kv::Pair{<:Integer,<:AbstractVector}...)
    T = promote_type(map(x -> eltype(x.second), kv)...)
    A = zeros(T, m, n)
    for (k, v) in kv
        length(v) <= _diagonal_length(A, k) || throw(DimensionMismatch("invalid size=($m, $n)"))
        for i in 1:length(v)
            A[i-min(k, 0), i+max(k, 0)] += v[i]
        end
    end
    return A
end

function triu!(A::AbstractMatrix, k::Integer=0)
    for j in axes(A, 2), i in axes(A, 1)
        i > j - k && (A[i, j] = zero(A[i, j]))
    end
    return A
end
function tril!(A::AbstractMatrix, k::Integer=0)
    for j in axes(A, 2), i in axes(A, 1)
        i < j - k && (A[i, j] = zero(A[i, j]))
    end
    return A
end
triu!(A::Matrix{T}, k::Integer=0) where {T<:BlasFloat} = _clear_beside!(A, Int(k), true)
tril!(A::Matrix{T}, k::Integer=0) where {T<:BlasFloat} = _clear_beside!(A, Int(k), false)
triu(A::AbstractMatrix, k::Integer=0) = triu!(_dense(A), k)
tril(A::AbstractMatrix, k::Integer=0) = tril!(_dense(A), k)
triu(A::UpperTriangular) = copy(A)
tril(A::LowerTriangular) = copy(A)
triu(D::Diagonal) = copy(D)
tril(D::Diagonal) = copy(D)
function fillband!(A::AbstractMatrix, x, l::Integer, u::Integer)
    for j in axes(A, 2), i in axes(A, 1)
        l <= j - i <= u && (A[i, j] = x)
    end
    return A
end
function copytrito!(B::AbstractMatrix, A::AbstractMatrix, uplo::AbstractChar)
    _char_uplo(uplo)
    m, n = size(A)
    for j in 1:n, i in 1:m
        (uplo == 'U' ? i <= j : i >= j) && (B[i, j] = A[i, j])
    end
    return B
end
function copytri!(A::AbstractMatrix, uplo::AbstractChar, conjugate::Bool=false, with_diagonal::Bool=false)
    n = checksquare(A)
    _char_uplo(uplo)
    for j in 1:n, i in 1:j
        i == j && !with_diagonal && continue
        if uplo == 'U'
            A[j, i] = conjugate ? adjoint(A[i, j]) : transpose(A[i, j])
        else
            A[i, j] = conjugate ? adjoint(A[j, i]) : transpose(A[j, i])
        end
    end
    return A
end

function copytri!(A::Matrix{T}, uplo::AbstractChar, conjugate::Bool=false) where {T<:BlasFloat}
    checksquare(A)
    return _mirror!(A, _char_uplo(uplo), conjugate)
end

_is_zero_below(A::Matrix{T}, k::Integer) where {T<:BlasFloat} = _is_zero_beside(A, Int(k), true)
_is_zero_above(A::Matrix{T}, k::Integer) where {T<:BlasFloat} = _is_zero_beside(A, Int(k), false)
function _is_zero_below(A, k::Integer)
    for j in axes(A, 2), i in axes(A, 1)
        i > j - k && !iszero(A[i, j]) && return false
    end
    return true
end
function _is_zero_above(A, k::Integer)
    for j in axes(A, 2), i in axes(A, 1)
        i < j - k && !iszero(A[i, j]) && return false
    end
    return true
end
istriu(A::AbstractMatrix, k::Integer=0) = _is_zero_below(A, k)
istril(A::AbstractMatrix, k::Integer=0) = _is_zero_above(A, k)
isbanded(A::AbstractMatrix, l::Integer, u::Integer) = istriu(A, l) && istril(A, u)
isdiag(A::AbstractMatrix) = isbanded(A, 0, 0)
istriu(x::Number) = true
istril(x::Number) = true
isdiag(x::Number) = true

function issymmetric(A::AbstractMatrix)
    size(A, 1) == size(A, 2) || return false
    for j in axes(A, 2), i in 1:j
        A[i, j] == transpose(A[j, i]) || return false
    end
    return true
end
function ishermitian(A::AbstractMatrix)
    size(A, 1) == size(A, 2) || return false
    for j in axes(A, 2), i in 1:j
        A[i, j] == adjoint(A[j, i]) || return false
    end
    return true
end
issymmetric(A::Matrix{T}) where {T<:BlasFloat} = size(A, 1) == size(A, 2) && _is_mirrored(A, false)
ishermitian(A::Matrix{T}) where {T<:BlasFloat} = size(A, 1) == size(A, 2) && _is_mirrored(A, true)
issymmetric(x::Number) = x == x
ishermitian(x::Number) = x == conj(x)
isposdef(A::AbstractMatrix) = ishermitian(A) && issuccess(cholesky(Hermitian(A); check=false))
isposdef!(A::AbstractMatrix) = ishermitian(A) && issuccess(cholesky!(Hermitian(A); check=false))
isposdef(A::SymOrHerm) = ishermitian(A) && issuccess(cholesky(Hermitian(_dense(A)); check=false))
isposdef(x::Number) = imag(x) == 0 && real(x) > 0

function tr(A::AbstractMatrix)
    checksquare(A)
    return sum(diag(A))
end
tr(x::Number) = x

function axpy!(α, x::AbstractArray, y::AbstractArray)
    length(x) == length(y) || throw(DimensionMismatch("x has length $(length(x)), but y has length $(length(y))"))
    for (i, j) in zip(eachindex(y), eachindex(x))
        y[i] += x[j] * α
    end
    return y
end
function axpy!(α, x::Array{T}, y::Array{T}) where {T<:BlasFloat}
    length(x) == length(y) || throw(DimensionMismatch("x has length $(length(x)), but y has length $(length(y))"))
    size(x) == size(y) || return (axpy!(α, vec(x), vec(y)); y)
    return broadcast!((a, b) -> b + a * α, y, x, y)
end
function axpby!(α, x::AbstractArray, β, y::AbstractArray)
    length(x) == length(y) || throw(DimensionMismatch("x has length $(length(x)), but y has length $(length(y))"))
    for (i, j) in zip(eachindex(y), eachindex(x))
        y[i] = x[j] * α + y[i] * β
    end
    return y
end
function copy_transpose!(B::AbstractVecOrMat, A::AbstractVecOrMat)
    return transpose!(B, A)
end
copy_adjoint!(B::AbstractVecOrMat, A::AbstractVecOrMat) = adjoint!(B, A)

stride1(x::AbstractVector) = stride(x, 1)
stride1(x::Array) = 1
