// Index operands as numbers.
#pragma once
#include <limits>
#include <vector>

#include "ops/builder.h"

namespace weft {

/// Elements of an integer tensor; unsigned values beyond the signed range become the largest index.
std::vector<int64_t> index_elements(const Tensor& indices);
/// The largest value of an integer type, as an index.
int64_t largest_index(ElementType type);
/// min(max(x, 0), limit) for each element of an integer tensor x. `limits`: one for all, or one per index along `axis`.
Value clamp_indices(OpBuilder& builder, Value x, std::span<const int64_t> limits, int64_t axis = 0);
/// A constant of integer type `element` and `shape` with values[i] at index i along `axis`, cut to the type's range.
Value index_constant(OpBuilder& builder, ElementType element, std::span<const int64_t> shape,
                     std::span<const int64_t> values, int64_t axis);

}  // namespace weft
