// Factorizations by elimination, and what they solve, by LAPACK's custom calls and triangular_solve. Leaves are transposes: the upper
// triangle of a matrix is the lower one of its leaf, and A X = B is x aᵀ… = b of the leaves.
#include "julia/infer/emit/lapack_calls.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {
namespace {

namespace ma = matrix_algebra;
using Args = std::span<const Abstract>;
constexpr ElementType kInt = ElementType::kI32;

IrValue zero_info(Compiler& c) { return c.b().zeros(shaped(kInt, {})); }

/// lu!(A) → (pivots, info)
Abstract lu(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  const int64_t k = std::min(m.rows, m.columns);
  if (k == 0) return c.tuple({integers_of(c, c.b().zeros(shaped(kInt, {k}))), info_of(c, zero_info(c))});
  const std::vector<IrValue> out =
      lapack(c, {"getrf"}, m.element, {by_rows(c, m)},
             {shaped(m.element, {m.rows, m.columns}), shaped(kInt, {k}), shaped(kInt, {})});
  store_rows(c, m, out[0]);
  return c.tuple({integers_of(c, out[1]), info_of(c, out[2])});
}

/// Which row each row comes from, as LAPACK's pivots exchange them.
IrValue order_of_pivots(Compiler& c, const Abstract& pivots, int64_t rows) {
  OpBuilder& b = c.b();
  const IrValue from_one = b.convert(c.object(array_argument(c, pivots)).leaves[0], kInt);
  const IrValue from_zero = b.subtract(from_one, b.splat(b.type(from_one), 1));
  const weft::Type types[] = {shaped(kInt, {rows})};
  return b.create("stablehlo.custom_call", std::span(&from_zero, 1),
                  Attrs{{"call_target_name", "lu_pivots_to_permutation"}}, types)[0];
}

IrValue inverse_order(Compiler& c, IrValue order) {
  OpBuilder& b = c.b();
  const int64_t n = b.type(order).dim(0), along[] = {1}, first[] = {1};
  const weft::Type square = shaped(kInt, {n, n});
  const IrValue is_here = b.compare(b.broadcast_in_dim(order, along, square.shape()), b.iota(square, 0), "EQ");
  return b.reduce(b.select(is_here, b.iota(square, 1), b.zeros(square)), first, "stablehlo.add");
}

/// The rows of a matrix, which are columns of its leaf, in this order.
IrValue rows_in_order(Compiler& c, IrValue leaf, IrValue order) {
  Attrs attrs;
  attrs.set("offset_dims", Attr(Attr::Ints{0}));
  attrs.set("collapsed_slice_dims", Attr(Attr::Ints{1}));
  attrs.set("start_index_map", Attr(Attr::Ints{1}));
  attrs.set("index_vector_dim", Attr(int64_t{1}));
  attrs.set("slice_sizes", Attr(Attr::Ints{c.b().type(leaf).dim(0), 1}));
  return c.b().make("stablehlo.gather", {leaf, order}, std::move(attrs));
}

/// P A = L U: op(A) X = B of leaves.
IrValue solve_by_lu(Compiler& c, IrValue factors, IrValue order, IrValue b, char trans) {
  if (trans == 'N') {
    const IrValue y = solve_triangle(c, factors, rows_in_order(c, b, order), 'L', 'N', true);
    return solve_triangle(c, factors, y, 'U', 'N', false);
  }
  const IrValue y = solve_triangle(c, factors, b, 'U', trans, false);
  return rows_in_order(c, solve_triangle(c, factors, y, 'L', trans, true), inverse_order(c, order));
}

/// (trans, LU, pivots, B): B becomes the solution.
Abstract lu_solve(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[1]), b = matrix_argument(c, a[3]);
  if (m.rows == 0 || b.columns == 0) return b.array;
  store_leaf(c, b, solve_by_lu(c, m.leaf, order_of_pivots(c, a[2], m.rows), b.leaf, letter_of(c, a[0])));
  return b.array;
}

/// (LU, pivots): the inverse in its place.
Abstract lu_inverse(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  if (m.rows > 0) {
    const IrValue one = ma::eye(c.b(), c.b().type(m.leaf));
    store_leaf(c, m, solve_by_lu(c, m.leaf, order_of_pivots(c, a[1], m.rows), one, 'N'));
  }
  return info_of(c, zero_info(c));
}

/// (uplo, A) → info
Abstract cholesky(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[1]);
  if (m.rows == 0) return info_of(c, zero_info(c));
  const char other = letter_of(c, a[0]) == 'U' ? 'L' : 'U';
  const std::vector<IrValue> out =
      lapack(c, {"potrf"}, m.element, {m.leaf}, {c.b().type(m.leaf), shaped(kInt, {})}, {{"uplo", other}});
  store_leaf(c, m, out[0]);
  return info_of(c, out[1]);
}

/// UᴴU X = B or LLᴴ X = B of leaves.
IrValue solve_by_cholesky(Compiler& c, IrValue factor, IrValue b, char uplo) {
  const bool upper = uplo == 'U';
  const IrValue y = solve_triangle(c, factor, b, uplo, upper ? 'C' : 'N', false);
  return solve_triangle(c, factor, y, uplo, upper ? 'N' : 'C', false);
}

/// (uplo, factor, B)
Abstract cholesky_solve(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[1]), b = matrix_argument(c, a[2]);
  store_leaf(c, b, solve_by_cholesky(c, m.leaf, b.leaf, letter_of(c, a[0])));
  return b.array;
}

/// (uplo, factor): one triangle of the inverse in its place.
Abstract cholesky_inverse(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[1]);
  OpBuilder& b = c.b();
  if (m.rows > 0) {
    const char uplo = letter_of(c, a[0]);
    const IrValue inverse = solve_by_cholesky(c, m.leaf, ma::eye(b, b.type(m.leaf)), uplo);
    store_leaf(c, m, b.select(ma::where(b, b.type(m.leaf), uplo == 'U' ? "GE" : "LE"), inverse, m.leaf));
  }
  return info_of(c, zero_info(c));
}

/// The place of the first zero of the diagonal, from 1; 0: there is none.
Abstract first_zero(Compiler& c, const MatrixArgument& m, bool unit) {
  if (unit || m.rows == 0) return info_of(c, zero_info(c));
  OpBuilder& b = c.b();
  const IrValue diagonal = ma::diagonal(b, m.leaf);
  const weft::Type places = shaped(kInt, {m.rows}), one = shaped(kInt, {});
  const auto none = static_cast<double>(m.rows) + 1;
  const IrValue place = b.add(b.iota(places, 0), b.splat(places, 1));
  const int64_t all[] = {0};
  const IrValue first =
      b.reduce(b.select(b.compare(diagonal, b.zeros(b.type(diagonal)), "EQ"), place, b.splat(places, none)), all,
               "stablehlo.minimum", b.splat(one, none));
  return info_of(c, b.select(b.compare(first, b.splat(one, none), "EQ"), b.zeros(one), first));
}

/// (uplo, trans, diag, A, B): B becomes A \ B. → info: the first zero of the diagonal
Abstract triangular_solve(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[3]), b = matrix_argument(c, a[4]);
  const bool unit = letter_of(c, a[2]) == 'U';
  store_leaf(c, b, solve_triangle(c, m.leaf, b.leaf, letter_of(c, a[0]), letter_of(c, a[1]), unit));
  return first_zero(c, m, unit);
}

/// (uplo, trans, diag, A, B): B becomes B / A.
Abstract triangular_solve_right(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[3]), b = matrix_argument(c, a[4]);
  store_leaf(
      c, b, solve_triangle(c, m.leaf, b.leaf, letter_of(c, a[0]), letter_of(c, a[1]), letter_of(c, a[2]) == 'U', true));
  return b.array;
}

/// A triangle of a leaf with zeros in the other.
IrValue triangle(Compiler& c, IrValue leaf, char uplo, bool unit) {
  OpBuilder& b = c.b();
  if (!unit) return ma::part(b, leaf, uplo == 'U' ? "GE" : "LE");
  return b.add(ma::part(b, leaf, uplo == 'U' ? "GT" : "LT"), ma::eye(b, b.type(leaf)));
}

/// (side, uplo, trans, diag, A, B): B becomes A B or B A.
Abstract triangular_multiply(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[4]), b = matrix_argument(c, a[5]);
  const char trans = letter_of(c, a[2]);
  IrValue x = triangle(c, m.leaf, letter_of(c, a[1]), letter_of(c, a[3]) == 'U');
  if (trans != 'N') x = trans == 'C' ? ma::adjoint(c.b(), x) : ma::flip(c.b(), x);
  if (b.rows > 0 && b.columns > 0)
    store_leaf(c, b, letter_of(c, a[0]) == 'L' ? ma::product(c.b(), b.leaf, x) : ma::product(c.b(), x, b.leaf));
  return b.array;
}

/// (uplo, diag, A): one triangle of the inverse in its place. → info
Abstract triangular_inverse(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[2]);
  OpBuilder& b = c.b();
  const char uplo = letter_of(c, a[0]);
  const bool unit = letter_of(c, a[1]) == 'U';
  const Abstract info = first_zero(c, m, unit);
  if (m.rows > 0) {
    const IrValue inverse = solve_triangle(c, m.leaf, ma::eye(b, b.type(m.leaf)), uplo, 'N', unit);
    const std::string_view where = uplo == 'U' ? (unit ? "GT" : "GE") : unit ? "LT" : "LE";
    store_leaf(c, m, b.select(ma::where(b, b.type(m.leaf), where), inverse, m.leaf));
  }
  return info;
}

/// (lower, diagonal, upper, B), all overwritten → info
Abstract tridiagonal_solve(Compiler& c, Args a) {
  const MatrixArgument lower = matrix_argument(c, a[0]), d = matrix_argument(c, a[1]), upper = matrix_argument(c, a[2]),
                       b = matrix_argument(c, a[3]);
  if (d.rows == 0) return info_of(c, zero_info(c));
  OpBuilder& o = c.b();
  const int64_t flat[] = {d.rows}, short_by_one[] = {d.rows - 1};
  const IrValue zero = o.zeros(shaped(d.element, {}));
  const auto padded = [&](const MatrixArgument& x, int64_t before) {
    const int64_t low[] = {before}, high[] = {1 - before};
    return o.pad(o.reshape(x.leaf, short_by_one), zero, low, high);
  };
  const weft::Type vector = shaped(d.element, {d.rows});
  const std::vector<IrValue> out =
      lapack(c, {"gtsv"}, d.element, {padded(lower, 1), o.reshape(d.leaf, flat), padded(upper, 0), by_rows(c, b)},
             {vector, vector, vector, shaped(d.element, {b.rows, b.columns}), shaped(kInt, {})});
  store_rows(c, b, out[3]);
  return info_of(c, out[4]);
}

constexpr Emission kEmissions[] = {
    {"_lu", lu},
    {"_lu_solve", lu_solve},
    {"_lu_inverse", lu_inverse},
    {"_cholesky", cholesky},
    {"_cholesky_solve", cholesky_solve},
    {"_cholesky_inverse", cholesky_inverse},
    {"_triangular_solve", triangular_solve},
    {"_triangular_solve_right", triangular_solve_right},
    {"_triangular_multiply", triangular_multiply},
    {"_triangular_inverse", triangular_inverse},
    {"_tridiagonal_solve", tridiagonal_solve},
};

}  // namespace

std::span<const Emission> solve_emissions() { return kEmissions; }

}  // namespace weft::julia
