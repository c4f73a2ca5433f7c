// What intrinsics of linear algebra share: Julia's arrays as matrices of LAPACK.
#pragma once
#include <complex>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/host/number.h"
#include "julia/intrinsics/linear_routines.h"
#include "julia/run/intrinsics.h"

namespace weft::julia {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = RealOf<T>::type;
template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

template <class T>
const DataType* linear_type() {
  if constexpr (kIsComplex<T>) return applied(core().complex, {number_type(kKindOf<Real<T>>)});
  else return number_type(kKindOf<T>);
}

/// Calls f with a zero of the element type: Float32, Float64 and their complex numbers.
template <class F>
decltype(auto) visit_linear(const Type* element, F&& f) {
  if (element == core().float64) return f(double{});
  if (element == core().float32) return f(float{});
  if (element == linear_type<std::complex<double>>()) return f(std::complex<double>{});
  if (element == linear_type<std::complex<float>>()) return f(std::complex<float>{});
  throw InternalError("a routine of LAPACK on elements of another type");
}

/// An array's memory as LAPACK takes it; a vector is one column.
template <class T>
struct Columns {
  T* data;
  int rows, columns;
  int stride() const { return rows > 1 ? rows : 1; }
};
int checked_size(int64_t n);
template <class T>
Columns<T> columns_of(const Value& v) {
  ArrayObject& a = array_of(v);
  if (a.element != linear_type<T>()) throw InternalError("matrices of different element types");
  return {a.data_as<T>(), checked_size(a.dims.at(0)), a.dims.size() > 1 ? checked_size(a.dims[1]) : 1};
}
template <class T>
Value make_columns(int64_t rows, int64_t columns) {
  return make_array(linear_type<T>(), {rows, columns});
}
template <class T>
Value make_column(int64_t rows) {
  return make_array(linear_type<T>(), {rows});
}
template <class T>
T* data_of(const Value& v) {
  return array_of(v).data_as<T>();
}
inline Value integer(int64_t x) { return number(x); }
/// The pivots of LAPACK as a Vector{Int64}, and back.
Value indices(const std::vector<int>& v);
std::vector<int> indices_of(const Value& v);
/// Wrong arguments are ours, not the program's.
void check_arguments(int info);

/// `N`, `T` or `C` of a Julia Char; for real numbers C is T.
template <class T>
char transposition(const Value& v) {
  const char c = static_cast<char>(code_point(v.get<Char>()));
  return !kIsComplex<T> && c == 'C' ? 'T' : c;
}
inline char letter(const Value& v) { return static_cast<char>(code_point(v.get<Char>())); }

/// Runs a routine that first says how much memory it wants. f(work, lwork).
template <class T, class F>
void with_workspace(F&& f) {
  T wanted{};
  f(&wanted, -1);
  const int n = std::max(1, static_cast<int>(std::real(wanted)));
  std::vector<T> work(static_cast<size_t>(n));
  f(work.data(), n);
}

std::span<const IntrinsicEntry> linear_product_intrinsics();
std::span<const IntrinsicEntry> linear_solve_intrinsics();
std::span<const IntrinsicEntry> linear_orthogonal_intrinsics();
std::span<const IntrinsicEntry> linear_eigen_intrinsics();
std::span<const IntrinsicEntry> linear_parts_intrinsics();

}  // namespace weft::julia
