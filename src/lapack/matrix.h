// Batches of matrices of row-major tensors as column-major arrays for LAPACK, and the attributes of its custom calls.
#pragma once
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "lapack/batch_call.h"

namespace weft::lapack {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, typename RealOf<T>::type>;

/// The last two dimensions of a shape are those of a matrix, the others count the batch.
struct MatrixShape {
  int rows = 0, columns = 0;
  int64_t count = 1;
  explicit MatrixShape(const Shape& shape);
  size_t elements() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
};

/// Exchanges rows and columns, block by block so that both sides stay in the first-level cache.
template <class T>
void transpose(const T* from, size_t rows, size_t columns, T* to) {
  constexpr size_t kBlock = 16;
  for (size_t i0 = 0; i0 < rows; i0 += kBlock) {
    for (size_t j0 = 0; j0 < columns; j0 += kBlock) {
      for (size_t i = i0; i < std::min(i0 + kBlock, rows); ++i) {
        for (size_t j = j0; j < std::min(j0 + kBlock, columns); ++j) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

/// Matrix number `batch`, column-major.
template <class T>
void read_matrix(const View& x, int64_t batch, std::vector<T>& out) {
  const MatrixShape s(x.shape);
  out.resize(s.elements());
  transpose(static_cast<const T*>(x.data) + static_cast<size_t>(batch) * s.elements(), static_cast<size_t>(s.rows),
            static_cast<size_t>(s.columns), out.data());
}

template <class T>
void write_matrix(const View& x, int64_t batch, const std::vector<T>& values) {
  const MatrixShape s(x.shape);
  transpose(values.data(), static_cast<size_t>(s.columns), static_cast<size_t>(s.rows),
            static_cast<T*>(x.data) + static_cast<size_t>(batch) * s.elements());
}

/// Vector number `batch` of the last dimension, where it lies.
template <class T>
T* vector_at(const View& x, int64_t batch) {
  return static_cast<T*>(x.data) + batch * x.shape.back();
}
template <class T>
T& number_at(const View& x, int64_t batch) {
  return static_cast<T*>(x.data)[batch];
}

/// Leading extent that LAPACK accepts.
inline int leading(int rows) { return std::max(rows, 1); }

/// A routine's workspace: asked for at the first call, and kept for the other matrices.
template <class T>
class Workspace {
 public:
  /// call(work, lwork) runs the routine, or says what it needs.
  template <class F>
  void run(F&& call) {
    if (work_.empty()) {
      T size{};
      call(&size, -1);
      work_.resize(static_cast<size_t>(std::max(static_cast<int>(std::real(size)), 1)));
    }
    call(work_.data(), static_cast<int>(work_.size()));
  }

 private:
  std::vector<T> work_;
};

/// Throws Unsupported, naming the call.
[[noreturn]] void refuse(const OpView& op, const std::string& what);
/// An entry of the dictionary mhlo.backend_config; `fallback` when there is none.
int64_t config(const OpView& op, std::string_view name, int64_t fallback);
/// The same as a letter (modes are given as the codes of letters).
char letter(const OpView& op, std::string_view name, char fallback);

}  // namespace weft::lapack
