// Custom calls of LAPACK routines on planned buffers: no tensors are made, and the matrices of a batch run in parallel.
#pragma once
#include <memory>

#include "native/kernels/library_kernel.h"
#include "ops/record.h"

namespace weft::native {

/// Null for other ops, for calls that the process has a handler for, and for forms that the routine refuses (the host says why). Inputs
/// and outputs: the op's. The op's function must outlive the kernel.
std::unique_ptr<LibraryKernel> make_lapack_call(const OpView& op, int partitions);

}  // namespace weft::native
