# LU factorization by elimination with row exchanges.

struct LU{T,S<:AbstractMatrix{T},P<:AbstractVector{<:Integer}} <: Factorization{T}
    factors::S
    ipiv::P
    info::Int
end

issuccess(F::LU; allowsingular::Bool=false) = F.info == 0 || allowsingular && F.info > 0
size(F::LU) = size(getfield(F, :factors))
size(F::LU, d::Integer) = size(getfield(F, :factors), d)

lu(A::AbstractMatrix{T}, pivot=RowMaximum(); check::Bool=true, allowsingular::Bool=false) where {T} =
    lu!(_dense(_factor_type(T), A), pivot; check=check, allowsingular=allowsingular)
lu(F::LU; check::Bool=true) = F
lu(A::Tridiagonal; check::Bool=true, allowsingular::Bool=false) = lu(_dense(A); check=check, allowsingular=allowsingular)
lu(x::Number) = LU(fill(x, 1, 1), [1], iszero(x) ? 1 : 0)

function lu!(A::Matrix{T}, pivot=RowMaximum(); check::Bool=true, allowsingular::Bool=false) where {T<:BlasFloat}
    pivot isa RowMaximum || return _generic_lu!(A, pivot, check, allowsingular)
    ipiv, info = _lu(A)
    check && !(allowsingular && info > 0) && info > 0 && throw(SingularException(info))
    return LU(A, ipiv, info)
end
lu!(A::AbstractMatrix, pivot=_default_pivot(eltype(A)); check::Bool=true, allowsingular::Bool=false) =
    _generic_lu!(A, pivot, check, allowsingular)
_default_pivot(::Type{T}) where {T<:Union{Real,Complex}} = RowMaximum()
_default_pivot(::Type{T}) where {T} = RowNonZero()
function lu!(F::LU, A::AbstractMatrix; check::Bool=true, allowsingular::Bool=false)
    copyto!(F.factors, A)
    return lu!(F.factors; check=check, allowsingular=allowsingular)
end

function _generic_lu!(A::AbstractMatrix{T}, pivot, check::Bool, allowsingular::Bool) where {T}
    m, n = size(A)
    info = 0
    ipiv = Vector{Int}(undef, min(m, n))
    for k in 1:min(m, n)
        p = k
        if pivot isa RowMaximum
            largest = abs(A[k, k])
            for i in k+1:m
                if abs(A[i, k]) > largest
                    p = i
                    largest = abs(A[i, k])
                end
            end
        elseif pivot isa RowNonZero
            while p < m && iszero(A[p, k])
                p += 1
            end
        end
        ipiv[k] = p
        if iszero(A[p, k])
            info == 0 && (info = pivot isa NoPivot ? -k : k)
            continue
        end
        if p != k
            for j in 1:n
                A[k, j], A[p, j] = A[p, j], A[k, j]
            end
        end
        scale = inv(A[k, k])
        for i in k+1:m
            A[i, k] = A[i, k] * scale
        end
        for j in k+1:n, i in k+1:m
            A[i, j] -= A[i, k] * A[k, j]
        end
    end
    if check && info != 0 && !(allowsingular && info > 0)
        info > 0 && throw(SingularException(info))
        throw(ZeroPivotException(-info))
    end
    return LU(A, ipiv, info)
end

function _permutation_of(ipiv::AbstractVector{<:Integer}, m::Integer)
    p = collect(1:m)
    for i in 1:length(ipiv)
        p[i], p[ipiv[i]] = p[ipiv[i]], p[i]
    end
    return p
end
function _permutation_matrix(::Type{T}, p::Vector{Int}) where {T}
    P = zeros(T, length(p), length(p))
    for i in 1:length(p)
        P[i, p[i]] = one(T)
    end
    return P
end

function getproperty(F::LU{T}, d::Symbol) where {T}
    factors = getfield(F, :factors)
    m, n = size(factors)
    if d === :L
        L = tril!(factors[1:m, 1:min(m, n)])
        for i in 1:min(m, n)
            L[i, i] = one(T)
        end
        return L
    elseif d === :U
        return triu!(factors[1:min(m, n), 1:n])
    elseif d === :p
        return _permutation_of(getfield(F, :ipiv), m)
    elseif d === :P
        return _permutation_matrix(T, _permutation_of(getfield(F, :ipiv), m))
    end
    return getfield(F, d)
end
propertynames(F::LU, private::Bool=false) = private ? (:L, :U, :p, :P, :factors, :ipiv, :info) : (:L, :U, :p, :P)
iterate(F::LU) = (F.L, Val(:U))
iterate(F::LU, ::Val{:U}) = (F.U, Val(:p))
iterate(F::LU, ::Val{:p}) = (F.p, Val(:done))
iterate(F::LU, ::Val{:done}) = nothing
Matrix(F::LU) = (F.L*F.U)[invperm(F.p), :]
Array(F::LU) = Matrix(F)

function show(io::IO, mime::MIME"text/plain", F::LU)
    if F.info < 0
        print(io, "Failed factorization of type $(typeof(F))")
        return
    end
    println(io, typeof(F))
    println(io, "L factor:")
    show(io, mime, F.L)
    println(io, F.info > 0 ? "\nU factor (rank-deficient):" : "\nU factor:")
    show(io, mime, F.U)
end

function det(F::LU{T}) where {T}
    n = checksquare(F)
    F.info == 0 || return zero(T)
    d = one(T)
    odd = false
    for i in 1:n
        d *= F.factors[i, i]
        F.ipiv[i] == i || (odd = !odd)
    end
    return odd ? -d : d
end
function logabsdet(F::LU{T}) where {T}
    n = checksquare(F)
    F.info == 0 || return log(zero(real(T))), log(one(T))
    odd = false
    P = one(T)
    s = zero(real(T))
    for i in 1:n
        x = F.factors[i, i]
        F.ipiv[i] == i || (odd = !odd)
        P *= sign(x)
        s += log(abs(x))
    end
    return s, odd ? -P : P
end
function inv(F::LU{T,<:Matrix}) where {T<:BlasFloat}
    F.info == 0 || throw(SingularException(F.info))
    A = copy(F.factors)
    _lu_inverse(A, F.ipiv)
    return A
end
inv(F::LU{T}) where {T} = ldiv!(F, _unit_matrix(T, size(F, 1)))

_check_regular(F::LU) = F.info == 0 || throw(SingularException(abs(F.info)))
function ldiv!(F::LU{T,<:Matrix}, B::VecOrMat{T}) where {T<:BlasFloat}
    size(F, 1) == size(B, 1) || throw(DimensionMismatch("first dimension of A is $(size(F, 1)), but of B is $(size(B, 1))"))
    _check_regular(F)
    return _lu_solve('N', F.factors, F.ipiv, B)
end
function ldiv!(F::LU, B::AbstractVecOrMat)
    size(F, 1) == size(B, 1) || throw(DimensionMismatch("first dimension of A is $(size(F, 1)), but of B is $(size(B, 1))"))
    _check_regular(F)
    for i in 1:length(F.ipiv)
        p = F.ipiv[i]
        p == i && continue
        for j in 1:size(B, 2)
            B[i, j], B[p, j] = B[p, j], B[i, j]
        end
    end
    _generic_triangular_solve!(UnitLowerTriangular(F.factors), B)
    return _generic_triangular_solve!(UpperTriangular(F.factors), B)
end
