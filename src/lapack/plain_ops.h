// Custom calls of LAPACK routines whose meaning StableHLO's own ops have: they need no handler, fuse, and have derivatives.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::lapack {

/// The results of lapack_?trsm_ffi as a triangular_solve, of lapack_?potrf_ffi as a cholesky with the untouched triangle and `info`
/// beside it; nothing for other calls, other forms and names that the process has a handler for. Where a matrix is not positive
/// definite the factor is NaN from there on, of which LAPACK leaves what it had so far; `info` says the same.
std::optional<std::vector<Value>> as_plain_ops(OpBuilder& builder, const OpView& op, std::span<const Value> operands);

}  // namespace weft::lapack
