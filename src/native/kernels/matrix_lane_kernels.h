// The row of linear_algebra.h's list that comes before LAPACK: many small matrices, or many right sides, in the lanes of vectors.
#pragma once
#include <memory>

#include "native/kernels/library_kernel.h"
#include "ops/record.h"

namespace weft::native {

/// For cholesky and triangular_solve of `count` matrices of floats or doubles; null where LAPACK is to be preferred.
template <class T>
std::unique_ptr<LibraryKernel> make_lane_kernel(const OpView& op, int64_t count, int partitions);

}  // namespace weft::native
