// Small rearrangements of axes that transposition and vectorization rules write.
#pragma once
#include "ops/builder.h"

namespace weft {

/// The axis `from` stands at `to` afterwards, the others keep their order.
inline Value move_axis(OpBuilder& b, Value x, int64_t from, int64_t to) {
  const int64_t rank = b.type(x).rank();
  std::vector<int64_t> permutation;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != from) permutation.push_back(d);
  }
  permutation.insert(permutation.begin() + to, from);
  return b.transpose(x, permutation);
}

/// Axis `axis` becomes two: outer, extent / outer.
inline Value split_axis(OpBuilder& b, Value x, int64_t axis, int64_t outer) {
  const Type t = b.type(x);
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  shape[static_cast<size_t>(axis)] /= outer;
  shape.insert(shape.begin() + axis, outer);
  return b.reshape(x, shape);
}

/// Axes `axis` and `axis + 1` become one.
inline Value merge_axes(OpBuilder& b, Value x, int64_t axis) {
  const Type t = b.type(x);
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  shape[static_cast<size_t>(axis)] *= shape[static_cast<size_t>(axis) + 1];
  shape.erase(shape.begin() + axis + 1);
  return b.reshape(x, shape);
}

/// One more than each.
inline std::vector<int64_t> shifted(std::span<const int64_t> dims) {
  std::vector<int64_t> out;
  for (int64_t d : dims) out.push_back(d + 1);
  return out;
}

/// `first`, then one more than each: dimension lists under a lane axis in front.
inline std::vector<int64_t> lane_first(int64_t first, std::span<const int64_t> dims) {
  std::vector<int64_t> out = shifted(dims);
  out.insert(out.begin(), first);
  return out;
}

inline std::vector<int64_t> axis_range(int64_t first, int64_t count) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(first + i);
  return out;
}

}  // namespace weft
