# BLAS and LAPACK under their own names, as far as programs call them.

module BLAS

import ..LinearAlgebra
const LA = LinearAlgebra

export axpy!, axpby!, dot, dotc, dotu, nrm2, asum, scal!, scal, gemm!, gemm, gemv!, gemv, ger!, blascopy!, iamax, trsm!, syrk

set_num_threads(n::Integer) = nothing
get_num_threads() = 1

dot(n::Integer, x, incx::Integer, y, incy::Integer) = LA.dot([x[1+(i-1)*incx] for i in 1:n], [y[1+(i-1)*incy] for i in 1:n])
dot(x, y) = LA.dot(x, y)
dotc(n::Integer, x, incx::Integer, y, incy::Integer) = dot(n, x, incx, y, incy)
dotc(x, y) = LA.dot(x, y)
dotu(n::Integer, x, incx::Integer, y, incy::Integer) = LA.dot([conj(x[1+(i-1)*incx]) for i in 1:n], [y[1+(i-1)*incy] for i in 1:n])
dotu(x, y) = LA.dot(conj(x), y)
nrm2(n::Integer, x, incx::Integer) = LA.norm([x[1+(i-1)*incx] for i in 1:n])
nrm2(x) = LA.norm(x)
asum(n::Integer, x, incx::Integer) = sum(abs(real(x[1+(i-1)*incx])) + abs(imag(x[1+(i-1)*incx])) for i in 1:n)
asum(x) = sum(v -> abs(real(v)) + abs(imag(v)), x)
axpy!(a, x, y) = LA.axpy!(a, x, y)
axpby!(a, x, b, y) = LA.axpby!(a, x, b, y)
function scal!(n::Integer, a, x, incx::Integer)
    for i in 1:n
        x[1+(i-1)*incx] *= a
    end
    return x
end
scal!(a, x) = LA.lmul!(a, x)
scal(a, x) = a * x
iamax(x) = argmax(map(v -> abs(real(v)) + abs(imag(v)), x))
function blascopy!(n::Integer, x, incx::Integer, y, incy::Integer)
    for i in 1:n
        y[1+(i-1)*incy] = x[1+(i-1)*incx]
    end
    return y
end
_op(t::AbstractChar, A) = t == 'N' ? A : t == 'T' ? transpose(A) : adjoint(A)
gemm!(ta, tb, alpha, A, B, beta, C) = LA.mul!(C, _op(ta, A), _op(tb, B), alpha, beta)
gemm(ta, tb, alpha, A, B) = alpha * (_op(ta, A) * _op(tb, B))
gemm(ta, tb, A, B) = _op(ta, A) * _op(tb, B)
gemv!(ta, alpha, A, x, beta, y) = LA.mul!(y, _op(ta, A), x, alpha, beta)
gemv(ta, alpha, A, x) = alpha * (_op(ta, A) * x)
gemv(ta, A, x) = _op(ta, A) * x
function ger!(alpha, x, y, A)
    for j in 1:size(A, 2), i in 1:size(A, 1)
        A[i, j] += alpha * x[i] * conj(y[j])
    end
    return A
end

end

module LAPACK

import ..LinearAlgebra
const LA = LinearAlgebra

chkuplo(c::AbstractChar) = c == 'U' || c == 'L' ? c : throw(ArgumentError("uplo argument must be 'U' (upper) or 'L' (lower), got '$c'"))
chkside(c::AbstractChar) = c == 'L' || c == 'R' ? c : throw(ArgumentError("side argument must be 'L' (left hand multiply) or 'R' (right hand multiply), got '$c'"))
chkdiag(c::AbstractChar) = c == 'U' || c == 'N' ? c : throw(ArgumentError("diag argument must be 'U' (unit diagonal) or 'N' (non-unit diagonal), got '$c'"))
chktrans(c::AbstractChar) = c in ('N', 'C', 'T') ? c : throw(ArgumentError("trans argument must be 'N' (no transpose), 'T' (transpose), or 'C' (conjugate transpose), got '$c'"))
chkvalidparam(n::Integer, name, value, valid) =
    value in valid ? value : throw(ArgumentError("argument #$n: $name must be one of $valid, but got $(repr(value))"))
lacpy!(B::AbstractMatrix, A::AbstractMatrix, uplo::AbstractChar) = LA.copytrito!(B, A, uplo)
function getrf!(A::Matrix; check::Bool=true)
    F = LA.lu!(A; check=false)
    return A, F.ipiv, F.info
end
function potrf!(uplo::AbstractChar, A::Matrix)
    info = LA._factor_cholesky!(A, uplo, false).info
    return A, info
end

end
