// Copies of a strided or reversed operand into dense memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace weft::native {

/// target[row-major index in dims] = source[offset + sum of index * stride]; strides may be negative.
struct DenseCopy {
  std::vector<int64_t> dims, strides;
  int64_t offset = 0;
  size_t element_bytes = 4;  // 1, 2, 4, 8 or 16

  /// A strided tensor with its dimensions in another order (slowest first).
  static DenseCopy permuted(std::span<const int64_t> shape, std::span<const int64_t> strides,
                            const std::vector<int64_t>& order, size_t element_bytes);
  /// A strided tensor, reversed along some dimensions.
  static DenseCopy reversed(std::span<const int64_t> shape, std::span<const int64_t> strides,
                            const std::vector<int64_t>& reversed_dims, size_t element_bytes);

  size_t bytes() const;
  /// Splits the slowest dimension in at most `partitions` parts.
  void run(const void* source, void* target, int partitions) const;
};

}  // namespace weft::native
