#include "native/kernels/strides.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weft::native {

namespace {

using Dims = dnnl::memory::dims;

// Dimensions from the fastest to the slowest; those of extent 1 first, later dimensions before earlier ones on a tie.
std::vector<size_t> fastest_first(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  std::vector<size_t> order(dims.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return (dims[a] == 1 ? 0 : strides[a]) < (dims[b] == 1 ? 0 : strides[b]);
  });
  return order;
}

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

Dims channels_last_strides(const Dims& dims) {
  if (dims.size() < 3) return dense_strides(dims);
  Dims strides(dims.size(), 1);
  int64_t step = dims[1];
  for (size_t d = dims.size(); d-- > 2; step *= dims[d]) strides[d] = step;
  strides[0] = step;
  return strides;
}

}  // namespace

bool is_permutation_layout(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  int64_t reach = 1;  // one past the offset of the last element of the dimensions so far
  for (size_t d : fastest_first(dims, strides)) {
    if (dims[d] == 1) continue;
    if (strides[d] < reach) return false;
    reach += (dims[d] - 1) * strides[d];
  }
  return true;
}

dnnl::memory::desc strided_desc(const Dims& dims, const Dims& strides, dnnl::memory::data_type type) {
  for (const Dims& known : {channels_last_strides(dims), dense_strides(dims)}) {
    bool is_equal = true;
    for (size_t d = 0; d < dims.size(); ++d) is_equal = is_equal && (dims[d] == 1 || strides[d] == known[d]);
    if (is_equal) return {dims, type, known};
  }
  Dims plain = strides;
  int64_t span = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) span = std::max(span, dims[d] * strides[d]);
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] == 1) plain[d] = span;
  return {dims, type, plain};
}

dnnl::memory::desc channels_last_desc(const Dims& dims, dnnl::memory::data_type type) {
  return {dims, type, channels_last_strides(dims)};
}

dnnl::memory::desc dense_desc(const Dims& dims, dnnl::memory::data_type type) {
  return {dims, type, dense_strides(dims)};
}

}  // namespace weft::native
