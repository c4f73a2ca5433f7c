// LU with partial pivoting: panels column by column, the rest by triangular solves and products.
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

/// Wider matrices are factored by panels of this many columns.
constexpr int64_t kPanel = 48;

Value fresh_order(MatrixWriter& w, int64_t batch, int64_t n) { return w.iota(Type::tensor(kI32, {batch, n}), 1); }

/// Column by column.
Lu factor_panel(MatrixWriter& w, Value a) {
  const Type t = w.type(a);
  const int64_t batch = t.dim(0), m = t.dim(1), k = std::min(m, t.dim(2));
  const Type per_row = t.with_shape({batch, m}), index = Type::tensor(kI32, {batch});
  const Value carries[] = {a, w.zeros(index.with_shape({batch, k})), fresh_order(w, batch, m), w.zeros(index)};
  const Values out = w.repeat(0, k, carries, [&](MatrixWriter& w, Value j, std::span<const Value> c) {
    Value a = c[0];
    const Value size = w.sum_of_parts(w.column(a, j));
    const Value candidates = w.select(w.where(per_row, 1, "GE", j), size, w.like(size, -1));
    const Value p = w.first_of_largest(candidates, j);

    // Exchange rows j and p, which lies elsewhere in each matrix.
    const Value is_p = w.compare(w.positions(per_row, 1), w.over(p, per_row, {0}), "EQ");
    const Value is_p_of_matrix = w.over_rows(is_p, t);
    const Value pivot_row = w.sum(w.select(is_p_of_matrix, a, w.zeros(t)), 1);
    a = w.with_row(w.select(is_p_of_matrix, w.over_columns(w.row(a, j), t), a), j, pivot_row);
    const Value order = w.select(is_p, w.over(w.at(c[2], j), per_row, {0}), c[2]);
    const Value chosen = w.sum(w.select(is_p, c[2], w.zeros(w.type(c[2]))), 1);

    const Value pivot = w.at(pivot_row, j), fails = w.is_zero(pivot);
    const Value number = w.add(w.fill(j, index.shape()), w.splat(index, 1));
    const Value info = w.select(w.logical_and(w.is_zero(c[3]), fails), number, c[3]);

    const Value column = w.column(a, j), is_below = w.where(per_row, 1, "GT", j);
    const Value factors = w.divide(column, w.over(w.or_one(pivot), per_row, {0}));
    const Value is_right = w.where(w.type(pivot_row), 1, "GT", j);
    const Value is_rest = w.logical_and(w.over_rows(is_below, t), w.over_columns(is_right, t));
    a = w.select(is_rest, w.subtract(a, w.outer(factors, pivot_row, t)), a);
    a = w.with_column(a, j, w.select(is_below, factors, column));
    return Values{a, w.with(c[1], j, p), w.with(order, j, chosen), info};
  });
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace

Lu factor_lu(MatrixWriter& w, Value a) {
  const Type t = w.type(a);
  const int64_t batch = t.dim(0), m = t.dim(1), n = t.dim(2), k = std::min(m, n);
  if (k <= 2 * kPanel) return factor_panel(w, a);
  Lu out{a, {}, fresh_order(w, batch, m), {}};
  for (int64_t o = 0; o < k; o += kPanel) {
    const int64_t end = std::min(o + kPanel, k);
    const Lu panel = factor_panel(w, w.block(out.lu, o, m, o, end));
    // The columns beside the panel in its order.
    const Value left = w.rows_in_order(w.block(out.lu, o, m, 0, o), panel.order);
    Value right = w.rows_in_order(w.block(out.lu, o, m, end, n), panel.order);
    if (end < n) {
      const Value l = w.block(panel.lu, 0, end - o, 0, end - o);
      const Value top = matrix_algebra::solve(w, l, w.block(right, 0, end - o, 0, n - end),
                                              {.left = true, .lower = true, .unit = true});
      right = top;
      if (end < m) {
        const Value rest = w.rows(w.rows_in_order(w.block(out.lu, o, m, end, n), panel.order), end - o, m - o);
        right = w.above(top, w.subtract(rest, w.product(w.rows(panel.lu, end - o, m - o), top)));
      }
    }
    out.lu = w.above(w.rows(out.lu, 0, o), w.beside(w.beside(left, panel.lu), right));
    out.order = w.joined({w.part(out.order, 0, o), w.elements_in_order(w.part(out.order, o, m), panel.order)}, 1);
    const Type pivots = w.type(panel.pivots), info = w.type(panel.info);
    const Value moved = w.add(panel.pivots, w.splat(pivots, static_cast<double>(o)));
    const Value failed =
        w.select(w.is_zero(panel.info), panel.info, w.add(panel.info, w.splat(info, static_cast<double>(o))));
    out.pivots = o == 0 ? moved : w.joined({out.pivots, moved}, 1);
    out.info = o == 0 ? failed : w.select(w.is_zero(out.info), failed, out.info);
  }
  return out;
}

Values lu_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  const Lu lu = factor_lu(w, x[0]);
  return {lu.lu, w.add(lu.pivots, w.like(lu.pivots, 1)), lu.info};
}

Values lu_decomposition_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  const Lu lu = factor_lu(w, x[0]);
  return {lu.lu, lu.pivots, lu.order};
}

Values permutation_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const auto shape = op.result_type().shape();
  const int64_t rows = shape.empty() ? 0 : shape.back(), k = std::min(w.extent(x[0], 1), rows);
  const Type t = Type::tensor(kI32, {w.extent(x[0], 0), rows});
  const Value start = w.iota(t, 1);
  return w.repeat(0, k, std::span(&start, 1), [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const Value is_p = w.compare(w.positions(t, 1), w.over(w.at(x[0], i), t, {0}), "EQ");
    const Value chosen = w.sum(w.select(is_p, c[0], w.zeros(t)), 1);
    return Values{w.with(w.select(is_p, w.over(w.at(c[0], i), t, {0}), c[0]), i, chosen)};
  });
}

}  // namespace weft::lapack::portable
