// The rows of make_matmul. All get a description that normalized_matmul has checked.
#pragma once
#include <string>

#include "native/kernels/matmul.h"

namespace weft::native {

/// Kernel, or null and the reason.
std::unique_ptr<LibraryKernel> onednn_matmul(const MatmulDesc& desc, const KernelOptions& options, std::string& reason);
std::unique_ptr<LibraryKernel> openblas_matmul(const MatmulDesc& desc, const KernelOptions& options,
                                               std::string& reason);
std::unique_ptr<LibraryKernel> complex_matmul(const MatmulDesc& desc, const KernelOptions& options,
                                              std::string& reason);

}  // namespace weft::native
