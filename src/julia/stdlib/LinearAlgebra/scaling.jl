# UniformScaling: a multiple of the identity of whatever size is wanted.

UniformScaling(λ::T) where {T<:Number} = _new(UniformScaling{T}, λ)
UniformScaling{T}(λ::Number) where {T<:Number} = _new(UniformScaling{T}, convert(T, λ))
const I = UniformScaling(true)

(J::UniformScaling)(n::Integer) = Diagonal(fill(J.λ, n))
eltype(::Type{UniformScaling{T}}) where {T} = T
eltype(J::UniformScaling{T}) where {T} = T
ndims(J::UniformScaling) = 2
ndims(::Type{<:UniformScaling}) = 2
one(::Type{UniformScaling{T}}) where {T} = UniformScaling(one(T))
one(J::UniformScaling{T}) where {T} = UniformScaling(one(T))
oneunit(J::UniformScaling{T}) where {T} = UniformScaling(oneunit(T))
zero(::Type{UniformScaling{T}}) where {T} = UniformScaling(zero(T))
zero(J::UniformScaling{T}) where {T} = UniformScaling(zero(T))
convert(::Type{UniformScaling{T}}, J::UniformScaling) where {T} = UniformScaling(convert(T, J.λ))
float(J::UniformScaling) = UniformScaling(float(J.λ))
copy(J::UniformScaling) = J
conj(J::UniformScaling) = UniformScaling(conj(J.λ))
real(J::UniformScaling) = UniformScaling(real(J.λ))
imag(J::UniformScaling) = UniformScaling(imag(J.λ))
transpose(J::UniformScaling) = J
adjoint(J::UniformScaling) = UniformScaling(conj(J.λ))
getindex(J::UniformScaling, i::Integer, j::Integer) = i == j ? J.λ : zero(J.λ)
getindex(J::UniformScaling, i::CartesianIndex{2}) = J[i[1], i[2]]
function getindex(J::UniformScaling{T}, rows::AbstractVector{<:Integer}, columns::AbstractVector{<:Integer}) where {T}
    return [J[i, j] for i in rows, j in columns]
end
istriu(::UniformScaling, k::Integer=0) = k <= 0
istril(::UniformScaling, k::Integer=0) = k >= 0
isdiag(::UniformScaling) = true
issymmetric(::UniformScaling) = true
ishermitian(J::UniformScaling) = isreal(J.λ)
isposdef(J::UniformScaling) = isposdef(J.λ)
iszero(J::UniformScaling) = iszero(J.λ)
isone(J::UniformScaling) = isone(J.λ)
==(a::UniformScaling, b::UniformScaling) = a.λ == b.λ
isequal(a::UniformScaling, b::UniformScaling) = isequal(a.λ, b.λ)
isequal(a::UniformScaling, b::AbstractArray) = false
isequal(a::AbstractArray, b::UniformScaling) = false
hash(J::UniformScaling, h::UInt) = hash(J.λ, hash(0x7e53e9be, h))
function ==(A::AbstractMatrix, J::UniformScaling)
    size(A, 1) == size(A, 2) || return false
    for j in axes(A, 2), i in axes(A, 1)
        A[i, j] == J[i, j] || return false
    end
    return true
end
==(J::UniformScaling, A::AbstractMatrix) = A == J

+(J::UniformScaling) = J
+(J::UniformScaling{Bool}) = UniformScaling(+J.λ)
-(J::UniformScaling) = UniformScaling(-J.λ)
+(a::UniformScaling, b::UniformScaling) = UniformScaling(a.λ + b.λ)
-(a::UniformScaling, b::UniformScaling) = UniformScaling(a.λ - b.λ)
*(a::UniformScaling, b::UniformScaling) = UniformScaling(a.λ * b.λ)
/(a::UniformScaling, b::UniformScaling) = UniformScaling(a.λ / b.λ)
\(a::UniformScaling, b::UniformScaling) = UniformScaling(a.λ \ b.λ)
*(a::Number, J::UniformScaling) = UniformScaling(a * J.λ)
*(J::UniformScaling, a::Number) = UniformScaling(J.λ * a)
/(J::UniformScaling, a::Number) = UniformScaling(J.λ / a)
\(a::Number, J::UniformScaling) = UniformScaling(a \ J.λ)
//(J::UniformScaling, a::Number) = UniformScaling(J.λ // a)
*(A::AbstractMatrix, J::UniformScaling) = A * J.λ
*(J::UniformScaling, A::AbstractMatrix) = J.λ * A
*(v::AbstractVector, J::UniformScaling) = reshape(v, length(v), 1) * J
*(J::UniformScaling, v::AbstractVector) = J.λ * v
/(A::AbstractMatrix, J::UniformScaling) = A / J.λ
/(J::UniformScaling, A::AbstractMatrix) = J.λ * inv(A)
\(J::UniformScaling, A::AbstractVecOrMat) = J.λ \ A
\(A::AbstractMatrix, J::UniformScaling) = inv(A) * J.λ
^(J::UniformScaling, p::Number) = UniformScaling(J.λ^p)
+(J::UniformScaling, x::Number) = throw(MethodError(+, (J, x)))

function _plus_diagonal(A::AbstractMatrix{T}, x) where {T}
    n = checksquare(A)
    B = _dense(typeof(zero(T) + x), A)
    for i in 1:n
        B[i, i] += x
    end
    return B
end
+(A::AbstractMatrix, J::UniformScaling) = _plus_diagonal(A, J.λ)
+(J::UniformScaling, A::AbstractMatrix) = _plus_diagonal(A, J.λ)
-(A::AbstractMatrix, J::UniformScaling) = _plus_diagonal(A, -J.λ)
-(J::UniformScaling, A::AbstractMatrix) = _plus_diagonal(-A, J.λ)
+(D::Diagonal, J::UniformScaling) = Diagonal(D.diag .+ J.λ)
+(J::UniformScaling, D::Diagonal) = Diagonal(J.λ .+ D.diag)
-(D::Diagonal, J::UniformScaling) = Diagonal(D.diag .- J.λ)
-(J::UniformScaling, D::Diagonal) = Diagonal(J.λ .- D.diag)
+(A::Symmetric, J::UniformScaling) = _make_symmetric(A.data + J, A.uplo)
-(A::Symmetric, J::UniformScaling) = _make_symmetric(A.data - J, A.uplo)
+(J::UniformScaling, A::Symmetric) = A + J
+(A::Hermitian, J::UniformScaling{<:Real}) = _make_hermitian(A.data + J, A.uplo)
-(A::Hermitian, J::UniformScaling{<:Real}) = _make_hermitian(A.data - J, A.uplo)
+(J::UniformScaling{<:Real}, A::Hermitian) = A + J
+(A::UpperTriangular, J::UniformScaling) = UpperTriangular(A.data + J)
-(A::UpperTriangular, J::UniformScaling) = UpperTriangular(A.data - J)
+(J::UniformScaling, A::UpperTriangular) = A + J
+(A::LowerTriangular, J::UniformScaling) = LowerTriangular(A.data + J)
-(A::LowerTriangular, J::UniformScaling) = LowerTriangular(A.data - J)
+(J::UniformScaling, A::LowerTriangular) = A + J
+(A::SymTridiagonal, J::UniformScaling) = SymTridiagonal(A.dv .+ J.λ, A.ev)
+(A::Tridiagonal, J::UniformScaling) = Tridiagonal(A.dl, A.d .+ J.λ, A.du)
-(A::SymTridiagonal, J::UniformScaling) = SymTridiagonal(A.dv .- J.λ, A.ev)
-(A::Tridiagonal, J::UniformScaling) = Tridiagonal(A.dl, A.d .- J.λ, A.du)
+(J::UniformScaling, A::SymTridiagonal) = A + J
+(J::UniformScaling, A::Tridiagonal) = A + J

inv(J::UniformScaling) = UniformScaling(inv(J.λ))
cond(J::UniformScaling{T}) where {T} = J.λ != zero(T) ? one(real(T)) : oftype(real(J.λ), Inf)
opnorm(J::UniformScaling, p::Real=2) = abs(J.λ)
norm(J::UniformScaling) = throw(ArgumentError("norm of a UniformScaling is not defined without a size"))
tr(J::UniformScaling{T}) where {T} = iszero(J.λ) ? zero(T) : throw(ArgumentError("trace of a nonzero UniformScaling without a size is not defined"))
det(J::UniformScaling{T}) where {T} = isone(J.λ) ? one(T) : iszero(J.λ) ? zero(T) :
    throw(ArgumentError("Determinant of UniformScaling is only well-defined when λ = 0 or 1."))
logdet(J::UniformScaling) = log(det(J))
muladd(A::UniformScaling, B::UniformScaling, z::UniformScaling) = UniformScaling(A.λ * B.λ + z.λ)
exp(J::UniformScaling) = UniformScaling(exp(J.λ))
log(J::UniformScaling) = UniformScaling(log(J.λ))
sqrt(J::UniformScaling) = UniformScaling(sqrt(J.λ))

isapprox(a::UniformScaling, b::UniformScaling; atol::Real=0, rtol::Real=Base.rtoldefault(a.λ, b.λ, atol), nans::Bool=false) =
    isapprox(a.λ, b.λ; rtol=rtol, atol=atol, nans=nans)
function isapprox(J::UniformScaling, A::AbstractMatrix; atol::Real=0, rtol::Real=Base.rtoldefault(eltype(A), eltype(J), atol),
                  nans::Bool=false, norm::Function=_norm_function)
    n = checksquare(A)
    size_of_J = norm === opnorm ? abs(J.λ) : abs(J.λ) * sqrt(n)
    return norm(A - J) <= max(atol, rtol * max(norm(A), size_of_J))
end
isapprox(A::AbstractMatrix, J::UniformScaling; atol::Real=0, rtol::Real=Base.rtoldefault(eltype(A), eltype(J), atol),
         nans::Bool=false, norm::Function=_norm_function) = isapprox(J, A; atol=atol, rtol=rtol, nans=nans, norm=norm)

Matrix(J::UniformScaling{T}, m::Integer, n::Integer) where {T} = _scaling_matrix(T, J, m, n)
Matrix(J::UniformScaling{T}, dims::Dims{2}) where {T} = _scaling_matrix(T, J, dims[1], dims[2])
Matrix{T}(J::UniformScaling, m::Integer, n::Integer) where {T} = _scaling_matrix(T, J, m, n)
Matrix{T}(J::UniformScaling, dims::Dims{2}) where {T} = _scaling_matrix(T, J, dims[1], dims[2])
Array(J::UniformScaling, m::Integer, n::Integer) = Matrix(J, m, n)
Array(J::UniformScaling, dims::Dims{2}) = Matrix(J, dims)
Array{T}(J::UniformScaling, m::Integer, n::Integer) where {T} = _scaling_matrix(T, J, m, n)
function _scaling_matrix(::Type{T}, J::UniformScaling, m::Integer, n::Integer) where {T}
    A = zeros(T, m, n)
    for i in 1:min(m, n)
        A[i, i] = J.λ
    end
    return A
end
Diagonal(J::UniformScaling, n::Integer) = Diagonal(fill(J.λ, n))
Diagonal{T}(J::UniformScaling, n::Integer) where {T} = Diagonal(fill!(Vector{T}(undef, n), J.λ))
function copyto!(A::AbstractMatrix, J::UniformScaling)
    fill!(A, zero(eltype(A)))
    for i in 1:min(size(A, 1), size(A, 2))
        A[i, i] = J.λ
    end
    return A
end

# In brackets a scaling takes the size that its neighbours leave it.
function Base.hcat(A::Union{AbstractVecOrMat,UniformScaling}...)
    n = -1
    for a in A
        a isa UniformScaling || (n = size(a, 1))
    end
    n < 0 && throw(ArgumentError("hcat of only UniformScaling objects cannot determine the matrix size"))
    return hcat(map(a -> a isa UniformScaling ? Matrix(a, n, n) : a, A)...)
end
function Base.vcat(A::Union{AbstractVecOrMat,UniformScaling}...)
    n = -1
    for a in A
        a isa UniformScaling || (n = size(a, 2))
    end
    n < 0 && throw(ArgumentError("vcat of only UniformScaling objects cannot determine the matrix size"))
    return vcat(map(a -> a isa UniformScaling ? Matrix(a, n, n) : a, A)...)
end
function Base.hvcat(rows::Tuple{Vararg{Int}}, A::Union{AbstractVecOrMat,UniformScaling}...)
    # The sizes follow from a row's other blocks, or else from those of the column.
    heights = fill(-1, length(rows))
    at = 0
    for (i, count) in enumerate(rows)
        for j in 1:count
            a = A[at+j]
            a isa UniformScaling || (heights[i] = size(a, 1))
        end
        at += count
    end
    widths = fill(-1, rows[1])
    at = 0
    for count in rows
        for j in 1:count
            a = A[at+j]
            a isa UniformScaling || count != rows[1] || (widths[j] = size(a, 2))
        end
        at += count
    end
    all(<(0), heights) && throw(ArgumentError("hvcat of only UniformScaling objects cannot determine the matrix size"))
    blocks = []
    at = 0
    for (i, count) in enumerate(rows)
        for j in 1:count
            a = A[at+j]
            n = heights[i] >= 0 ? heights[i] : widths[j]
            push!(blocks, a isa UniformScaling ? Matrix(a, n, n) : a)
        end
        at += count
    end
    return hvcat(rows, blocks...)
end

function show(io::IO, ::MIME"text/plain", J::UniformScaling)
    s = string(J.λ)
    print(io, typeof(J), "\n", J.λ isa Real ? s : "($s)", "*I")
end
show(io::IO, J::UniformScaling) = print(io, typeof(J), "(", repr(J.λ), ")")
