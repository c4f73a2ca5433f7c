// Ops without code of their own become ops that have it. Steps, since what stands between transforms must outlast them.
#pragma once
#include <memory>

#include "ir/function.h"
#include "native/lower/linear_algebra.h"

namespace weft::native {

/// Before simplification: random numbers, ragged products and bits of other widths become plain arithmetic, futures the values of
/// ops that run at their start, calls of LAPACK that ops express those ops.
std::unique_ptr<Function> lower(std::unique_ptr<Function> f);
bool has_barriers(const Function& f);
/// After it: barriers that have done their part, and the tuples that passed them, go.
std::unique_ptr<Function> lower_barriers(std::unique_ptr<Function> f);

/// Factorizations and solves of one matrix of few rows become arithmetic of its elements.
std::unique_ptr<Function> lower_small_matrices(std::unique_ptr<Function> f);
/// Last: matrix ops that no library kernel takes become loops.
std::unique_ptr<Function> lower_matrix_ops(std::unique_ptr<Function> f, bool has_libraries,
                                           const IsOpenExtent& is_open = no_extent_is_open);

}  // namespace weft::native
