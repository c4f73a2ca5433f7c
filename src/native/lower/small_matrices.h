// Factorizations and solves of matrices of few rows, element by element: what a library call costs is more than what it calculates, and plain
// arithmetic stays in registers and fuses with what is around it.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// Matrices of at most this many rows and columns; what is solved for may have so many numbers.
inline constexpr int64_t kMostRowsOfSmall = 6, kMostSolvedOfSmall = 36;

/// cholesky, triangular_solve, and the custom calls lapack_?getrf_ffi and lu_pivots_to_permutation, of one small matrix of floats or complex
/// numbers; nothing for other ops, extents and batches.
bool is_small_matrix_op(const OpView& op);
std::vector<Value> small_matrix_op(OpBuilder& builder, const OpView& op, std::span<const Value> operands);

}  // namespace weft::native
