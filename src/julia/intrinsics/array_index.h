// Indices of an array, resolved to positions.
#pragma once
#include "julia/intrinsics/array.h"

namespace weft::julia {

/// What one index of a list selects in the dimensions that it covers: positions from 0 on, counted through those dimensions.
struct ResolvedIndex {
  bool is_scalar = false;
  size_t covers = 1;           // dimensions
  std::vector<int64_t> shape;  // of the index; none for a number
  int64_t count = 1;
  int64_t start = 0, step = 1;  // when `list` is empty
  std::vector<int64_t> list;
  int64_t stride = 1;  // of the first dimension covered, in elements
  bool in_bounds = true;
  int64_t at(int64_t i) const { return (list.empty() ? start + i * step : list[static_cast<size_t>(i)]) * stride; }
};

/// All indices of `a[indices…]`; nothing when one is of no builtin kind. Whether they are within bounds is noted in each.
std::optional<std::vector<ResolvedIndex>> resolve_indices(const std::vector<int64_t>& dims, Args indices);
bool in_bounds(const std::vector<ResolvedIndex>& indices);

/// Calls visit(position) for every combination, the first index fastest.
template <class F>
void for_each_position(const std::vector<ResolvedIndex>& indices, F&& visit) {
  const size_t n = indices.size();
  for (const ResolvedIndex& r : indices) {
    if (r.count == 0) return;
  }
  std::vector<int64_t> counter(n, 0);
  for (;;) {
    int64_t base = 0;
    for (size_t k = 1; k < n; ++k) base += indices[k].at(counter[k]);
    if (n == 0) {
      visit(base);
    } else {
      for (int64_t i = 0; i < indices[0].count; ++i) visit(base + indices[0].at(i));
    }
    size_t k = 1;
    while (k < n && ++counter[k] == indices[k].count) counter[k++] = 0;
    if (k >= n) return;
  }
}

}  // namespace weft::julia
