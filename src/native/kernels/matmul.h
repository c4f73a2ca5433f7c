// Batched matrix products by oneDNN (f32, bf16, f16, i8 into i32) and OpenBLAS (f64, f32); complex ones as real ones.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "native/kernels/library_kernel.h"
#include "weft/element_type.h"

namespace weft::native {

/// c[b..., m, n] = sum over k of a[b..., m, k] * b[b..., k, n], with any number of batch dimensions. Strides are in
/// elements: one for each batch dimension, then for the two of the matrix, so transposed and interleaved operands need
/// no copy. A batch stride of 0 on a or b repeats the matrix. An operand without a unit stride in its matrix is copied
/// to scratch. Inputs: a, b, [bias]; output: c.
struct MatmulDesc {
  ElementType type = ElementType::kF32;
  std::optional<ElementType> c_type;  // where it is another: i32 for sums of products of i8
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
  std::vector<int64_t> a_strides;  // batch..., m, k
  std::vector<int64_t> b_strides;  // batch..., k, n
  std::vector<int64_t> c_strides;  // batch..., m, n

  /// f32 only: c = relu(product + bias[n]), the bias contiguous; relu keeps NaN and is a pass over c.
  bool has_bias = false, has_relu = false;

  /// b known now (strides as above): packed at once, and the entry of b in `inputs` is not read.
  const void* constant_b = nullptr;
};

/// Rows, in order: "onednn", "openblas", "complex" (which needs one of the others).
KernelChoice make_matmul(const MatmulDesc& desc, const KernelOptions& options);

}  // namespace weft::native
