// The middle of some times.
#pragma once
#include <algorithm>
#include <vector>

namespace weft {

/// Of at least one; the upper one of two in the middle.
inline double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

}  // namespace weft
