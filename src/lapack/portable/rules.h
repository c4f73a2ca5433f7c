// LAPACK's custom calls written out in StableHLO's ops, for compilers that have no handlers of these names.
#pragma once
#include <string_view>

#include "lapack/portable/matrix_writer.h"

namespace weft::lapack {

/// The rule of a target; null when there is none. Values are those of the handler within rounding where LAPACK's contract fixes them;
/// eigenvectors and singular vectors may differ by a factor of size 1. `info` says which pivot is 0 as LAPACK does, and is positive where
/// an iteration did not end, as it is for NaN.
PortableFn* portable_of(std::string_view target);

namespace portable {

/// The pieces that the rules share. All matrices are batches [batch, rows, columns].

struct Lu {
  Value lu, pivots, order, info;  // pivots from 0; order: row i of P·a is row order[i] of a
};
Lu factor_lu(MatrixWriter& w, Value a);

struct Qr {
  Value packed, tau;
};
/// Householder's reflectors below r, as geqrf leaves them.
Qr factor_qr(MatrixWriter& w, Value a);
/// The first `columns` columns of the product of the reflectors.
Value q_of(MatrixWriter& w, const Qr& qr, int64_t columns);
/// Q·c or Qᴴ·c.
Value times_q(MatrixWriter& w, const Qr& qr, Value c, bool adjoint);

/// A reflector 1 - τ·(1, v)·(1, v)ᴴ whose adjoint takes (alpha, x) to (beta, 0); beta is real.
struct Reflector {
  Value v, tau, beta;
};
/// alpha [batch], x [batch, n], of which any elements may be 0 (LAPACK: larfg).
Reflector make_reflector(MatrixWriter& w, Value alpha, Value x);

struct HermitianEigen {
  Value vectors, values, failed;  // ascending; failed: i1 [batch]
};
/// Of matrices that are Hermitian as they stand.
HermitianEigen hermitian_eigen(MatrixWriter& w, Value a);

struct Svd {
  Value u, s, vt, failed;  // s descending
};
/// u and vt square when `full`, else as many columns and rows as s has.
Svd singular_values(MatrixWriter& w, Value a, bool full);

// Rules by routine. Each checks nothing but what it reads: the handlers' forms are checked before.
Values lu_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values lu_decomposition_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values permutation_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values qr_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values q_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values times_q_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values pivoted_qr_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values hermitian_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values eigh_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values svd_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values tridiagonal_solve_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values perturbed_solve_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values to_tridiagonal_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values to_hessenberg_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values schur_rule(MatrixWriter&, const OpView&, std::span<const Value>);
Values eigenvalues_rule(MatrixWriter&, const OpView&, std::span<const Value>);

}  // namespace portable
}  // namespace weft::lapack
