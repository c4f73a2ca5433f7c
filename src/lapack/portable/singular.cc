// Singular values by one-sided rotations: columns are turned until all are orthogonal to each other (Hestenes; Jacobi). What they are
// then, singular values times singular vectors, is made orthonormal by reflectors, which also fill up what a matrix of lower rank leaves.
#include "lapack/matrix.h"
#include "lapack/portable/rotations.h"
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

constexpr double kMostSweeps = 60;

struct Turned {
  Value columns, turns, failed;  // columns = a·turns
};

/// Of matrices whose elements are of size 1.
Turned orthogonal_columns(MatrixWriter& w, Value a) {
  const Type given = w.type(a);
  const int64_t m = given.dim(1), n = given.dim(2), even = n + n % 2, half = even / 2;
  const ElementType e = given.element_type(), re = real_element(e);
  a = matrix_algebra::enlarged(w, a, m, even);
  const Type per_matrix = Type::tensor(re, {given.dim(0)});
  // The cosine of an angle that rounding may leave, and a square that is rounding's too.
  const double angle = epsilon(e) * std::max(4.0, std::sqrt(static_cast<double>(m))),
               nothing = least_normal(e) / epsilon(e);
  const auto round = [&](MatrixWriter& w, std::span<const Value> c) {
    const Value x = w.columns(c[0], 0, half), y = w.columns(c[0], half, even);
    const Value first = w.sum(w.square(x), 1), second = w.sum(w.square(y), 1),
                between = w.sum(w.multiply(w.conjugate(x), y), 1);
    const Type t = w.type(first);
    const Value least = w.splat(t, nothing);
    const Value is_none = w.logical_or(w.compare(first, least, "LT"), w.compare(second, least, "LT"));
    const Value sizes = w.select(is_none, w.splat(t, 1), w.multiply(w.root(first), w.root(second)));
    const Value cosine = w.select(is_none, w.zeros(t), w.divide(w.absolute(between), sizes));
    const Value skip = w.logical_not(w.compare(cosine, w.splat(t, angle), "GT"));
    const Rotations r = rotations(w, first, second, between, skip);
    return Values{next_pairs(w, rotated(w, c[0], r, 2, false), 2), next_pairs(w, rotated(w, c[1], r, 2, false), 2),
                  w.maximum(c[2], w.largest(cosine, 1))};
  };
  const Value end = w.integer(kMostSweeps), one = w.integer(1);
  const Value start[] = {a, w.identity(given.with_shape({given.dim(0), even, even})), w.splat(per_matrix, 1),
                         w.integer(0)};
  const int64_t whole[] = {0};
  const auto is_left = [angle](MatrixWriter& w, Value cosine) {
    return w.compare(cosine, w.like(cosine, angle), "GT");
  };
  const Values out = w.loop(
      start,
      [&](MatrixWriter& w, std::span<const Value> c) {
        return w.logical_and(w.compare(c[3], end, "LT"), w.reduce(is_left(w, c[2]), whole, "stablehlo.or"));
      },
      [&](MatrixWriter& w, std::span<const Value> c) {
        const Value sweep[] = {c[0], c[1], w.zeros(per_matrix)};
        const Values next = w.repeat(0, std::max<int64_t>(even - 1, 1), sweep,
                                     [&](MatrixWriter& w, Value, std::span<const Value> x) { return round(w, x); });
        return Values{next[0], next[1], next[2], w.add(c[3], one)};
      });
  // The roundings of all rounds have added up in the columns; those of the product are of one.
  const Value turns = made_unitary(w, w.block(out[1], 0, n, 0, n));
  const Value columns = w.product(w.columns(a, 0, n), turns);
  const Value total = w.sum(w.sum(w.absolute(columns), 2), 1);
  const Value failed = w.logical_or(is_left(w, out[2]), w.logical_not(w.make("stablehlo.is_finite", {total})));
  return {columns, turns, failed};
}

/// Of matrices that have at least as many rows as columns.
Svd of_tall(MatrixWriter& w, Value a, bool full) {
  const Type t = w.type(a);
  const int64_t m = t.dim(1), n = t.dim(2);
  const ElementType e = t.element_type();
  const Value largest = w.largest(w.largest(w.sum_of_parts(a), 2), 1);
  const Value is_scalable = w.logical_and(w.not_zero(largest), w.make("stablehlo.is_finite", {largest}));
  const Value scale = w.select(is_scalable, largest, w.like(largest, 1));
  a = w.divide(a, w.over_all(w.in_element(scale, e), t));
  // Rotations of r's columns are fewer operations than those of a's.
  Qr before{};
  if (m > n) {
    before = factor_qr(w, a);
    a = w.triangle(w.rows(before.packed, 0, n), "LE");
  }
  const Turned turned = orthogonal_columns(w, a);
  const MatrixWriter::Sorted sorted = w.sorted(w.root(w.sum(w.square(turned.columns), 1)), true);
  const Qr qr = factor_qr(w, w.columns_in_order(turned.columns, sorted.order));
  // The diagonal of r, of which singular values are the sizes, gives the directions.
  const Value on_diagonal = w.diagonal(qr.packed), size = w.absolute(on_diagonal);
  const Value direction =
      w.select(w.is_zero(size), w.like(on_diagonal, 1), w.divide(on_diagonal, w.in_element(w.or_one(size), e)));
  Value u = q_of(w, qr, n);
  u = w.multiply(u, w.over_columns(direction, w.type(u)));
  if (m > n) {
    const int64_t columns = full ? m : n;
    Value enlarged = matrix_algebra::enlarged(w, u, m, columns);
    if (full) {
      const Type wide = w.type(enlarged);
      const Value is_rest =
          w.compare(w.positions(wide, 1), w.splat(wide.with_element(kI32), static_cast<double>(n)), "GE");
      enlarged = w.select(is_rest, w.identity(wide), enlarged);
    }
    u = times_q(w, before, enlarged, false);
  }
  const Value s = w.multiply(sorted.keys, w.over(scale, w.type(sorted.keys), {0}));
  return {u, s, w.adjoint(w.columns_in_order(turned.turns, sorted.order)), turned.failed};
}

}  // namespace

Svd singular_values(MatrixWriter& w, Value a, bool full) {
  if (w.extent(a, 1) >= w.extent(a, 2)) return of_tall(w, a, full);
  const Svd other = of_tall(w, w.adjoint(a), full);
  return {w.adjoint(other.vt), other.s, w.adjoint(other.u), other.failed};
}

Values svd_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const char mode = letter(op, "mode", 'A');
  const Svd svd = singular_values(w, x[0], mode == 'A');
  const Value info = w.convert(svd.failed, kI32);
  if (mode == 'N') {
    // Their shapes are the caller's; nobody reads them.
    return {x[0], svd.s, Value{}, Value{}, info};
  }
  return {x[0], svd.s, svd.u, svd.vt, info};
}

}  // namespace weft::lapack::portable
