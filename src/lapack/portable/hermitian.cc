// Eigenvalues and vectors of Hermitian matrices by Jacobi's rotations, half as many at once as there are columns.
#include "lapack/matrix.h"
#include "lapack/portable/rotations.h"
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

/// Sweeps over all pairs; some ten end it.
constexpr double kMostSweeps = 50;

/// Sum of |a|² beside the diagonal, and of all [batch].
struct Sizes {
  Value beside, all;
};
Sizes sizes_of(MatrixWriter& w, Value a) {
  const Value squares = w.square(a);
  const Value all = w.sum(w.sum(squares, 2), 1);
  const Type t = w.type(squares);
  const Value beside = w.select(w.compare(w.positions(t, 1), w.positions(t, 2), "NE"), squares, w.zeros(t));
  return {w.sum(w.sum(beside, 2), 1), all};
}

/// One round: each pair's element becomes zero.
Values rotate(MatrixWriter& w, Value a, Value v) {
  const Type t = w.type(a);
  const int64_t half = t.dim(1) / 2;
  const Value first = w.real(w.diagonal(w.block(a, 0, half, 0, half))),
              second = w.real(w.diagonal(w.block(a, half, 2 * half, half, 2 * half))),
              between = w.diagonal(w.block(a, 0, half, half, 2 * half));
  const Value skip = w.is_zero(w.absolute(between));
  const Rotations r = rotations(w, first, second, between, skip);
  a = rotated(w, rotated(w, a, r, 2, false), r, 1, true);
  // The diagonal as the rotation says, and zeros for the pairs.
  const Value change = w.multiply(r.tangent, w.absolute(between));
  const Value diagonal =
      w.in_element(w.joined({w.subtract(first, change), w.add(second, change)}, 1), t.element_type());
  const Value row = w.positions(t, 1), column = w.positions(t, 2), distance = w.absolute(w.subtract(row, column));
  const Value is_pair = w.compare(distance, w.like(distance, static_cast<double>(half)), "EQ");
  a = w.select(w.compare(row, column, "EQ"), w.over_rows(diagonal, t), w.select(is_pair, w.zeros(t), a));
  v = rotated(w, v, r, 2, false);
  return {next_pairs(w, next_pairs(w, a, 1), 2), next_pairs(w, v, 2)};
}

}  // namespace

HermitianEigen hermitian_eigen(MatrixWriter& w, Value a) {
  const Type t = w.type(a);
  const int64_t n = t.dim(1), even = n + n % 2;
  const ElementType e = t.element_type();
  // Of size 1, lest squares overflow. A row and a column of zeros rotate with nothing.
  const Value largest = w.largest(w.largest(w.sum_of_parts(a), 2), 1);
  const Value is_scalable = w.logical_and(w.not_zero(largest), w.make("stablehlo.is_finite", {largest}));
  const Value scale = w.select(is_scalable, largest, w.like(largest, 1));
  a = w.divide(a, w.over_all(w.in_element(scale, e), t));
  a = matrix_algebra::enlarged(w, a, even, even);
  const Value end = w.integer(kMostSweeps), one = w.integer(1);
  const double tolerance = epsilon(e) * epsilon(e);
  const auto is_left = [tolerance](MatrixWriter& w, Value a) {
    const Sizes s = sizes_of(w, a);
    return w.compare(s.beside, w.multiply(s.all, w.like(s.all, tolerance)), "GT");
  };
  const Value start[] = {a, w.identity(w.type(a)), w.integer(0), is_left(w, a)};
  const int64_t whole[] = {0};
  const Values out = w.loop(
      start,
      [&](MatrixWriter& w, std::span<const Value> c) {
        return w.logical_and(w.compare(c[2], end, "LT"), w.reduce(c[3], whole, "stablehlo.or"));
      },
      [&](MatrixWriter& w, std::span<const Value> c) {
        const Values next =
            w.repeat(0, std::max<int64_t>(even - 1, 1), c.first(2),
                     [](MatrixWriter& w, Value, std::span<const Value> x) { return rotate(w, x[0], x[1]); });
        return Values{next[0], next[1], w.add(c[2], one), is_left(w, next[0])};
      });
  // Of the numbers on the diagonal the roundings of all rounds have added up; those of vᴴ·a·v are of one product.
  const Value unsorted = made_unitary(w, w.block(out[1], 0, n, 0, n));
  const Value own = w.block(a, 0, n, 0, n);
  const Value values = w.real(w.sum(w.multiply(w.conjugate(unsorted), w.product(own, unsorted)), 1));
  const MatrixWriter::Sorted sorted = w.sorted(values, false);
  const Value vectors = w.columns_in_order(unsorted, sorted.order);
  // Also where NaN ended it.
  const Value total = sizes_of(w, out[0]).all;
  const Value failed = w.logical_or(out[3], w.compare(total, total, "NE"));
  const Value scaled = w.multiply(sorted.keys, w.over(scale, w.type(sorted.keys), {0}));
  return {vectors, scaled, failed};
}

namespace {

Value info_of(MatrixWriter& w, Value failed) { return w.convert(failed, kI32); }

}  // namespace

Values hermitian_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const bool is_lower = letter(op, "uplo", 'L') == 'L';
  const HermitianEigen e = hermitian_eigen(w, matrix_algebra::hermitian(w, x[0], is_lower));
  return {e.vectors, e.values, info_of(w, e.failed)};
}

Values eigh_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const bool is_lower = !op.attrs().text_or("backend_config", "1").starts_with("0");
  const HermitianEigen e = hermitian_eigen(w, matrix_algebra::hermitian(w, x[0], is_lower));
  // No `info` says that it failed: NaN does.
  const auto or_nan = [&](Value v) {
    const Value nan = w.in_element(
        w.splat(Type::scalar(real_element(w.element(v))), std::numeric_limits<double>::quiet_NaN()), w.element(v));
    return w.select(w.over(e.failed, w.type(v), {0}), w.fill(nan, w.type(v).shape()), v);
  };
  return {or_nan(e.vectors), or_nan(e.values)};
}

}  // namespace weft::lapack::portable
