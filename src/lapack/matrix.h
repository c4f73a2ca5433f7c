// Batches of matrices of row-major tensors as column-major arrays for LAPACK, and the attributes of its custom calls.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "ops/record.h"

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

/// Matrix number `batch` of a tensor, column-major.
template <class T>
std::vector<T> read_matrix(const Tensor& x, int64_t batch) {
  const MatrixShape s(x.shape());
  const T* from = x.data<T>().data() + static_cast<size_t>(batch) * s.elements();
  std::vector<T> out(s.elements());
  const auto rows = static_cast<size_t>(s.rows), columns = static_cast<size_t>(s.columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) out[j * rows + i] = from[i * columns + j];
  }
  return out;
}

template <class T>
void write_matrix(Tensor& x, int64_t batch, const std::vector<T>& values) {
  const MatrixShape s(x.shape());
  T* to = x.mutable_data<T>() + static_cast<size_t>(batch) * s.elements();
  const auto rows = static_cast<size_t>(s.rows), columns = static_cast<size_t>(s.columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) to[i * columns + j] = values[j * rows + i];
  }
}

/// Vector number `batch` of the last dimension.
template <class T>
std::vector<T> read_vector(const Tensor& x, int64_t batch) {
  const auto n = static_cast<size_t>(x.shape().back());
  const T* from = x.data<T>().data() + static_cast<size_t>(batch) * n;
  return {from, from + n};
}
template <class T>
void write_vector(Tensor& x, int64_t batch, const std::vector<T>& values) {
  std::copy(values.begin(), values.end(), x.mutable_data<T>() + static_cast<size_t>(batch) * values.size());
}

/// Tensors of an op's result types, all zero. Throws Unsupported unless these have the element types `expected`.
std::vector<Tensor> results_of(const OpView& op, std::span<const ElementType> expected);
/// An entry of the dictionary mhlo.backend_config; `fallback` when there is none.
int64_t config(const OpView& op, std::string_view name, int64_t fallback);
/// The same as a letter (modes are given as the codes of letters).
char letter(const OpView& op, std::string_view name, char fallback);

}  // namespace weft::lapack
