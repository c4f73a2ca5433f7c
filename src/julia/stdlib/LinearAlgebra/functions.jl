# Functions of matrices.

# Of a symmetric or Hermitian matrix by its eigenvalues; the result is symmetric again.
function _by_eigenvalues(f, A::AbstractMatrix)
    F = eigen(Hermitian(A))
    values = map(f, F.values)
    return F.vectors * Diagonal(values) * adjoint(F.vectors)
end
_spectral(f, A::Symmetric) = Symmetric(_by_eigenvalues(f, A))
_spectral(f, A::Hermitian) = eltype(f.(eigvals(A))) <: Real ? Hermitian(_by_eigenvalues(f, A)) : _by_eigenvalues(f, A)
_is_spectral(A) = ishermitian(A)
# Of any matrix that has enough eigenvectors.
function _by_schur(f, A::AbstractMatrix)
    F = eigen(complex(float(_dense(A))))
    return F.vectors * Diagonal(map(f, F.values)) / F.vectors
end
_real_if_possible(A::AbstractMatrix{<:Real}, B::AbstractMatrix) = real(B)
_real_if_possible(A::AbstractMatrix, B::AbstractMatrix) = B

# Padé approximants of exp after scaling (Higham 2005).
const _pade_limits = (0.015, 0.25, 0.95, 2.1)
function exp(A::AbstractMatrix{T}) where {T}
    n = checksquare(A)
    S = _factor_float(T)
    n == 0 && return _dense(S, A)
    return _is_compiled() && S <: BlasFloat ? _with_rule(_exponential, _exponential_rule, _dense(S, A)) : _exponential(_dense(S, A))
end
function _exponential(A::Matrix)
    ishermitian(A) && return _copy_hermitian(_by_eigenvalues(exp, A))
    # Compiled code takes the approximant that serves all sizes.
    return _is_compiled() ? _pade_13(A, opnorm(A, 1)) : _pade_exp(A)
end
# The derivative is the block above the diagonal of exp([A dA; 0 A]).
function _exponential_rule(A, dA)
    n = size(A, 1)
    X = _with_rule(_exponential, _exponential_rule, A)
    M = zeros(eltype(A), 2n, 2n)
    M[1:n, 1:n] = A
    M[1:n, n+1:2n] = dA
    M[n+1:2n, n+1:2n] = A
    return X, _pade_13(M, opnorm(A, 1))[1:n, n+1:2n]
end
_copy_hermitian(A::Matrix) = copytri!(A, 'U', true)
exp(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(exp, A)
function _pade_exp(A::Matrix{T}) where {T}
    n = size(A, 1)
    size_of_A = opnorm(A, 1)
    E = _unit_matrix(T, n)
    if size_of_A <= 2.1
        c = size_of_A > 0.95 ? (17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0, 1.0) :
            size_of_A > 0.25 ? (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0) :
            size_of_A > 0.015 ? (30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0) : (120.0, 60.0, 12.0, 1.0)
        A2 = A * A
        P = E
        U = T(c[2]) * P
        V = T(c[1]) * P
        for k in 1:div(length(c), 2)-1
            P = P * A2
            U = U + T(c[2*k+2]) * P
            V = V + T(c[2*k+1]) * P
        end
        U = A * U
        return (V - U) \ (V + U)
    end
    return _pade_13(A, size_of_A)
end
function _pade_13(A::Matrix{T}, size_of_A) where {T}
    E = _unit_matrix(T, size(A, 1))
    s = size_of_A > 5.4 ? ceil(Int, log2(size_of_A / 5.4)) : 0
    X = A / T(2)^s
    c = (64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0,
         670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0)
    A2 = X * X
    A4 = A2 * A2
    A6 = A2 * A4
    U = X * (A6 * (T(c[14]) * A6 + T(c[12]) * A4 + T(c[10]) * A2) + T(c[8]) * A6 + T(c[6]) * A4 + T(c[4]) * A2 + T(c[2]) * E)
    V = A6 * (T(c[13]) * A6 + T(c[11]) * A4 + T(c[9]) * A2) + T(c[7]) * A6 + T(c[5]) * A4 + T(c[3]) * A2 + T(c[1]) * E
    R = _is_compiled() ? lu(V - U) \ (V + U) : (V - U) \ (V + U)
    for _ in 1:s
        R = R * R
    end
    return R
end

# The square root of a triangular matrix, column by column.
function _triangular_sqrt(A::AbstractMatrix{T}) where {T}
    n = size(A, 1)
    R = zeros(T, n, n)
    for j in 1:n
        R[j, j] = sqrt(A[j, j])
        for i in j-1:-1:1
            r = A[i, j]
            for k in i+1:j-1
                r -= R[i, k] * R[k, j]
            end
            iszero(r) || (R[i, j] = r / (R[i, i] + R[j, j]))
        end
    end
    return R
end
function sqrt(A::AbstractMatrix{T}) where {T}
    checksquare(A)
    R = _factor_float(T)
    _is_compiled() && T <: Real && return _real_function(_triangular_sqrt, sqrt, _dense(R, A))
    iszero(A) && return zeros(R, size(A))
    if isdiag(A) || ishermitian(A)
        F = eigen(Hermitian(_dense(R, A)))
        λ = F.values
        if all(x -> x >= -eps(real(R)) * maximum(abs, λ), λ)
            return _copy_hermitian(_by_eigenvalues(x -> sqrt(max(x, zero(x))), _dense(R, A)))
        end
        return F.vectors * Diagonal(sqrt.(complex(λ))) * adjoint(F.vectors)
    end
    if istriu(A)
        d = diag(A)
        return all(x -> x isa Real && x >= 0, d) ? _triangular_sqrt(_dense(R, A)) : _triangular_sqrt(complex(_dense(R, A)))
    end
    F = schur(complex(_dense(R, A)))
    X = F.Z * _triangular_sqrt(triu(F.T)) * adjoint(F.Z)
    T <: Complex && return X
    return all(x -> imag(x) != 0 || real(x) >= 0, F.values) ? real(X) : X
end
sqrt(A::UpperTriangular) = UpperTriangular(sqrt(_dense(A)))
sqrt(A::LowerTriangular) = LowerTriangular(copy(transpose(sqrt(copy(transpose(_dense(A)))))))
# Of real matrices whose functions are real: which these are, only the values tell.
function _real_function(of_triangle, f, A::Matrix{<:Real})
    if ishermitian(A)
        _assume(all(>=(0), eigvals(Hermitian(A))))
        return _copy_hermitian(_by_eigenvalues(f, A))
    end
    F = schur(complex(A))
    _assume(all(x -> imag(x) != 0 || real(x) > 0, F.values))
    return real(F.Z * of_triangle(triu(F.T)) * adjoint(F.Z))
end
_has_real_function(A) = _is_compiled() ? _assume(all(>=(0), eigvals(A))) : all(>=(0), eigvals(A))
sqrt(A::Union{Symmetric{<:Real},Hermitian}) = _has_real_function(A) ? _spectral(sqrt, A) : sqrt(_dense(A))

# By square roots until it is near the identity, then the diagonal Padé approximant in partial fractions.
function log(A::AbstractMatrix{T}) where {T}
    checksquare(A)
    R = _factor_float(T)
    _is_compiled() && T <: Real && return _real_function(_triangular_log, log, _dense(R, A))
    if ishermitian(A)
        λ = eigvals(Hermitian(_dense(R, A)))
        all(>=(0), λ) && return _copy_hermitian(_by_eigenvalues(log, _dense(R, A)))
        return _by_eigenvalues(x -> log(complex(x)), _dense(R, A))
    end
    F = schur(complex(_dense(R, A)))
    L = F.Z * _triangular_log(triu(F.T)) * adjoint(F.Z)
    T <: Complex && return L
    return all(x -> imag(x) != 0 || real(x) > 0, F.values) ? real(L) : L
end
log(A::UpperTriangular) = UpperTriangular(_triangular_log(_dense(_factor_float(eltype(A)), A)))
log(A::Union{Symmetric{<:Real},Hermitian}) = _has_real_function(A) ? _spectral(log, A) : log(_dense(A))
function _triangular_log(A::Matrix{T}) where {T}
    n = size(A, 1)
    X = A
    s = 0
    while opnorm(X - I, 1) > 0.25 && s < 100
        X = _triangular_sqrt(X)
        s += 1
    end
    Y = X - _unit_matrix(T, n)
    # Gauss's nodes and weights on [0, 1], eight of them.
    nodes, weights = _gauss_legendre(8)
    L = zeros(T, n, n)
    for k in 1:8
        L = L + T(weights[k]) * ((_unit_matrix(T, n) + T(nodes[k]) * Y) \ Y)
    end
    L = L * real(T)(2)^s
    for i in 1:n
        L[i, i] = log(A[i, i])
    end
    return triu!(L)
end
function _gauss_legendre(n::Int)
    β = [0.5 / sqrt(1 - (2.0 * k)^(-2)) for k in 1:n-1]
    F = eigen(SymTridiagonal(zeros(n), β))
    return (F.values .+ 1) / 2, vec(F.vectors[1, :]) .^ 2
end

function cbrt(A::AbstractMatrix{<:Real})
    checksquare(A)
    iszero(A) && return zeros(_factor_float(eltype(A)), size(A))
    ishermitian(A) && return _copy_hermitian(_by_eigenvalues(cbrt, _dense(_factor_float(eltype(A)), A)))
    F = eigen(_dense(_factor_float(eltype(A)), A))
    # Real values have real roots; of complex pairs the principal ones.
    roots = map(x -> imag(x) == 0 ? complex(cbrt(real(x))) : x^(1 / 3), F.values)
    return real(F.vectors * Diagonal(roots) / F.vectors)
end

function ^(A::AbstractMatrix{T}, p::Real) where {T}
    n = checksquare(A)
    isinteger(p) && return _integer_power(float(_dense(A)), Int(p))
    isdiag(A) && return _power_of_diagonal(A, p)
    if ishermitian(A)
        λ = eigvals(Hermitian(A))
        all(>=(0), λ) && return _copy_hermitian(_by_eigenvalues(x -> x^p, _dense(_factor_float(T), A)))
        return _by_eigenvalues(x -> complex(x)^p, _dense(_factor_float(T), A))
    end
    values = eigvals(A)
    X = _by_schur(x -> x^p, A)
    return T <: Real && all(x -> imag(x) != 0 || real(x) >= 0, values) ? real(X) : X
end
function _power_of_diagonal(A::AbstractMatrix, p::Real)
    d = diag(A)
    return all(x -> x isa Real && x < 0, d) || any(x -> x isa Real && x < 0, d) ? diagm(complex.(d) .^ p) : diagm(float.(d) .^ p)
end
_integer_power(A::AbstractMatrix, p::Int) = p < 0 ? Base.power_by_squaring(inv(A), -p) : p == 0 ? one(A) : Base.power_by_squaring(A, p)
^(A::AbstractMatrix, p::Complex) = exp(p * log(complex(float(_dense(A)))))
^(b::Number, A::AbstractMatrix) = exp(log(b) * A)
^(::Irrational{:ℯ}, A::AbstractMatrix) = exp(A)
^(A::Symmetric{<:Real}, p::Integer) = Symmetric(p < 0 ? _integer_power(inv(_dense(A)), -p) : p == 0 ? one(_dense(A)) : Base.power_by_squaring(_dense(A), p))
^(A::Hermitian, p::Integer) = Hermitian(p < 0 ? _integer_power(inv(_dense(A)), -p) : p == 0 ? one(_dense(A)) : Base.power_by_squaring(_dense(A), p))
^(A::SymTridiagonal, p::Integer) = _dense(A)^p
^(A::UpperTriangular, p::Integer) = UpperTriangular(_dense(A)^p)
^(A::LowerTriangular, p::Integer) = LowerTriangular(_dense(A)^p)

function cis(A::AbstractMatrix)
    ishermitian(A) && return _by_eigenvalues(cis, A)
    return exp(im * _dense(A))
end
cis(A::Union{Symmetric{<:Real},Hermitian}) = _by_eigenvalues(cis, A)
function sincos(A::AbstractMatrix{<:Real})
    ishermitian(A) && return _copy_hermitian(_by_eigenvalues(sin, A)), _copy_hermitian(_by_eigenvalues(cos, A))
    E = exp(im * float(_dense(A)))
    return imag(E), real(E)
end
function sincos(A::AbstractMatrix{<:Complex})
    P, M = exp(im * float(_dense(A))), exp(-im * float(_dense(A)))
    return (P - M) / (2im), (P + M) / 2
end
sin(A::AbstractMatrix) = sincos(A)[1]
cos(A::AbstractMatrix) = sincos(A)[2]
function tan(A::AbstractMatrix)
    ishermitian(A) && return _copy_hermitian(_by_eigenvalues(tan, A))
    S, C = sincos(A)
    return C \ S
end
sin(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(sin, A)
cos(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(cos, A)
tan(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(tan, A)
sinh(A::AbstractMatrix) = (exp(A) - exp(-A)) / 2
cosh(A::AbstractMatrix) = (exp(A) + exp(-A)) / 2
function tanh(A::AbstractMatrix)
    E, F = exp(float(_dense(A))), exp(-float(_dense(A)))
    return (E + F) \ (E - F)
end
sinh(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(sinh, A)
cosh(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(cosh, A)
tanh(A::Union{Symmetric{<:Real},Hermitian}) = _spectral(tanh, A)
function asin(A::AbstractMatrix)
    X = complex(float(_dense(A)))
    R = -im * log(im * X + sqrt(I - X * X))
    return _imaginary_dropped(A, R)
end
function acos(A::AbstractMatrix)
    X = complex(float(_dense(A)))
    R = -im * log(X + im * sqrt(I - X * X))
    return _imaginary_dropped(A, R)
end
function atan(A::AbstractMatrix)
    X = complex(float(_dense(A)))
    R = (log(I + im * X) - log(I - im * X)) / (2im)
    return _imaginary_dropped(A, R)
end
_imaginary_dropped(A::AbstractMatrix{<:Complex}, R) = R
_imaginary_dropped(A::AbstractMatrix{<:Real}, R) = norm(imag(R)) <= 1e-10 * norm(R) ? real(R) : R
