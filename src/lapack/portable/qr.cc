// QR by Householder's reflectors: panels column by column, the rest by blocks of reflectors (compact WY form).
#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

constexpr int64_t kPanel = 32;

/// (beta, v) in the place of column j, and the reflector's adjoint applied to the columns to the right.
struct Step {
  Value a, tau;
};
Step eliminate(MatrixWriter& w, Value a, Value j) {
  const Type t = w.type(a), per_row = t.with_shape({t.dim(0), t.dim(1)}),
             per_column = t.with_shape({t.dim(0), t.dim(2)});
  const Value column = w.column(a, j), is_below = w.where(per_row, 1, "GT", j), is_at = w.where(per_row, 1, "EQ", j);
  const Reflector r = make_reflector(w, w.at(column, j), w.select(is_below, column, w.zeros(per_row)));
  const Value v = w.select(is_at, w.splat(per_row, 1), w.select(is_below, r.v, w.zeros(per_row)));
  const Value products = w.multiply(w.over(w.conjugate(r.tau), per_column, {0}), w.adjoint_times(v, a));
  const Value is_rest =
      w.logical_and(w.over_rows(w.where(per_row, 1, "GE", j), t), w.over_columns(w.where(per_column, 1, "GT", j), t));
  a = w.select(is_rest, w.subtract(a, w.outer(v, products, t)), a);
  const Value beta = w.over(r.beta, per_row, {0});
  return {w.with_column(a, j, w.select(is_at, beta, w.select(is_below, r.v, column))), r.tau};
}

Qr factor_panel(MatrixWriter& w, Value a) {
  const Type t = w.type(a);
  const int64_t k = std::min(t.dim(1), t.dim(2));
  const Value carries[] = {a, w.zeros(t.with_shape({t.dim(0), k}))};
  const Values out = w.repeat(0, k, carries, [](MatrixWriter& w, Value j, std::span<const Value> c) {
    const Step s = eliminate(w, c[0], j);
    return Values{s.a, w.with(c[1], j, s.tau)};
  });
  return {out[0], out[1]};
}

/// The reflectors' vectors, with the ones on the diagonal.
Value vectors_of(MatrixWriter& w, const Qr& qr) {
  const Value v = w.columns(qr.packed, 0, w.extent(qr.tau, 1));
  return w.add(w.triangle(v, "GT"), w.identity(w.type(v)));
}

/// T·c or Tᴴ·c, where the reflectors' product is 1 - V·T·Vᴴ and T = (1 + diag(τ)·(Vᴴ·V above its diagonal))⁻¹·diag(τ).
Value times_t(MatrixWriter& w, Value v, Value tau, Value c, bool adjoint) {
  const Value gram = w.triangle(w.product(v, v, true), "LT");
  const Value upper = w.multiply(w.over_rows(tau, w.type(gram)), gram);
  const Value operands[] = {upper, adjoint ? c : w.multiply(w.over_rows(tau, w.type(c)), c)};
  const Value solution = w.create("stablehlo.triangular_solve", operands,
                                  Attrs{{"left_side", true},
                                        {"lower", false},
                                        {"unit_diagonal", true},
                                        {"transpose_a", adjoint ? "ADJOINT" : "NO_TRANSPOSE"}})[0];
  return adjoint ? w.multiply(w.over_rows(w.conjugate(tau), w.type(c)), solution) : solution;
}

}  // namespace

Reflector make_reflector(MatrixWriter& w, Value alpha, Value x) {
  const ElementType e = w.element(x);
  // Squares of numbers of size 1, lest they overflow.
  const Value largest = w.maximum(w.largest(w.sum_of_parts(x), 1), w.sum_of_parts(alpha));
  const Value is_scalable = w.logical_and(w.not_zero(largest), w.make("stablehlo.is_finite", {largest}));
  const Value scale = w.select(is_scalable, largest, w.like(largest, 1));
  const Value scaled = w.divide(x, w.over(w.in_element(scale, e), w.type(x), {0}));
  const Value rest = w.sum(w.square(scaled), 1);
  const Value re = w.real(alpha), im = w.imaginary(alpha);
  const Value size = w.multiply(scale, w.root(w.add(rest, w.square(w.divide(alpha, w.in_element(scale, e))))));
  const Value is_done = w.logical_and(w.is_zero(rest), w.is_zero(im));
  const Value beta = w.select(w.compare(re, w.zeros(w.type(re)), "LT"), size, w.negate(size));
  const Value safe = w.or_one(beta);
  Value tau = w.divide(w.subtract(beta, re), safe);
  if (is_complex(e)) tau = w.make("stablehlo.complex", {tau, w.negate(w.divide(im, safe))});
  const Value divisor = w.or_one(w.subtract(alpha, w.in_element(beta, e)));
  const Value v = w.divide(x, w.over(divisor, w.type(x), {0}));
  return {w.select(w.over(is_done, w.type(x), {0}), w.zeros(w.type(x)), v),
          w.select(is_done, w.zeros(w.type(tau)), tau), w.select(is_done, alpha, w.in_element(beta, e))};
}

Qr factor_qr(MatrixWriter& w, Value a) {
  const Type t = w.type(a);
  const int64_t m = t.dim(1), n = t.dim(2), k = std::min(m, n);
  if (k <= 2 * kPanel) return factor_panel(w, a);
  Qr out{a, {}};
  for (int64_t o = 0; o < k; o += kPanel) {
    const int64_t end = std::min(o + kPanel, k);
    const Qr panel = factor_panel(w, w.block(out.packed, o, m, o, end));
    const Value rest = w.block(out.packed, o, m, end, n);
    const Value changed = end < n ? w.beside(panel.packed, times_q(w, panel, rest, true)) : panel.packed;
    out.packed = w.above(w.rows(out.packed, 0, o), w.beside(w.block(out.packed, o, m, 0, o), changed));
    out.tau = o == 0 ? panel.tau : w.joined({out.tau, panel.tau}, 1);
  }
  return out;
}

Value q_of(MatrixWriter& w, const Qr& qr, int64_t columns) {
  const Type t = w.type(qr.packed);
  const Type to = t.with_shape({t.dim(0), t.dim(1), columns});
  if (w.extent(qr.tau, 1) == 0) return w.identity(to);
  const Value v = vectors_of(w, qr);
  // Vᴴ times the first columns of 1.
  const Value first = w.adjoint(w.rows(v, 0, std::min(columns, t.dim(1))));
  return w.subtract(w.identity(to), w.product(v, times_t(w, v, qr.tau, first, false)));
}

Value times_q(MatrixWriter& w, const Qr& qr, Value c, bool adjoint) {
  if (w.extent(qr.tau, 1) == 0) return c;
  const Value v = vectors_of(w, qr);
  return w.subtract(c, w.product(v, times_t(w, v, qr.tau, w.product(v, c, true), adjoint)));
}

Values qr_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  const Qr qr = factor_qr(w, x[0]);
  return {qr.packed, qr.tau};
}

Values q_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  return {q_of(w, {x[0], x[1]}, w.extent(x[0], 2))};
}

Values times_q_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const bool is_left = config(op, "left", 1) != 0, is_adjoint = config(op, "transpose", 0) != 0;
  const Qr qr{x[0], x[1]};
  if (is_left) return {times_q(w, qr, x[2], is_adjoint)};
  return {w.adjoint(times_q(w, qr, w.adjoint(x[2]), !is_adjoint))};
}

Values pivoted_qr_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  const Type t = w.type(x[0]), per_column = t.with_shape({t.dim(0), t.dim(2)}), index = Type::tensor(kI32, {t.dim(0)});
  const int64_t n = t.dim(2), k = std::min(t.dim(1), n);
  // Column j of each matrix exchanged with column p.
  const auto exchange = [&](MatrixWriter& w, Value a, Value order, Value j, Value p) {
    const Value is_p = w.compare(w.positions(per_column, 1), w.over(p, per_column, {0}), "EQ");
    const Value is_p_of_matrix = w.over_columns(is_p, t);
    const Value column = w.sum(w.select(is_p_of_matrix, a, w.zeros(t)), 2);
    a = w.with_column(w.select(is_p_of_matrix, w.over_rows(w.column(a, j), t), a), j, column);
    const Value chosen = w.sum(w.select(is_p, order, w.zeros(w.type(order))), 1);
    order = w.with(w.select(is_p, w.over(w.at(order, j), per_column, {0}), order), j, chosen);
    return Values{a, order};
  };
  // Those to be brought forward first, in their order.
  const Value is_fixed = w.not_zero(x[1]);
  const Value fixed = w.convert(is_fixed, kI32);
  const Value start_order = w.sorted(w.convert(w.subtract(w.splat(w.type(fixed), 1), fixed), kF32), false).order;
  const Value count = w.sum(fixed, 1);
  const Value carries[] = {w.columns_in_order(x[0], start_order), w.add(start_order, w.like(start_order, 1)),
                           w.zeros(t.with_shape({t.dim(0), k}))};
  const Values out = w.repeat(0, k, carries, [&](MatrixWriter& w, Value j, std::span<const Value> c) {
    const Value is_left = w.over_rows(w.where(t.with_shape({t.dim(0), t.dim(1)}), 1, "GE", j), t);
    const Value sizes = w.sum(w.square(w.select(is_left, c[0], w.zeros(t))), 1);
    const Value candidates = w.select(w.where(per_column, 1, "GE", j), sizes, w.like(sizes, -1));
    const Value here = w.fill(j, index.shape());
    const Value p = w.select(w.compare(here, count, "LT"), here, w.first_of_largest(candidates, j));
    const Values moved = exchange(w, c[0], c[1], j, p);
    const Step s = eliminate(w, moved[0], j);
    return Values{s.a, moved[1], w.with(c[2], j, s.tau)};
  });
  return {out[0], out[1], out[2]};
}

}  // namespace weft::lapack::portable
