# Linear algebra: matrices of special forms, products, factorizations and what they solve.
module LinearAlgebra

import Base: *, +, -, /, //, \, ^, ==, adjoint, transpose, size, getindex, setindex!, length, similar, copy, copyto!, parent, eltype,
    convert, one, oneunit, zero, iszero, isone, inv, conj, conj!, real, imag, abs, permutedims, isreal, kron, exp, log, sqrt,
    cbrt, sin, cos, tan, sincos, sinh, cosh, tanh, asin, acos, atan, cis, iterate, getproperty, propertynames, show, isequal,
    hash, isapprox, muladd, ndims, axes, IndexStyle, promote_rule, float, copymutable, fill!, vec, sum, map, collect, diff,
    tuple, Array, Matrix, permutedims!

export Adjoint, BLAS, Bidiagonal, BunchKaufman, Cholesky, CholeskyPivoted, ColumnNorm, Diagonal, Eigen, Factorization,
    GeneralizedEigen, Hermitian, Hessenberg, I, LAPACK, LAPACKException, LDLt, LQ, LU, LowerTriangular, NoPivot,
    PosDefException, QR, QRPivoted, RankDeficientException, RowMaximum, RowNonZero, SVD, Schur, SingularException,
    SymTridiagonal, Symmetric, Transpose, Tridiagonal, UniformScaling, UnitLowerTriangular, UnitUpperTriangular,
    UpperHessenberg, UpperTriangular, ZeroPivotException, adjoint, adjoint!, axpby!, axpy!, bunchkaufman, bunchkaufman!,
    cholesky, cholesky!, cond, condskeel, copy_adjoint!, copy_transpose!, copyto!, copytrito!, cross, det, diag, diagind,
    diagm, diagview, dot, eigen, eigen!, eigmax, eigmin, eigvals, eigvals!, eigvecs, factorize, givens, hermitianpart,
    hermitianpart!, hessenberg, hessenberg!, isbanded, isdiag, ishermitian, isposdef, isposdef!, issuccess, issymmetric,
    istril, istriu, kron, kron!, ldiv!, ldlt, ldlt!, lmul!, logabsdet, logdet, lowrankupdate, lowrankdowndate, lq, lq!, lu,
    lu!, lyap, mul!, norm, normalize, normalize!, nullspace, opnorm, ordschur, peakflops, pinv, qr, qr!, rank, rdiv!,
    reflect!, rmul!, rotate!, schur, schur!, svd, svd!, svdvals, svdvals!, sylvester, tr, transpose, transpose!, tril, tril!,
    triu, triu!, /, \, *, ⋅, ×

const Adjoint = _builtin_type("LinearAlgebra.Adjoint")
const Transpose = _builtin_type("LinearAlgebra.Transpose")
const Diagonal = _builtin_type("LinearAlgebra.Diagonal")
const Bidiagonal = _builtin_type("LinearAlgebra.Bidiagonal")
const Tridiagonal = _builtin_type("LinearAlgebra.Tridiagonal")
const SymTridiagonal = _builtin_type("LinearAlgebra.SymTridiagonal")
const Symmetric = _builtin_type("LinearAlgebra.Symmetric")
const Hermitian = _builtin_type("LinearAlgebra.Hermitian")
const AbstractTriangular = _builtin_type("LinearAlgebra.AbstractTriangular")
const UpperTriangular = _builtin_type("LinearAlgebra.UpperTriangular")
const LowerTriangular = _builtin_type("LinearAlgebra.LowerTriangular")
const UnitUpperTriangular = _builtin_type("LinearAlgebra.UnitUpperTriangular")
const UnitLowerTriangular = _builtin_type("LinearAlgebra.UnitLowerTriangular")
const UpperHessenberg = _builtin_type("LinearAlgebra.UpperHessenberg")
const UniformScaling = _builtin_type("LinearAlgebra.UniformScaling")
const Factorization = _builtin_type("LinearAlgebra.Factorization")
const SingularException = _builtin_type("LinearAlgebra.SingularException")
const PosDefException = _builtin_type("LinearAlgebra.PosDefException")
const RankDeficientException = _builtin_type("LinearAlgebra.RankDeficientException")

const BlasReal = Union{Float32,Float64}
const BlasComplex = Union{ComplexF32,ComplexF64}
const BlasFloat = Union{Float32,Float64,ComplexF32,ComplexF64}
const BlasInt = Int64

include("basics.jl")
include("wrappers.jl")
include("diagonal.jl")
include("symmetric.jl")
include("triangular.jl")
include("banded.jl")
include("scaling.jl")
include("structured.jl")
include("product.jl")
include("product_special.jl")
include("norm.jl")
include("parts.jl")
include("lu.jl")
include("cholesky.jl")
include("qr.jl")
include("bunchkaufman.jl")
include("solve.jl")
include("svd.jl")
include("eigen.jl")
include("schur.jl")
include("functions.jl")
include("rotations.jl")
include("blas.jl")

_qualify_types(@__MODULE__)

end
