// Triangles of matrices as whole tensors.
#include "julia/infer/emit/lapack_calls.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {
namespace {

namespace ma = matrix_algebra;
using Args = std::span<const Abstract>;

bool known_bool(Compiler& c, const Abstract& a) {
  if (!a.is_constant()) c.fail(Cause::kDispatch, "a part of a matrix that is known only when the program runs");
  return a.constant.get<bool>();
}

/// Where an element of a leaf lies below (or above) diagonal k of the matrix. Of a leaf rows are the matrix's columns.
IrValue beside(Compiler& c, const MatrixArgument& m, const Abstract& k, bool below) {
  OpBuilder& b = c.b();
  const weft::Type t = weft::Type::tensor(ElementType::kI64, {m.columns, m.rows});
  const IrValue difference = b.subtract(b.iota(t, 0), b.iota(t, 1));
  return compare2(c, difference, c.scalar(k), below ? "LT" : "GT");
}

IrValue all_of(Compiler& c, IrValue holds) {
  const int64_t both[] = {0, 1};
  const IrValue yes = c.b().splat(weft::Type::scalar(ElementType::kI1), 1);
  return c.b().reduce(holds, both, "stablehlo.and", yes);
}

/// (A, k, below): whether all elements beside diagonal k are zeros.
Abstract is_zero_beside(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  OpBuilder& b = c.b();
  const IrValue is_zero = b.compare(m.leaf, b.zeros(b.type(m.leaf)), "EQ");
  return result(NumberKind::kBool,
                all_of(c, b.logical_or(is_zero, b.logical_not(beside(c, m, a[1], known_bool(c, a[2]))))));
}

/// (A, k, below): they become zeros.
Abstract clear_beside(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  OpBuilder& b = c.b();
  store_leaf(c, m, b.select(beside(c, m, a[1], known_bool(c, a[2])), b.zeros(b.type(m.leaf)), m.leaf));
  return m.array;
}

IrValue mirrored(Compiler& c, IrValue leaf, bool conjugate) {
  return conjugate ? ma::adjoint(c.b(), leaf) : ma::flip(c.b(), leaf);
}

/// (A, conjugate): whether a square matrix is its own transpose or adjoint.
Abstract is_mirrored(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  const IrValue other = mirrored(c, m.leaf, known_bool(c, a[1]));
  return result(NumberKind::kBool, all_of(c, c.b().compare(m.leaf, other, "EQ")));
}

/// (A, uplo, conjugate): the triangle that is not uplo becomes the transpose or adjoint of the other.
Abstract mirror(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  OpBuilder& b = c.b();
  const std::string_view kept = letter_of(c, a[1]) == 'U' ? "GE" : "LE";
  store_leaf(c, m, b.select(ma::where(b, b.type(m.leaf), kept), m.leaf, mirrored(c, m.leaf, known_bool(c, a[2]))));
  return m.array;
}

constexpr Emission kEmissions[] = {
    {"_is_zero_beside", is_zero_beside},
    {"_clear_beside!", clear_beside},
    {"_is_mirrored", is_mirrored},
    {"_mirror!", mirror},
};

}  // namespace

std::span<const Emission> parts_emissions() { return kEmissions; }

}  // namespace weft::julia
