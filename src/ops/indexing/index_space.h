// Walking the index space of a tensor, and moving elements of any type as bytes.
#pragma once
#include <cstring>
#include <span>
#include <vector>

#include "weft/tensor.h"

namespace weft {

/// Elements between neighbours along each axis of a dense row-major array.
std::vector<int64_t> strides_of(std::span<const int64_t> shape);

/// Calls f(index) for every index of `shape` in row-major order; index is a std::vector<int64_t> that f only reads.
template <class F>
void for_each_index(std::span<const int64_t> shape, F f) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t d : shape) {
    if (d <= 0) return;
  }
  while (true) {
    f(static_cast<const std::vector<int64_t>&>(index));
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

/// A new tensor of `shape` whose element at each index is source's element at linear position position(index).
template <class F>
Tensor gather_elements(const Tensor& source, Shape shape, F position) {
  Tensor out(source.element_type(), shape);
  const size_t bytes = byte_size(source.element_type());
  const auto* from = static_cast<const std::byte*>(source.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  for_each_index(out.shape(), [&](const std::vector<int64_t>& index) {
    std::memcpy(to, from + static_cast<size_t>(position(index)) * bytes, bytes);
    to += bytes;
  });
  return out;
}

}  // namespace weft
