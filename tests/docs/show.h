// `show(x);  // TEXT` in a document's C++: what the elements of x are. The build makes a comparison of it.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "weft/nn.h"
#include "weft/symbolic.h"

namespace weft::docs_test {

inline std::string element(const Tensor& t, int64_t i) {
  char text[40];
  const double value = t.element_type() == ElementType::kF64   ? t.data<double>()[static_cast<size_t>(i)]
                       : t.element_type() == ElementType::kF32 ? t.data<float>()[static_cast<size_t>(i)]
                                                               : t.data<int32_t>()[static_cast<size_t>(i)];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// [[1, 2], [3, 4]], numbers with six digits.
inline std::string shown(const Tensor& t, size_t axis = 0, int64_t first = 0) {
  if (axis == t.shape().size()) return element(t, first);
  int64_t step = 1;
  for (size_t d = axis + 1; d < t.shape().size(); ++d) step *= t.shape()[d];
  std::string out = "[";
  for (int64_t i = 0; i < t.shape()[axis]; ++i) out += (i == 0 ? "" : ", ") + shown(t, axis + 1, first + i * step);
  return out + "]";
}
inline std::string shown(const Results& results) { return shown(results[0]); }

}  // namespace weft::docs_test
