# Schur and Hessenberg forms, and the equations that they solve.

struct Schur{T,S<:AbstractMatrix,C<:AbstractVector} <: Factorization{T}
    T::S
    Z::S
    values::C
end
schur(A::AbstractMatrix{T}) where {T} = schur!(_dense(_factor_float(T), A))
function schur!(A::Matrix{T}) where {T<:BlasFloat}
    checksquare(A)
    _check_finite(A)
    Z, values, info = _schur(A)
    _require_lapack(info)
    return Schur{T,Matrix{T},typeof(values)}(A, Z, values)
end
function getproperty(F::Schur, d::Symbol)
    d === :Schur && return getfield(F, :T)
    d === :vectors && return getfield(F, :Z)
    return getfield(F, d)
end
size(F::Schur) = size(getfield(F, :T))
iterate(F::Schur) = (F.T, Val(:Z))
iterate(F::Schur, ::Val{:Z}) = (F.Z, Val(:values))
iterate(F::Schur, ::Val{:values}) = (F.values, Val(:done))
iterate(F::Schur, ::Val{:done}) = nothing
Matrix(F::Schur) = F.Z * F.T * F.Z'
function show(io::IO, mime::MIME"text/plain", F::Schur)
    print(io, typeof(F), "\nT factor:\n")
    show(io, mime, F.T)
    print(io, "\nZ factor:\n")
    show(io, mime, F.Z)
    print(io, "\neigenvalues:\n")
    show(io, mime, F.values)
end
# The complex form of a real one has no blocks.
_complex_schur(A::AbstractMatrix) = schur(complex(float(_dense(A))))
Schur{Complex}(F::Schur) = _complex_schur(Matrix(F))

struct Hessenberg{T,SH<:AbstractMatrix,S<:AbstractMatrix,TT<:AbstractVector} <: Factorization{T}
    H::SH
    factors::S
    τ::TT
end
hessenberg(A::AbstractMatrix{T}) where {T} = hessenberg!(_dense(_factor_float(T), A))
function hessenberg!(A::Matrix{T}) where {T<:BlasFloat}
    checksquare(A)
    τ = _hessenberg(A)
    H = UpperHessenberg(A)
    return Hessenberg{T,typeof(H),Matrix{T},Vector{T}}(H, A, τ)
end
struct HessenbergQ{T,S<:AbstractMatrix,C<:AbstractVector} <: AbstractQ{T}
    factors::S
    τ::C
end
HessenbergQ(factors::AbstractMatrix{T}, τ::AbstractVector{T}) where {T} = HessenbergQ{T,typeof(factors),typeof(τ)}(factors, τ)
size(Q::HessenbergQ) = size(Q.factors)
_full_q(Q::HessenbergQ) = _hessenberg_vectors(copy(Q.factors), Q.τ)
Matrix(Q::HessenbergQ) = _full_q(Q)
lmul!(Q::HessenbergQ, B::VecOrMat) = copyto!(B, _full_q(Q) * B)
lmul!(Q::AdjointQ{T,<:HessenbergQ}, B::VecOrMat) where {T} = copyto!(B, adjoint(_full_q(Q.Q)) * B)
rmul!(A::Matrix, Q::HessenbergQ) = copyto!(A, A * _full_q(Q))
rmul!(A::Matrix, Q::AdjointQ{T,<:HessenbergQ}) where {T} = copyto!(A, A * adjoint(_full_q(Q.Q)))
_converted_q(::Type{T}, Q::HessenbergQ) where {T} = HessenbergQ(_dense(T, Q.factors), _dense(T, Q.τ))
function getproperty(F::Hessenberg, d::Symbol)
    d === :Q && return HessenbergQ(getfield(F, :factors), getfield(F, :τ))
    return getfield(F, d)
end
size(F::Hessenberg) = size(getfield(F, :factors))
iterate(F::Hessenberg) = (F.Q, Val(:H))
iterate(F::Hessenberg, ::Val{:H}) = (F.H, Val(:done))
iterate(F::Hessenberg, ::Val{:done}) = nothing
Matrix(F::Hessenberg) = (Q = _full_q(F.Q); Q * _dense(F.H) * Q')
function show(io::IO, mime::MIME"text/plain", F::Hessenberg)
    print(io, typeof(F), "\nQ factor: ", _q_summary(F.Q), "\nH factor:\n")
    show(io, mime, F.H)
end

# A X + X B + C = 0
function sylvester(A::AbstractMatrix, B::AbstractMatrix, C::AbstractMatrix)
    T = promote_type(_factor_float(eltype(A)), _factor_float(eltype(B)), _factor_float(eltype(C)))
    RA, QA = schur(_dense(T, A))
    RB, QB = schur(_dense(T, B))
    D = -(adjoint(QA) * (_dense(T, C) * QB))
    scale = _sylvester('N', 'N', RA, RB, D)
    return QA * ((D * inv(scale)) * adjoint(QB))
end
sylvester(a::Number, b::Number, c::Number) = -c / (a + b)
# A X + X A' + C = 0
function lyap(A::AbstractMatrix, C::AbstractMatrix)
    T = promote_type(_factor_float(eltype(A)), _factor_float(eltype(C)))
    R, Q = schur(_dense(T, A))
    D = -(adjoint(Q) * (_dense(T, C) * Q))
    scale = _sylvester('N', 'C', R, R, D)
    return Q * ((D * inv(scale)) * adjoint(Q))
end
lyap(a::Number, c::Number) = -c / (2 * real(a))
