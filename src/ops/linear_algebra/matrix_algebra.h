// Matrices of the last two dimensions, a batch of them: what derivatives of factorizations are written in.
#pragma once
#include <algorithm>
#include <numeric>

#include "ops/builder.h"

namespace weft::matrix_algebra {

/// row DIRECTION column, for each matrix of `type`, which need not be square.
inline Value where(OpBuilder& b, Type type, std::string_view direction) {
  const int64_t rank = type.rank();
  const Type one = Type::tensor(ElementType::kI32, {type.dim(rank - 2), type.dim(rank - 1)});
  const int64_t axes[] = {rank - 2, rank - 1};
  return b.broadcast_in_dim(b.compare(b.iota(one, 0), b.iota(one, 1), direction), axes, type.shape());
}

/// The elements where row DIRECTION column, zeros elsewhere.
inline Value part(OpBuilder& b, Value x, std::string_view direction) {
  return b.select(where(b, b.type(x), direction), x, b.zeros(b.type(x)));
}

/// Ones where row = column.
inline Value eye(OpBuilder& b, Type type) { return b.convert(where(b, type, "EQ"), type.element_type()); }

/// a·b for each matrix, either of them transposed or not.
inline Value product(OpBuilder& builder, Value a, bool a_transposed, Value b, bool b_transposed) {
  const int64_t rank = builder.type(a).rank();
  DotDims dims{{}, {}, {a_transposed ? rank - 2 : rank - 1}, {b_transposed ? rank - 1 : rank - 2}};
  for (int64_t d = 0; d + 2 < rank; ++d) {
    dims.lhs_batching.push_back(d);
    dims.rhs_batching.push_back(d);
  }
  return builder.dot_general(a, b, dims);
}
inline Value product(OpBuilder& builder, Value a, Value b) { return product(builder, a, false, b, false); }

inline Value flip(OpBuilder& b, Value x) {
  std::vector<int64_t> permutation(static_cast<size_t>(b.type(x).rank()));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return b.transpose(x, permutation);
}

/// Element by element; a real x is its own.
inline Value conjugate(OpBuilder& b, Value x) {
  if (!is_complex(b.type(x).element_type())) return x;
  return b.make("stablehlo.complex", {b.make("stablehlo.real", {x}), b.negate(b.make("stablehlo.imag", {x}))});
}
/// The real part; a real x is its own.
inline Value real_part(OpBuilder& b, Value x) {
  return is_complex(b.type(x).element_type()) ? b.make("stablehlo.real", {x}) : x;
}
/// A real x as an element of type `e`: with no imaginary part where that is complex.
inline Value as_element(OpBuilder& b, Value x, ElementType e) {
  return is_complex(e) && !is_complex(b.type(x).element_type()) ? b.make("stablehlo.complex", {x, b.zeros(b.type(x))})
                                                                : x;
}
/// xᴴ for each matrix.
inline Value adjoint(OpBuilder& b, Value x) { return conjugate(b, flip(b, x)); }

/// The Hermitian matrix of which one triangle is given; of its diagonal the real part counts.
inline Value hermitian(OpBuilder& b, Value x, bool lower) {
  const Value strict = part(b, x, lower ? "GT" : "LT");
  const ElementType e = b.type(x).element_type();
  const Value diagonal = as_element(b, real_part(b, part(b, x, "EQ")), e);
  return b.add(b.add(strict, adjoint(b, strict)), diagonal);
}

/// The vector of the diagonal of square matrices.
inline Value diagonal(OpBuilder& b, Value x) {
  const int64_t last[] = {b.type(x).rank() - 1};
  return b.reduce(part(b, x, "EQ"), last, "stablehlo.add");
}

/// A vector along the rows (`along` 1: one number for each column) or columns (0) of matrices of `type`.
inline Value spread(OpBuilder& b, Value v, Type type, int64_t along) {
  std::vector<int64_t> dims(static_cast<size_t>(type.rank() - 2));
  std::iota(dims.begin(), dims.end(), 0);
  dims.push_back(type.rank() - 2 + along);
  return b.broadcast_in_dim(v, dims, type.shape());
}

/// Rows [r0, r1) and columns [c0, c1).
inline Value block(OpBuilder& b, Value x, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
  const Type t = b.type(x);
  std::vector<int64_t> start(static_cast<size_t>(t.rank()), 0), limit(t.shape().begin(), t.shape().end());
  const size_t row = start.size() - 2;
  start[row] = r0, limit[row] = r1, start[row + 1] = c0, limit[row + 1] = c1;
  return b.slice(x, start, limit);
}

/// Zeros below and to the right, up to this many rows and columns.
inline Value enlarged(OpBuilder& b, Value x, int64_t rows, int64_t columns) {
  const Type t = b.type(x);
  std::vector<int64_t> none(static_cast<size_t>(t.rank()), 0), high = none;
  high[high.size() - 2] = rows - t.dim(t.rank() - 2);
  high.back() = columns - t.dim(t.rank() - 1);
  return b.pad(x, b.zeros(Type::scalar(t.element_type())), none, high);
}

struct Triangle {
  bool left, lower, unit = false, transposed = false;
};
/// triangular_solve: x of op(a)·x = b, or of x·op(a) = b.
inline Value solve(OpBuilder& builder, Value a, Value b, Triangle t) {
  const Value operands[] = {a, b};
  return builder.create("stablehlo.triangular_solve", operands,
                        Attrs{{"left_side", t.left},
                              {"lower", t.lower},
                              {"unit_diagonal", t.unit},
                              {"transpose_a", t.transposed ? "TRANSPOSE" : "NO_TRANSPOSE"}})[0];
}

}  // namespace weft::matrix_algebra
