# Products of matrices and vectors.

_check_product(A::AbstractMatrix, B::AbstractMatrix) = size(A, 2) == size(B, 1) || throw(DimensionMismatch(
    "incompatible dimensions for matrix multiplication: tried to multiply a matrix of size $(size(A)) with a matrix of size $(size(B)). The second dimension of the first matrix: $(size(A, 2)), does not match the first dimension of the second matrix: $(size(B, 1))."))
_check_product(A::AbstractMatrix, x::AbstractVector) = size(A, 2) == length(x) || throw(DimensionMismatch(
    "incompatible dimensions for matrix multiplication: tried to multiply a matrix of size $(size(A)) with a vector of length $(length(x)). The second dimension of the matrix: $(size(A, 2)), does not match the length of the vector: $(length(x))."))
_described(A::AbstractMatrix) = "matrix of size $(size(A))"
_described(x::AbstractVector) = "vector of length $(length(x))"
function _check_destination(C, A, B)
    _check_product(A, B)
    size(C, 1) == size(A, 1) && size(C, 2) == size(B, 2) && return
    wanted = B isa AbstractVector ? "length $(size(A, 1))" : "size $((size(A, 1), size(B, 2)))"
    throw(DimensionMismatch("incompatible destination size: the destination $(_described(C)) is incomatible with the product of a $(_described(A)) and a $(_described(B)). The destination must be of $wanted."))
end

# How BLAS reads an operand: the array, and whether it is transposed.
_mode(A::AbstractVecOrMat) = 'N'
_mode(A::Adjoint{T,<:Matrix}) where {T} = 'C'
_mode(A::Transpose{T,<:Matrix}) where {T} = 'T'
_mode(A::Adjoint{T,<:Vector}) where {T} = 'C'
_mode(A::Transpose{T,<:Vector}) where {T} = 'T'
_stored(::Type{T}, A::AbstractVecOrMat) where {T} = _as_array(T, A)
_stored(::Type{T}, A::Adjoint{S,<:Array}) where {T,S} = _as_array(T, A.parent)
_stored(::Type{T}, A::Transpose{S,<:Array}) where {T,S} = _as_array(T, A.parent)
# Of numbers other than LAPACK's the adjoint is not a mode.
_integer_mode(A) = _mode(A) != 'N'

const MachineInteger = Base.BitInteger
const MachineReal = Union{BlasReal,MachineInteger}

function *(A::AbstractMatrix{T}, B::AbstractMatrix{S}) where {T,S}
    _check_product(A, B)
    R = _product_type(T, S)
    return _multiply!(Matrix{R}(undef, size(A, 1), size(B, 2)), A, B)
end
function *(A::AbstractMatrix{T}, x::AbstractVector{S}) where {T,S}
    _check_product(A, x)
    R = _product_type(T, S)
    return _multiply!(Vector{R}(undef, size(A, 1)), A, x)
end
*(a::AbstractVector, B::AbstractMatrix) = reshape(a, length(a), 1) * B
*(a::AbstractVector, B::AdjOrTransAbsVec) = _outer(a, B)
*(A::AbstractMatrix, B::AdjOrTransAbsVec) = size(A, 2) == 1 ? _outer(vec(A), B) : (_check_product(A, B); A * _dense(B))
function _outer(a::AbstractVector{T}, B::AdjOrTransAbsVec{S}) where {T,S}
    R = typeof(zero(T) * zero(S))
    C = Matrix{R}(undef, length(a), length(B))
    broadcast!(*, C, a, B)
    return C
end

# Rows times columns are inner products.
*(u::AdjointAbsVec{<:Number}, v::AbstractVector{<:Number}) = dot(u.parent, v)
*(u::TransposeAbsVec{T}, v::AbstractVector{T}) where {T<:Real} = dot(u.parent, v)
*(u::TransposeAbsVec{<:Number}, v::AbstractVector{<:Number}) = _dotu(u.parent, v)
function *(u::AdjOrTransAbsVec, v::AbstractVector)
    length(u) == length(v) || throw(DimensionMismatch("first array has length $(length(u)) which does not match the length of the second, $(length(v))."))
    return sum(u[i] * v[i] for i in 1:length(v))
end
function _dotu(u::AbstractVector, v::AbstractVector)
    length(u) == length(v) || throw(DimensionMismatch("first array has length $(length(u)) which does not match the length of the second, $(length(v))."))
    return dot(conj(u), v)
end
*(u::AdjointAbsVec, A::AbstractMatrix) = _row_product(u, A)
*(u::TransposeAbsVec, A::AbstractMatrix) = _row_product(u, A)
*(u::AdjointAbsVec, A::AdjOrTransAbsVec) = _row_product(u, A)
*(u::TransposeAbsVec, A::AdjOrTransAbsVec) = _row_product(u, A)
function _row_product(u::AdjointAbsVec, A::AbstractMatrix)
    _check_product(u, A)
    return adjoint(adjoint(A) * u.parent)
end
function _row_product(u::TransposeAbsVec, A::AbstractMatrix)
    _check_product(u, A)
    return transpose(transpose(A) * u.parent)
end

# ---- into a destination of the product's type

_multiply!(C::VecOrMat{T}, A::AbstractVecOrMat, B::AbstractVecOrMat) where {T} = _generic_multiply!(C, A, B)
_multiply!(C::Vector{T}, A::AbstractMatrix{<:Number}, x::AbstractVector{<:Number}) where {T<:BlasFloat} =
    _multiply_vector(_mode(A), one(T), _stored(T, A), _as_array(T, x), zero(T), C)
_multiply!(C::VecOrMat{T}, A::AbstractVecOrMat{<:Number}, B::AbstractVecOrMat{<:Number}) where {T<:MachineInteger} =
    _multiply_integers(_integer_mode(A), _integer_mode(B), _stored(T, A), _stored(T, B), C)
function _multiply!(C::Matrix{T}, A::AbstractMatrix{<:Number}, B::AbstractMatrix{<:Number}) where {T<:BlasFloat}
    m, n = size(C)
    size(A, 2) == 0 && return fill!(C, zero(T))
    m == n == size(A, 2) == 2 && return _multiply_2x2!(C, A, B)
    m == n == size(A, 2) == 3 && return _multiply_3x3!(C, A, B)
    ta, tb = _mode(A), _mode(B)
    if parent(A) === parent(B) && ta != tb && (ta == 'N' ? tb : ta) == (T <: Real ? ta == 'N' ? tb : ta : 'C')
        return _rank_update(ta == 'N' ? 'N' : 'C', _stored(T, A), C)
    end
    return _multiply_matrices(ta, tb, one(T), _stored(T, A), _stored(T, B), zero(T), C)
end

function _multiply_2x2!(C, A, B)
    a11, a21, a12, a22 = A[1, 1], A[2, 1], A[1, 2], A[2, 2]
    b11, b21, b12, b22 = B[1, 1], B[2, 1], B[1, 2], B[2, 2]
    C[1, 1] = a11 * b11 + a12 * b21
    C[2, 1] = a21 * b11 + a22 * b21
    C[1, 2] = a11 * b12 + a12 * b22
    C[2, 2] = a21 * b12 + a22 * b22
    return C
end
function _multiply_3x3!(C, A, B)
    for j in 1:3, i in 1:3
        C[i, j] = A[i, 1] * B[1, j] + A[i, 2] * B[2, j] + A[i, 3] * B[3, j]
    end
    return C
end

function _generic_multiply!(C::VecOrMat{T}, A::AbstractVecOrMat, B::AbstractVecOrMat) where {T}
    for j in 1:size(C, 2), i in 1:size(C, 1)
        C[i, j] = _row_times_column(T, A, B, i, j)
    end
    return C
end
function _row_times_column(::Type{T}, A, B, i::Int, j::Int) where {T}
    n = size(A, 2)
    n == 0 && return zero(T)
    x = A[i, 1] * B[1, j]
    for k in 2:n
        x += A[i, k] * B[k, j]
    end
    return x
end

# ---- mul!

mul!(C::AbstractVecOrMat, A::AbstractVecOrMat, B::AbstractVecOrMat) = mul!(C, A, B, true, false)
function mul!(C::AbstractVecOrMat{T}, A::AbstractVecOrMat, B::AbstractVecOrMat, α::Number, β::Number) where {T}
    _check_destination(C, A isa AbstractVector ? reshape(A, length(A), 1) : A, B)
    return _multiply_add!(C, A, B, α, β)
end
function _multiply_add!(C::AbstractVecOrMat, A, B, α::Number, β::Number)
    P = A * B
    if iszero(β)
        isone(α) ? copyto!(C, P) : broadcast!(x -> x * α, C, P)
    else
        broadcast!((x, c) -> x * α + c * β, C, P, C)
    end
    return C
end
_multiply_add!(C::Vector{T}, A::Matrix{T}, x::Vector{T}, α::Number, β::Number) where {T<:BlasFloat} =
    _multiply_vector('N', convert(T, α), A, x, convert(T, β), C)
_multiply_add!(C::Vector{T}, A::Adjoint{T,Matrix{T}}, x::Vector{T}, α::Number, β::Number) where {T<:BlasFloat} =
    _multiply_vector('C', convert(T, α), A.parent, x, convert(T, β), C)
_multiply_add!(C::Vector{T}, A::Transpose{T,Matrix{T}}, x::Vector{T}, α::Number, β::Number) where {T<:BlasFloat} =
    _multiply_vector('T', convert(T, α), A.parent, x, convert(T, β), C)
const DenseOperand{T} = Union{Matrix{T},Adjoint{T,Matrix{T}},Transpose{T,Matrix{T}}}
function _multiply_add!(C::Matrix{T}, A::DenseOperand{T}, B::DenseOperand{T}, α::Number, β::Number) where {T<:BlasFloat}
    iszero(β) && isone(α) && return _multiply!(C, A, B)
    return _multiply_matrices(_mode(A), _mode(B), convert(T, α), _stored(T, A), _stored(T, B), convert(T, β), C)
end
mul!(C::AbstractArray, a::Number, B::AbstractArray) = broadcast!(x -> a * x, C, B)
mul!(C::AbstractArray, A::AbstractArray, b::Number) = broadcast!(x -> x * b, C, A)
mul!(C::AbstractArray, a::Number, B::AbstractArray, α::Number, β::Number) =
    iszero(β) ? broadcast!(x -> a * x * α, C, B) : broadcast!((x, c) -> a * x * α + c * β, C, B, C)
mul!(C::AbstractArray, A::AbstractArray, b::Number, α::Number, β::Number) =
    iszero(β) ? broadcast!(x -> x * b * α, C, A) : broadcast!((x, c) -> x * b * α + c * β, C, A, C)

lmul!(a::Number, B::AbstractArray) = broadcast!(x -> a * x, B, B)
rmul!(A::AbstractArray, b::Number) = broadcast!(x -> x * b, A, A)
ldiv!(a::Number, B::AbstractArray) = broadcast!(x -> a \ x, B, B)
rdiv!(A::AbstractArray, b::Number) = broadcast!(x -> x / b, A, A)

muladd(A::AbstractMatrix, B::AbstractVecOrMat, z::Number) = A * B .+ z
function muladd(A::AbstractMatrix, B::AbstractVecOrMat, z::AbstractArray)
    AB = A * B
    fits = ntuple(d -> size(z, d) == 1 || size(z, d) == size(AB, d), max(ndims(AB), ndims(z)))
    foldl(&, fits; init=true) || throw(DimensionMismatch("array could not be broadcast to match destination"))
    return AB .+ z
end
muladd(u::AdjOrTransAbsVec, v::AbstractVector, z::Number) = u * v + z

# Powers of matrices.
function ^(A::AbstractMatrix, p::Integer)
    checksquare(A)
    p < 0 && return Base.power_by_squaring(inv(A), -p)
    p == 0 && return one(A)
    return Base.power_by_squaring(A, p)
end
Base.literal_pow(::typeof(^), A::AbstractMatrix, ::Val{p}) where {p} = p == -1 ? inv(A) : p == 2 ? A * A : A^p
one(A::AbstractMatrix{T}) where {T} = _unit_matrix(T, checksquare(A))
oneunit(A::AbstractMatrix{T}) where {T} = _unit_matrix(T, checksquare(A))

# Σ conj(x) y
dot(x::Number, y::Number) = conj(x) * y
function dot(x::AbstractArray, y::AbstractArray)
    n = length(x)
    n == length(y) || throw(DimensionMismatch("first array has length $n which does not match the length of the second, $(length(y))."))
    n == 0 && return dot(zero(eltype(x)), zero(eltype(y)))
    s = zero(dot(first(x), first(y)))
    for (a, b) in zip(x, y)
        s += dot(a, b)
    end
    return s
end
function dot(x::Array{T}, y::Array{T}) where {T<:Union{BlasFloat,MachineInteger}}
    length(x) == length(y) || throw(DimensionMismatch("first array has length $(length(x)) which does not match the length of the second, $(length(y))."))
    return _dot(x, y)
end
function dot(x, y)
    s = nothing
    for (a, b) in zip(x, y)
        s = s === nothing ? dot(a, b) : s + dot(a, b)
    end
    s === nothing && return dot(zero(eltype(x)), zero(eltype(y)))
    return s
end
function dot(x::AbstractVector, A::AbstractMatrix, y::AbstractVector)
    length(x) == size(A, 1) && length(y) == size(A, 2) ||
        throw(DimensionMismatch("x has length $(length(x)), A has size $(size(A)), y has length $(length(y))"))
    (isempty(x) || isempty(y)) && return dot(zero(eltype(x)), zero(eltype(A)), zero(eltype(y)))
    return dot(x, A * y)
end
dot(x::Number, a::Number, y::Number) = conj(x) * a * y
dot(x::AbstractVector, J::UniformScaling, y::AbstractVector) = dot(x, J.λ * y)
dot(x::AbstractVector, a::Number, y::AbstractVector) = sum(dot(u, a, v) for (u, v) in zip(x, y))
const ⋅ = dot

function cross(a::AbstractVector, b::AbstractVector)
    length(a) == length(b) == 3 || throw(DimensionMismatch("cross product is only defined for vectors of length 3"))
    return [a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]]
end
const × = cross

function kron(A::AbstractMatrix{T}, B::AbstractMatrix{S}) where {T,S}
    return kron!(Matrix{typeof(zero(T) * zero(S))}(undef, size(A, 1) * size(B, 1), size(A, 2) * size(B, 2)), A, B)
end
kron(a::AbstractVector{T}, b::AbstractVector{S}) where {T,S} =
    kron!(Vector{typeof(zero(T) * zero(S))}(undef, length(a) * length(b)), a, b)
kron(A::AbstractMatrix, b::AbstractVector) = kron(A, reshape(b, length(b), 1))
kron(a::AbstractVector, B::AbstractMatrix) = kron(reshape(a, length(a), 1), B)
kron(a::AdjOrTransAbsVec, b::AdjOrTransAbsVec) = _rewrap(a, kron(a.parent, b.parent))
kron(a::Number, b::Number) = a * b
kron(a::Number, B::AbstractVecOrMat) = a * B
kron(A::AbstractVecOrMat, b::Number) = A * b
kron(A, B, C, D...) = kron(kron(A, B), C, D...)
function kron!(C::AbstractVecOrMat, A::AbstractVecOrMat, B::AbstractVecOrMat)
    m, n = size(B, 1), size(B, 2)
    size(C, 1) == size(A, 1) * m && size(C, 2) == size(A, 2) * n ||
        throw(DimensionMismatch("kron!: C has size $(size(C)), wants $((size(A, 1) * m, size(A, 2) * n))"))
    if C isa Array && eltype(C) <: MachineReal && eltype(A) <: MachineReal && eltype(B) <: MachineReal
        products = reshape(_as_array(A), 1, size(A, 1), 1, size(A, 2)) .* reshape(_as_array(B), m, 1, n, 1)
        return copyto!(C, products)
    end
    at = 0
    for j in 1:size(A, 2), l in 1:n, i in 1:size(A, 1)
        a = A[i, j]
        for k in 1:m
            at += 1
            C[at] = a * B[k, l]
        end
    end
    return C
end
function kron!(C::Diagonal, A::Diagonal, B::Diagonal)
    length(C.diag) == length(A.diag) * length(B.diag) || throw(DimensionMismatch("expect C to be a $(length(A.diag) * length(B.diag)) matrix, got size $(size(C))"))
    kron!(C.diag, A.diag, B.diag)
    return C
end
