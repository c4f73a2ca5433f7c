// Triangles of matrices, and whether they mirror each other.
#include "julia/intrinsics/linear.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// Whether element (i, j) lies below diagonal k, or above it.
bool is_beside(int64_t i, int64_t j, int64_t k, bool below) { return below ? j - i < k : j - i > k; }

template <class F>
void each_beside(int64_t rows, int64_t columns, int64_t k, bool below, F&& f) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      if (is_beside(i, j, k, below)) f(static_cast<size_t>(i + j * rows));
    }
  }
}

/// (A, k, below): whether all elements beside diagonal k are zeros.
Value is_zero_beside(Evaluator&, Args a) {
  bool out = true;
  visit_linear(array_of(a[0]).element, [&]<class T>(T zero) {
    const auto m = columns_of<T>(a[0]);
    each_beside(m.rows, m.columns, a[1].get<int64_t>(), a[2].get<bool>(),
                [&](size_t at) { out = out && m.data[at] == zero; });
  });
  return boolean(out);
}

/// (A, k, below): they become zeros.
Value clear_beside(Evaluator&, Args a) {
  visit_linear(array_of(a[0]).element, [&]<class T>(T zero) {
    const auto m = columns_of<T>(a[0]);
    each_beside(m.rows, m.columns, a[1].get<int64_t>(), a[2].get<bool>(), [&](size_t at) { m.data[at] = zero; });
  });
  return a[0];
}

template <class T>
T conjugated(T x, bool conjugate) {
  if constexpr (kIsComplex<T>) return conjugate ? std::conj(x) : x;
  else return x;
}

/// (A, conjugate): whether a square matrix is its own transpose or adjoint.
Value is_mirrored(Evaluator&, Args a) {
  bool out = true;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const auto n = static_cast<size_t>(m.rows);
    for (size_t j = 0; j < n && out; ++j) {
      for (size_t i = 0; i <= j && out; ++i) out = m.data[i + j * n] == conjugated(m.data[j + i * n], a[1].get<bool>());
    }
  });
  return boolean(out);
}

/// (A, uplo, conjugate): the triangle that is not uplo becomes the transpose or adjoint of the other.
Value mirror(Evaluator&, Args a) {
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const bool is_upper = letter(a[1]) == 'U';
    const auto n = static_cast<size_t>(m.rows);
    for (size_t j = 0; j < n; ++j) {
      for (size_t i = 0; i < j; ++i) {
        T &above = m.data[i + j * n], &under = m.data[j + i * n];
        if (is_upper) under = conjugated(above, a[2].get<bool>());
        else above = conjugated(under, a[2].get<bool>());
      }
    }
  });
  return a[0];
}

constexpr IntrinsicEntry kEntries[] = {
    {"_is_zero_beside", is_zero_beside, 3, 3},
    {"_clear_beside!", clear_beside, 3, 3},
    {"_is_mirrored", is_mirrored, 2, 2},
    {"_mirror!", mirror, 3, 3},
};

}  // namespace

std::span<const IntrinsicEntry> linear_parts_intrinsics() { return kEntries; }

}  // namespace weft::julia
