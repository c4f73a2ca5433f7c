# Diagonal matrices.

Diagonal(v::AbstractVector{T}) where {T} = _new(Diagonal{T,typeof(v)}, v)
Diagonal{T}(v::AbstractVector) where {T} = Diagonal(eltype(v) === T ? v : convert(Vector{T}, v))
Diagonal{T,V}(v::AbstractVector) where {T,V<:AbstractVector{T}} = _new(Diagonal{T,V}, convert(V, v))
Diagonal(A::AbstractMatrix) = Diagonal(diag(A))
Diagonal{T}(A::AbstractMatrix) where {T} = Diagonal{T}(diag(A))
Diagonal(D::Diagonal) = D
Diagonal{T}(D::Diagonal{T}) where {T} = D
Diagonal{T}(D::Diagonal) where {T} = Diagonal{T}(D.diag)
Diagonal{T}(::UndefInitializer, n::Integer) where {T} = Diagonal(Vector{T}(undef, n))

size(D::Diagonal) = (length(D.diag), length(D.diag))
parent(D::Diagonal) = D.diag
IndexStyle(::Type{<:Diagonal}) = IndexCartesian()
_off_diagonal(D::Diagonal{T}, i::Int, j::Int) where {T} = zero(T)
_off_diagonal(D::Diagonal{<:AbstractMatrix{T}}, i::Int, j::Int) where {T} = zeros(T, size(D.diag[i], 1), size(D.diag[j], 2))
function getindex(D::Diagonal, i::Int, j::Int)
    checkbounds(D, i, j)
    return i == j ? D.diag[i] : _off_diagonal(D, i, j)
end
function setindex!(D::Diagonal, v, i::Int, j::Int)
    checkbounds(D, i, j)
    if i == j
        D.diag[i] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set off-diagonal entry ($i, $j) to a nonzero value ($v)"))
    end
    return D
end
similar(D::Diagonal, ::Type{T}) where {T} = Diagonal(similar(D.diag, T))
similar(D::Diagonal{T}) where {T} = Diagonal(similar(D.diag, T))
similar(D::Diagonal, ::Type{T}, dims::Dims{N}) where {T,N} = similar(D.diag, T, dims)
copy(D::Diagonal) = Diagonal(copy(D.diag))
copymutable(D::Diagonal) = Diagonal(copymutable(D.diag))
convert(::Type{Diagonal{T}}, D::Diagonal) where {T} = Diagonal{T}(D)
convert(::Type{Diagonal}, D::Diagonal) = D
function convert(::Type{Diagonal}, A::AbstractMatrix)
    checksquare(A)
    isdiag(A) || throw(InexactError(:Diagonal, Diagonal, A))
    return Diagonal(A)
end
Matrix(D::Diagonal{T}) where {T} = _diagonal_matrix(T, D)
Matrix{T}(D::Diagonal) where {T} = _diagonal_matrix(T, D)
Array(D::Diagonal) = Matrix(D)
function _diagonal_matrix(::Type{T}, D::Diagonal) where {T}
    n = length(D.diag)
    A = zeros(T, n, n)
    for i in 1:n
        A[i, i] = D.diag[i]
    end
    return A
end
function _diagonal_matrix(::Type{T}, D::Diagonal) where {T<:AbstractMatrix}
    n = length(D.diag)
    return [D[i, j] for i in 1:n, j in 1:n]
end

adjoint(D::Diagonal) = Diagonal(map(adjoint, D.diag))
transpose(D::Diagonal) = Diagonal(map(transpose, D.diag))
adjoint(D::Diagonal{<:Real}) = D
transpose(D::Diagonal{<:Number}) = D
conj(D::Diagonal) = Diagonal(conj(D.diag))
real(D::Diagonal) = Diagonal(real(D.diag))
imag(D::Diagonal) = Diagonal(imag(D.diag))
iszero(D::Diagonal) = all(iszero, D.diag)
isone(D::Diagonal) = all(isone, D.diag)
isdiag(D::Diagonal) = all(isdiag, D.diag)
isdiag(D::Diagonal{<:Number}) = true
istriu(D::Diagonal, k::Integer=0) = k <= 0 || iszero(D.diag)
istril(D::Diagonal, k::Integer=0) = k >= 0 || iszero(D.diag)
issymmetric(D::Diagonal{<:Number}) = true
issymmetric(D::Diagonal) = all(issymmetric, D.diag)
ishermitian(D::Diagonal{<:Number}) = isreal(D.diag)
ishermitian(D::Diagonal) = all(ishermitian, D.diag)
isposdef(D::Diagonal) = all(isposdef, D.diag)
zero(D::Diagonal) = Diagonal(zero(D.diag))
one(D::Diagonal) = Diagonal(map(one, D.diag))
==(A::Diagonal, B::Diagonal) = A.diag == B.diag
-(D::Diagonal) = Diagonal(-D.diag)
+(A::Diagonal, B::Diagonal) = Diagonal(A.diag + B.diag)
-(A::Diagonal, B::Diagonal) = Diagonal(A.diag - B.diag)
*(a::Number, D::Diagonal) = Diagonal(a * D.diag)
*(D::Diagonal, a::Number) = Diagonal(D.diag * a)
/(D::Diagonal, a::Number) = Diagonal(D.diag / a)
\(a::Number, D::Diagonal) = Diagonal(a \ D.diag)
tr(D::Diagonal) = sum(D.diag)
det(D::Diagonal) = prod(D.diag)
function logdet(D::Diagonal)
    return sum(log, D.diag)
end
function logabsdet(D::Diagonal)
    return sum(x -> log(abs(x)), D.diag), prod(sign, D.diag)
end
diag(D::Diagonal) = copy(D.diag)
diag(D::Diagonal{T}, k::Integer) where {T} = k == 0 ? copy(D.diag) : zeros(T, max(0, length(D.diag) - abs(k)))
function inv(D::Diagonal)
    for i in 1:length(D.diag)
        iszero(D.diag[i]) && throw(SingularException(i))
    end
    return Diagonal(map(inv, D.diag))
end
pinv(D::Diagonal) = Diagonal(map(x -> iszero(x) ? zero(inv(one(x))) : inv(x), D.diag))
^(D::Diagonal, p::Integer) = p < 0 ? inv(D)^(-p) : Diagonal(D.diag .^ p)
^(D::Diagonal, p::Real) = Diagonal(D.diag .^ p)
^(D::Diagonal, p::Complex) = Diagonal(D.diag .^ p)
exp(D::Diagonal) = Diagonal(exp.(D.diag))
log(D::Diagonal) = Diagonal(log.(D.diag))
sqrt(D::Diagonal) = Diagonal(sqrt.(D.diag))
cbrt(D::Diagonal) = Diagonal(cbrt.(D.diag))
sin(D::Diagonal) = Diagonal(sin.(D.diag))
cos(D::Diagonal) = Diagonal(cos.(D.diag))
tan(D::Diagonal) = Diagonal(tan.(D.diag))
cis(D::Diagonal) = Diagonal(cis.(D.diag))
abs(D::Diagonal) = Diagonal(abs.(D.diag))
kron(A::Diagonal, B::Diagonal) = Diagonal(kron(A.diag, B.diag))
eigvals(D::Diagonal{<:Number}; permute::Bool=true, scale::Bool=true) = copy(D.diag)
svdvals(D::Diagonal{<:Number}) = sort!(abs.(D.diag); rev=true)
sum(D::Diagonal) = sum(D.diag)
