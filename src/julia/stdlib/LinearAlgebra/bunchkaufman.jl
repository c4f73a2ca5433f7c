# Bunch and Kaufman's factorization of symmetric matrices that need not be definite.

struct BunchKaufman{T,S<:AbstractMatrix,P<:AbstractVector{<:Integer}} <: Factorization{T}
    LD::S
    ipiv::P
    uplo::Char
    symmetric::Bool
    rook::Bool
    info::Int
end

issuccess(B::BunchKaufman) = B.info == 0
size(B::BunchKaufman) = size(getfield(B, :LD))
size(B::BunchKaufman, d::Integer) = size(getfield(B, :LD), d)

function bunchkaufman(A::AbstractMatrix{T}, rook::Bool=false; check::Bool=true) where {T}
    ishermitian(A) || issymmetric(A) || throw(ArgumentError("Bunch-Kaufman decomposition is only valid for symmetric or Hermitian matrices"))
    return _bunch_kaufman_of(_dense(_factor_float(T), A), 'U', !ishermitian(A), rook, check)
end
bunchkaufman(A::SymOrHerm{T}, rook::Bool=false; check::Bool=true) where {T} =
    _bunch_kaufman_of(_dense(_factor_float(T), A), A.uplo, A isa Symmetric, rook, check)
bunchkaufman!(A::SymOrHerm, rook::Bool=false; check::Bool=true) = _bunch_kaufman_of(A.data, A.uplo, A isa Symmetric, rook, check)
bunchkaufman!(A::AbstractMatrix, rook::Bool=false; check::Bool=true) = _bunch_kaufman_of(A, 'U', !ishermitian(A), rook, check)
function _bunch_kaufman_of(A::Matrix{T}, uplo::Char, symmetric::Bool, rook::Bool, check::Bool) where {T<:BlasFloat}
    rook && throw(ArgumentError("rook pivoting is not available"))
    ipiv, info = _bunch_kaufman(uplo, !symmetric, A)
    check && info != 0 && throw(SingularException(info))
    return BunchKaufman{T,Matrix{T},Vector{Int}}(A, ipiv, uplo, symmetric, rook, info)
end

# The factors as LAPACK leaves them: blocks of one or two columns, with the exchanges of each between them.
function _bunch_kaufman_parts(B::BunchKaufman{T}) where {T}
    LD, ipiv = getfield(B, :LD), getfield(B, :ipiv)
    upper = getfield(B, :uplo) == 'U'
    n = size(LD, 1)
    W = _unit_matrix(T, n)
    d, dl, du = zeros(T, n), zeros(T, max(n - 1, 0)), zeros(T, max(n - 1, 0))
    p = collect(1:n)
    k = upper ? n : 1
    while upper ? k >= 1 : k <= n
        step = ipiv[k] > 0 ? 1 : 2
        other = upper ? k - 1 : k + 1
        d[k] = LD[k, k]
        if step == 2
            d[other] = LD[other, other]
            at = min(k, other)
            x = upper ? LD[other, k] : LD[other, k]
            if upper
                du[at] = x
                dl[at] = getfield(B, :symmetric) ? x : conj(x)
            else
                dl[at] = x
                du[at] = getfield(B, :symmetric) ? x : conj(x)
            end
        end
        for c in (step == 2 ? (k, other) : (k,))
            rows = upper ? (1:k-step) : (k+step:n)
            for i in rows
                W[i, c] = LD[i, c]
            end
        end
        swap = abs(ipiv[k])
        from = step == 2 ? other : k
        if swap != from
            p[from], p[swap] = p[swap], p[from]
            # Columns that were made before carry the exchange too.
            for c in (upper ? (k+1:n) : (1:k-1))
                W[from, c], W[swap, c] = W[swap, c], W[from, c]
            end
        end
        k += upper ? -step : step
    end
    return W, Tridiagonal(dl, d, du), p
end
function getproperty(B::BunchKaufman{T}, d::Symbol) where {T}
    if d === :D
        return _bunch_kaufman_parts(B)[2]
    elseif d === :p
        return _bunch_kaufman_parts(B)[3]
    elseif d === :P
        return _permutation_matrix(T, _bunch_kaufman_parts(B)[3])
    elseif d === :U
        getfield(B, :uplo) == 'U' || throw(ArgumentError("factorization is L*D*L^T but you requested U"))
        return UnitUpperTriangular(_bunch_kaufman_parts(B)[1])
    elseif d === :L
        getfield(B, :uplo) == 'L' || throw(ArgumentError("factorization is U*D*U^T but you requested L"))
        return UnitLowerTriangular(_bunch_kaufman_parts(B)[1])
    end
    return getfield(B, d)
end
iterate(B::BunchKaufman) = (B.D, Val(:UL))
iterate(B::BunchKaufman, ::Val{:UL}) = (B.uplo == 'U' ? B.U : B.L, Val(:p))
iterate(B::BunchKaufman, ::Val{:p}) = (B.p, Val(:done))
iterate(B::BunchKaufman, ::Val{:done}) = nothing
function show(io::IO, mime::MIME"text/plain", B::BunchKaufman)
    if !issuccess(B)
        print(io, "Failed factorization of type $(typeof(B))")
        return
    end
    print(io, typeof(B), "\nD factor:\n")
    show(io, mime, B.D)
    print(io, "\n$(B.uplo) factor:\n")
    show(io, mime, B.uplo == 'U' ? B.U : B.L)
    print(io, "\npermutation:\n")
    show(io, mime, B.p)
end
function ldiv!(B::BunchKaufman{T}, R::VecOrMat{T}) where {T<:BlasFloat}
    issuccess(B) || throw(SingularException(B.info))
    return _bunch_kaufman_solve(B.uplo, !B.symmetric, B.LD, B.ipiv, R)
end
inv(B::BunchKaufman{T}) where {T} = ldiv!(B, _unit_matrix(T, size(B, 1)))
function logabsdet(B::BunchKaufman{T}) where {T}
    D = B.D
    d = det(D)
    return log(abs(d)), iszero(d) ? one(d) : sign(d)
end
det(B::BunchKaufman{T}) where {T} = issuccess(B) ? det(B.D) : zero(T)
function logdet(B::BunchKaufman)
    s, sign = logabsdet(B)
    return s + log(sign)
end

# L D L' of a symmetric tridiagonal matrix, in its own bands.
struct LDLt{T,S<:AbstractMatrix{T}} <: Factorization{T}
    data::S
end
size(F::LDLt) = size(getfield(F, :data))
ldlt(A::SymTridiagonal{T}) where {T} = ldlt!(SymTridiagonal(convert(Vector{_factor_type(T)}, copy(A.dv)), convert(Vector{_factor_type(T)}, copy(A.ev))))
function ldlt!(A::SymTridiagonal)
    d, e = A.dv, A.ev
    for i in 1:length(d)-1
        iszero(d[i]) && throw(ZeroPivotException(i))
        e[i] /= d[i]
        d[i+1] -= abs2(e[i]) * d[i]
    end
    return LDLt(A)
end
function getproperty(F::LDLt, d::Symbol)
    data = getfield(F, :data)
    if d === :D
        return Diagonal(data.dv)
    elseif d === :d
        return data.dv
    elseif d === :L
        return UnitLowerTriangular(_dense(Bidiagonal(ones(eltype(data.dv), length(data.dv)), data.ev, :L)))
    elseif d === :Lt
        return adjoint(F.L)
    end
    return getfield(F, d)
end
function ldiv!(F::LDLt, B::AbstractVecOrMat)
    d, e = F.data.dv, F.data.ev
    n = length(d)
    for k in 1:size(B, 2)
        for i in 2:n
            B[i, k] -= e[i-1] * B[i-1, k]
        end
        B[n, k] /= d[n]
        for i in n-1:-1:1
            B[i, k] = B[i, k] / d[i] - conj(e[i]) * B[i+1, k]
        end
    end
    return B
end
det(F::LDLt) = prod(F.data.dv)
logdet(F::LDLt) = log(det(F))
