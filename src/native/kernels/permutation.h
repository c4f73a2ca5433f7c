// Copies from one strided layout to another by oneDNN's reorder: transposes of large tensors.
#pragma once
#include <cstdint>
#include <vector>

#include "native/kernels/library_kernel.h"

namespace weft::native {

/// output[i...] = input[i...] for all i in dims; strides in elements. Bits are copied, whatever the element type is.
struct PermutationDesc {
  size_t element_bytes = 4;  // 1, 4 or 8
  std::vector<int64_t> dims, input_strides, output_strides;
};

/// Rows: "onednn".
KernelChoice make_permutation(const PermutationDesc& desc, const KernelOptions& options);

}  // namespace weft::native
