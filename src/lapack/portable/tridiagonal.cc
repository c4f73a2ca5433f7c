// Tridiagonal systems by elimination with partial pivoting (LAPACK: gtsv, gttrf), and the tridiagonal form of Hermitian matrices.
#include <limits>

#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

/// The upper factor's three diagonals, each [batch, n], the right side that goes with it, and `info`.
struct Eliminated {
  Value second, diagonal, upper, right, info;
};

/// lower[i] stands left of diagonal[i], upper[i] right of it.
Eliminated eliminate(MatrixWriter& w, std::span<const Value> x) {
  const Value lower = x[0];
  const int64_t n = w.extent(x[1], 1);
  const Type index = Type::tensor(kI32, {w.extent(x[1], 0)});
  const Value last = w.integer(static_cast<double>(n - 2));
  const Value carries[] = {w.zeros(w.type(x[1])), x[1], x[2], x[3], w.zeros(index)};
  const Values out = w.repeat(0, n - 1, carries, [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const Value next = w.add(i, w.integer(1));
    const Value below = w.at(lower, next), d = w.at(c[1], i), u = w.at(c[2], i), d1 = w.at(c[1], next);
    // Right of the next row's diagonal there is nothing in the last step.
    const Value u1 =
        w.select(w.fill(w.compare(i, last, "LT"), w.type(d).shape()), w.at(c[2], next), w.zeros(w.type(d)));
    const Value stays = w.compare(w.sum_of_parts(d), w.sum_of_parts(below), "GE");
    const Value pivot = w.select(stays, d, below), other = w.select(stays, below, d);
    const Value fails = w.is_zero(pivot);
    const Value factor = w.divide(other, w.or_one(pivot));
    // The pivot's row, then the other.
    const Value top_next = w.select(stays, u, d1), top_second = w.select(stays, w.zeros(w.type(d)), u1);
    const Value rest_next = w.select(stays, d1, u), rest_second = w.select(stays, u1, w.zeros(w.type(d)));
    const Value new_d1 = w.subtract(rest_next, w.multiply(factor, top_next));
    const Value new_u1 = w.subtract(rest_second, w.multiply(factor, top_second));
    const Value b = w.row(c[3], i), b1 = w.row(c[3], next), wide = w.over(stays, w.type(b), {0});
    const Value top = w.select(wide, b, b1);
    const Value rest = w.subtract(w.select(wide, b1, b), w.multiply(w.over(factor, w.type(b), {0}), top));
    const Value number = w.fill(next, index.shape());
    return Values{w.with(c[0], i, top_second), w.with(w.with(c[1], i, pivot), next, new_d1),
                  w.with(w.with(c[2], i, top_next), next, new_u1), w.with_row(w.with_row(c[3], i, top), next, rest),
                  w.select(w.logical_and(w.is_zero(c[4]), fails), number, c[4])};
  });
  const Value at_end = w.at(out[1], w.integer(static_cast<double>(n - 1)));
  const Value info =
      w.select(w.logical_and(w.is_zero(out[4]), w.is_zero(at_end)), w.splat(index, static_cast<double>(n)), out[4]);
  return {out[0], out[1], out[2], out[3], info};
}

Value substitute(MatrixWriter& w, const Eliminated& e) {
  const Type t = w.type(e.right);
  const int64_t n = t.dim(1);
  // Two rows of zeros behind the last.
  const Value zeros = w.zeros(t.with_shape({t.dim(0), 2, t.dim(2)}));
  const Value start[] = {w.joined({w.zeros(t), zeros}, 1)};
  const Values out = w.repeat_backwards(0, n, start, [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const Value one = w.row(c[0], w.add(i, w.integer(1))), two = w.row(c[0], w.add(i, w.integer(2)));
    const auto wide = [&](Value v) { return w.over(w.at(v, i), w.type(one), {0}); };
    const Value left =
        w.subtract(w.subtract(w.row(e.right, i), w.multiply(wide(e.upper), one)), w.multiply(wide(e.second), two));
    return Values{w.with_row(c[0], i, w.divide(left, wide(e.diagonal)))};
  });
  return w.rows(out[0], 0, n);
}

}  // namespace

Values tridiagonal_solve_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  const Eliminated e = eliminate(w, x);
  const int64_t n = w.extent(x[1], 1);
  // As LAPACK leaves them: the ends of lower and the last of upper are not its.
  const Value second =
      n < 2 ? x[0] : w.joined({w.part(x[0], 0, 1), w.part(e.second, 0, n - 2), w.part(x[0], n - 1, n)}, 1);
  const Value upper = n < 2 ? x[2] : w.joined({w.part(e.upper, 0, n - 1), w.part(x[2], n - 1, n)}, 1);
  return {second, e.diagonal, upper, substitute(w, e), e.info};
}

Values perturbed_solve_rule(MatrixWriter& w, const OpView&, std::span<const Value> x) {
  Eliminated e = eliminate(w, x);
  const ElementType element = w.element(e.diagonal);
  const int64_t n = w.extent(x[1], 1);
  const Type t = w.type(w.absolute(e.diagonal));
  const auto largest = [&](Value v, int64_t count) {
    return w.largest(w.select(w.where(t, 1, "LT", w.integer(static_cast<double>(count))), w.absolute(v), w.zeros(t)),
                     1);
  };
  const Value size = w.maximum(largest(e.diagonal, n), w.maximum(largest(e.upper, n - 1), largest(e.second, n - 2)));
  const Value least =
      w.over(w.maximum(w.multiply(size, w.like(size, epsilon(element))), w.like(size, least_normal(element))), t, {0});
  const Value own = w.absolute(e.diagonal);
  const Value wide = w.in_element(least, element);
  const Value scaled = w.multiply(w.divide(e.diagonal, w.in_element(w.or_one(own), element)), wide);
  e.diagonal = w.select(w.compare(own, least, "LT"), w.select(w.is_zero(own), wide, scaled), e.diagonal);
  return {substitute(w, e)};
}

Values to_tridiagonal_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const bool is_lower = letter(op, "uplo", 'L') == 'L';
  const int64_t both[] = {1, 2}, one[] = {1};
  // The upper form is the lower one of the matrix with rows and columns in the other order.
  const auto turned = [&](Value a) { return is_lower ? a : w.reverse(a, both); };
  const auto turned_vector = [&](Value v) { return is_lower ? v : w.reverse(v, one); };
  const Value given = turned(x[0]);
  const Type t = w.type(given), per_row = t.with_shape({t.dim(0), t.dim(1)});
  const int64_t n = t.dim(1);
  const Value start[] = {matrix_algebra::hermitian(w, given, true), w.zeros(t),
                         w.zeros(t.with_shape({t.dim(0), std::max<int64_t>(n - 1, 0)}))};
  // a, the reflectors' columns, τ
  const Values out = w.repeat(0, n - 1, start, [&](MatrixWriter& w, Value j, std::span<const Value> c) {
    const Value next = w.add(j, w.integer(1));
    const Value column = w.column(c[0], j), is_below = w.where(per_row, 1, "GT", next),
                is_at = w.where(per_row, 1, "EQ", next);
    const Reflector r = make_reflector(w, w.at(column, next), w.select(is_below, column, w.zeros(per_row)));
    const Value tail = w.select(is_below, r.v, w.zeros(per_row));
    const Value v = w.select(is_at, w.splat(per_row, 1), tail);
    // Hᴴ·a·H
    Value a = c[0];
    const Value from_left = w.multiply(w.over(w.conjugate(r.tau), per_row, {0}), w.adjoint_times(v, a));
    a = w.subtract(a, w.outer(v, from_left, t));
    const Value from_right = w.multiply(w.over(r.tau, per_row, {0}), w.times(a, v));
    a = w.subtract(a, w.outer(from_right, w.conjugate(v), t));
    // What is known of the column: beta, then zeros.
    const Value known =
        w.select(is_at, w.over(r.beta, per_row, {0}), w.select(is_below, w.zeros(per_row), w.column(a, j)));
    a = w.with_column(a, j, known);
    return Values{a, w.with_column(c[1], j, tail), w.with(c[2], j, r.tau)};
  });
  const Value below = w.triangle(out[0], "GE");
  const Value is_upper = w.compare(w.positions(t, 1), w.positions(t, 2), "LT");
  // The triangle that is not read stays as it was.
  const Value packed = w.select(is_upper, given, w.add(below, out[1]));
  const Value diagonal = w.real(w.diagonal(out[0]));
  const Value beside = n < 2 ? w.zeros(w.type(w.real(out[2]))) : w.real(w.diagonal(w.block(out[0], 1, n, 0, n - 1)));
  return {turned(packed), turned_vector(diagonal), turned_vector(beside), turned_vector(out[2]),
          w.zeros(Type::tensor(kI32, {t.dim(0)}))};
}

}  // namespace weft::lapack::portable
