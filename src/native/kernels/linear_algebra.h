// cholesky and triangular_solve by LAPACK and BLAS, in place on the result, matrix by matrix or a batch in parallel.
#pragma once
#include <memory>
#include <string>

#include "native/kernels/library_kernel.h"
#include "ops/record.h"

namespace weft::native {

/// Whether the op is one of them, of a form and size at which the library beats the loops that generated code has for it; the reason
/// against it otherwise, when it is one of them.
bool is_library_matrix_op(const OpView& op, std::string& reason);

/// Inputs: the operands. Output: the result.
std::unique_ptr<LibraryKernel> make_matrix_kernel(const OpView& op, int partitions);

}  // namespace weft::native
