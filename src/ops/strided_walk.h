// Walking index spaces in row-major order while keeping linear offsets into several arrays of other strides.
#pragma once
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "weft/tensor.h"

namespace weft {

/// Row-major strides in elements.
inline std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

/// values[positions[0]], values[positions[1]], …
inline std::vector<int64_t> pick(std::span<const int64_t> values, std::span<const int64_t> positions) {
  std::vector<int64_t> out;
  for (int64_t p : positions) out.push_back(values[static_cast<size_t>(p)]);
  return out;
}

/// The index of an element and its linear offset in K arrays. `if (!walk.empty()) do { … } while (walk.next());`
template <size_t K>
class StridedWalk {
 public:
  StridedWalk(std::vector<int64_t> shape, std::array<std::vector<int64_t>, K> strides)
      : shape_(std::move(shape)), strides_(std::move(strides)), index_(shape_.size(), 0) {}
  bool empty() const { return num_elements(shape_) == 0; }
  std::span<const int64_t> index() const { return index_; }
  int64_t offset(size_t k = 0) const { return offsets_[k]; }
  bool next() {
    for (size_t d = shape_.size(); d-- > 0;) {
      if (++index_[d] < shape_[d]) {
        for (size_t k = 0; k < K; ++k) offsets_[k] += strides_[k][d];
        return true;
      }
      for (size_t k = 0; k < K; ++k) offsets_[k] -= strides_[k][d] * (shape_[d] - 1);
      index_[d] = 0;
    }
    return false;
  }

 private:
  std::vector<int64_t> shape_;
  std::array<std::vector<int64_t>, K> strides_;
  std::vector<int64_t> index_;
  std::array<int64_t, K> offsets_{};
};

/// Linear offsets of all elements of a block, in row-major order.
inline std::vector<int64_t> block_offsets(std::vector<int64_t> shape, std::vector<int64_t> strides) {
  std::vector<int64_t> out;
  StridedWalk<1> walk(std::move(shape), {std::move(strides)});
  if (!walk.empty()) {
    do out.push_back(walk.offset());
    while (walk.next());
  }
  return out;
}

/// Calls f with a value of an unsigned or 16-byte type of `bytes` bytes: moving elements needs their size only.
template <class F>
void visit_size(size_t bytes, F&& f) {
  struct Wide {
    uint64_t half[2];
  };
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    default: return f(Wide{});
  }
}

/// The dimensions in another order, elements moved: result dimension d is x's dimension permutation[d].
inline Tensor permute_elements(const Tensor& x, std::span<const int64_t> permutation) {
  Tensor out(x.element_type(), pick(x.shape(), permutation));
  if (out.size() == 0) return out;
  std::vector<int64_t> strides = pick(row_major_strides(x.shape()), permutation);
  std::vector<int64_t> outer = out.shape();
  const int64_t inner = outer.empty() ? 1 : outer.back();
  const int64_t step = outer.empty() ? 1 : strides.back();
  if (!outer.empty()) {
    outer.pop_back();
    strides.pop_back();
  }
  visit_size(byte_size(x.element_type()), [&](auto tag) {
    using T = decltype(tag);
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(out.raw());
    StridedWalk<1> walk(outer, {strides});
    do {
      const T* row = from + walk.offset();
      for (int64_t i = 0; i < inner; ++i) *to++ = row[i * step];
    } while (walk.next());
  });
  return out;
}

}  // namespace weft
