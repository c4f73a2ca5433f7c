// Hessenberg form by Householder's reflectors (LAPACK: gehrd).
#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "lapack/portable/schur.h"

namespace weft::lapack::portable {

Hessenberg hessenberg(MatrixWriter& w, Value a, int64_t low, int64_t high) {
  const Type t = w.type(a), per_row = t.with_shape({t.dim(0), t.dim(1)});
  const int64_t n = t.dim(1);
  const Value end = w.integer(static_cast<double>(high));
  const Value start[] = {a, w.zeros(t), w.zeros(t.with_shape({t.dim(0), std::max<int64_t>(n - 1, 0)})), w.identity(t)};
  const Values out = w.repeat(low, high - 1, start, [&](MatrixWriter& w, Value j, std::span<const Value> c) {
    const Value next = w.add(j, w.integer(1));
    const Value column = w.column(c[0], j), is_at = w.where(per_row, 1, "EQ", next);
    const Value is_below = w.logical_and(w.where(per_row, 1, "GT", next), w.where(per_row, 1, "LT", end));
    const Reflector r = make_reflector(w, w.at(column, next), w.select(is_below, column, w.zeros(per_row)));
    const Value tail = w.select(is_below, r.v, w.zeros(per_row));
    const Value v = w.select(is_at, w.splat(per_row, 1), tail);
    const auto from_right = [&](Value x) {
      const Value products = w.multiply(w.over(r.tau, per_row, {0}), w.times(x, v));
      return w.subtract(x, w.outer(products, w.conjugate(v), t));
    };
    const Value from_left = w.multiply(w.over(w.conjugate(r.tau), per_row, {0}), w.adjoint_times(v, c[0]));
    a = from_right(w.subtract(c[0], w.outer(v, from_left, t)));
    // What is known of the column: beta, then zeros.
    const Value known =
        w.select(is_at, w.over(r.beta, per_row, {0}), w.select(is_below, w.zeros(per_row), w.column(a, j)));
    return Values{w.with_column(a, j, known), w.with_column(c[1], j, tail), w.with(c[2], j, r.tau), from_right(c[3])};
  });
  return {out[0], out[1], out[2], out[3]};
}

Values to_hessenberg_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const int64_t n = w.extent(x[0], 1), low = config(op, "low", 1), high = config(op, "high", n);
  if (low < 1 || low > high || high > n)
    refuse(op, "low, high: got " + std::to_string(low) + ", " + std::to_string(high) +
                   ", expected 1 <= low <= high <= " + std::to_string(n));
  const Hessenberg h = hessenberg(w, x[0], low - 1, high);
  return {w.add(h.form, h.vectors), h.tau, w.zeros(Type::tensor(ElementType::kI32, {w.extent(x[0], 0)}))};
}

}  // namespace weft::lapack::portable
