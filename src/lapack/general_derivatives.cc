// Derivatives of eigenvalues and vectors of general matrices, of tridiagonal solves, of QR with pivots and of products with Q.
#include <algorithm>

#include "lapack/derivative_parts.h"
#include "lapack/matrix.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/expansion.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack {
namespace {

namespace ma = matrix_algebra;
using ma::conjugate;
using ma::part;
using ma::product;
using Values = std::span<const Value>;

// ---- general eigenvalues ----------------------------------------------------------------------------------------------------------

Value real(OpBuilder& b, Value x) { return b.make("stablehlo.real", {x}); }
Value imag(OpBuilder& b, Value x) { return b.make("stablehlo.imag", {x}); }
Value pair(OpBuilder& b, Value re, Value im) { return b.make("stablehlo.complex", {re, im}); }

/// 1/x of complex numbers, and 0 for 0.
Value complex_inverse_or_zero(OpBuilder& b, Value x) {
  const Type t = b.type(x);
  const Value zeros = b.zeros(t), one = b.splat(t, 1), is_zero = b.compare(x, zeros, "EQ");
  return b.select(is_zero, zeros, b.divide(one, b.select(is_zero, one, x)));
}

Value sum_of_columns(OpBuilder& b, Value x) {
  const int64_t rows[] = {b.type(x).rank() - 2};
  return b.reduce(x, rows, "stablehlo.add");
}

/// Of vectors v (columns) of norm 1 whose largest element is real, as LAPACK scales them: what is left of tangents `moved`, which a multiple
/// of each vector may be added to.
Value keep_scale(LinearizeContext& context, Value v, Value moved) {
  OpBuilder &b = context.primal(), &linear = context.linear();
  const Type t = b.type(v), reals = b.type(real(b, v)), places = reals.with_element(ElementType::kI32);
  const int64_t rows[] = {t.rank() - 2};
  const Value re = real(b, v), im = imag(b, v), size = b.add(b.multiply(re, re), b.multiply(im, im));
  const Value largest = b.reduce(size, rows, "stablehlo.maximum");
  const Value at = b.iota(places, t.rank() - 2), none = b.splat(places, static_cast<double>(rows_of(t)));
  const Value is_largest = b.compare(size, ma::spread(b, largest, reals, 1), "EQ");
  const Value first = b.reduce(b.select(is_largest, at, none), rows, "stablehlo.minimum");
  const Value weight =
      b.select(b.compare(at, ma::spread(b, first, places, 1), "EQ"), inverse_or_zero(b, re), b.zeros(reals));
  const Value growth = sum_of_columns(linear, real(linear, linear.multiply(moved, conjugate(b, v))));
  const Value turn = sum_of_columns(linear, linear.multiply(imag(linear, moved), weight));
  const Value scale = ma::spread(linear, pair(linear, growth, turn), t, 1);
  return linear.subtract(moved, linear.multiply(scale, v));
}

}  // namespace

/// a·v = v·w and uᴴ·a = w·uᴴ: with m = uᴴ·ȧ·v and c the diagonal of uᴴ·v, ẇ_i = m_ii / c_i; v_i moves by the sum over the others of
/// v_j · m_ji / (c_j · (w_i - w_j)), less what would change its norm or the phase of its largest element; u the same for aᴴ.
Linearized linearize_geev(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  std::vector<Value> results = context.clone_primal(op, primals);
  const Type type = op.operand_type(0);
  const bool is_complex_call = is_complex(type.element_type());
  std::vector<Value> out(op.num_results());
  if (type.num_elements() == 0) return {std::move(results), std::move(out)};
  const size_t left = is_complex_call ? 1 : 2, right = left + 1;
  const bool has_left = letter(op, "compute_left", 'N') == 'V', has_right = letter(op, "compute_right", 'N') == 'V';
  if (!has_left) expect_unused(context, op, left, "the matrix of vectors that are not computed");
  if (!has_right) expect_unused(context, op, right, "the matrix of vectors that are not computed");
  std::vector<Value> full = results;
  if (!has_left || !has_right) {
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    Attrs attrs = with_letter(op, "compute_left", 'V');
    attrs.set("mhlo.backend_config",
              AttrEntries{{"compute_left", OpaqueAttr{"86 : ui8"}}, {"compute_right", OpaqueAttr{"86 : ui8"}}});
    full = b.create(op.def(), primals, attrs, types);
  }
  const Value u = full[left], v = full[right];
  const Value w = is_complex_call ? full[0] : pair(b, full[0], full[1]);
  const Type square = b.type(v);
  const Value moved = ma::as_element(linear, tangents[0], square.element_type());
  const Value m = product(linear, conjugate(b, u), true, product(linear, moved, v), false);
  const Value inverse = complex_inverse_or_zero(b, ma::diagonal(b, product(b, conjugate(b, u), true, v, false)));
  const Value w_dot = linear.multiply(ma::diagonal(linear, m), inverse);
  out[0] = is_complex_call ? w_dot : real(linear, w_dot);
  if (!is_complex_call) out[1] = imag(linear, w_dot);
  const Value gaps = b.subtract(ma::spread(b, w, square, 1), ma::spread(b, w, square, 0));  // w_i - w_j at (j, i)
  const Value gap_inverse = complex_inverse_or_zero(b, gaps);
  if (has_right) {
    const Value weights = b.multiply(gap_inverse, ma::spread(b, inverse, square, 0));
    out[right] = keep_scale(context, v, product(linear, v, linear.multiply(m, weights)));
  }
  if (has_left) {
    // For aᴴ: v_jᴴ·ȧᴴ·u_i is the conjugate of m_ij.
    const Value weights = conjugate(b, b.multiply(gap_inverse, ma::spread(b, inverse, square, 0)));
    out[left] = keep_scale(context, u, product(linear, u, linear.multiply(ma::adjoint(linear, m), weights)));
  }
  return {std::move(results), std::move(out)};
}

// ---- tridiagonal systems -------------------------------------------------------------------------------------------------------------

namespace {

/// Rows of x moved down by one (up: -1), zeros where none comes from.
Value moved_rows(OpBuilder& b, Value x, int64_t by, int64_t axis) {
  const Type t = b.type(x);
  std::vector<int64_t> low(static_cast<size_t>(t.rank()), 0), high = low;
  low[static_cast<size_t>(axis)] = by;
  high[static_cast<size_t>(axis)] = -by;
  return b.pad(x, b.zeros(Type::scalar(t.element_type())), low, high);
}

}  // namespace

/// a·ẋ = ḃ - ȧ·x; what is linear in b is a solve again, and its transpose one with the diagonals changed over.
Linearized linearize_tridiagonal(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  std::vector<Value> results = context.clone_primal(op, primals);
  const size_t at = op.num_results() == 1 ? 0 : 3;
  for (size_t i = 0; i < at; ++i) expect_unused(context, op, i, "a diagonal that is written over");
  const Value x = results[at];
  const Type type = b.type(x);
  Value right = tangents[3];
  const int64_t by[] = {1, 0, -1};
  for (size_t i = 0; i < 3; ++i) {
    if (!tangents[i]) continue;
    const Value reached = by[i] == 0 ? x : moved_rows(b, x, by[i], type.rank() - 2);
    const Value term = linear.multiply(ma::spread(linear, tangents[i], type, 0), reached);
    right = right ? linear.subtract(right, term) : linear.negate(term);
  }
  std::vector<Value> out(op.num_results());
  if (!right) return {std::move(results), std::move(out)};
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
  const Attrs& attrs = op.attrs();
  const OpDef& def = op.def();
  const std::vector<Value> diagonals(primals.begin(), primals.begin() + 3);
  const auto solve = [=, &def](OpBuilder& builder, Value lower, Value upper, Value given) {
    const Value operands[] = {lower, diagonals[1], upper, given};
    return builder.create(def, operands, attrs, types)[at];
  };
  const Value given[] = {right};
  const Type given_types[] = {type};
  out[at] = context.linear_map(
      given, given_types,
      [=](OpBuilder& builder, Values t) { return std::vector{solve(builder, diagonals[0], diagonals[2], t[0])}; },
      [=](OpBuilder& builder, Values cotangents) {
        if (!cotangents[0]) return std::vector<Value>(1);
        const int64_t axis = builder.type(diagonals[0]).rank() - 1;
        const Value lower = moved_rows(builder, diagonals[2], 1, axis),
                    upper = moved_rows(builder, diagonals[0], -1, axis);
        return std::vector{solve(builder, lower, upper, cotangents[0])};
      })[0];
  return {std::move(results), std::move(out)};
}

// ---- QR with pivots, products with Q -----------------------------------------------------------------------------------------------

/// QR of the columns in the order found.
Linearized linearize_geqp3(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  std::vector<Value> results = context.clone_primal(op, primals);
  const Type type = op.operand_type(0);
  std::vector<int64_t> square(type.shape().begin(), type.shape().end());
  square[square.size() - 2] = square.back();
  const Type chosen = Type::tensor(ElementType::kI32, square);
  const Value from_zero = b.subtract(results[1], b.splat(b.type(results[1]), 1));
  const Value columns = b.convert(
      b.compare(b.iota(chosen, chosen.rank() - 2), ma::spread(b, from_zero, chosen, 1), "EQ"), type.element_type());
  const auto [packed, tau] = reflector_tangents(context, results[0], results[2], product(linear, tangents[0], columns));
  return {std::move(results), {packed, Value{}, tau}};
}

namespace {

/// (reflectors, τ, c) → Q·c, Qᴴ·c, c·Q or c·Qᴴ, with Q = 1 - V·T·Vᴴ and T = (1 + D·u)⁻¹·D, where u is the upper part of Vᴴ·V and D holds τ.
std::vector<Value> expand_ormqr(OpBuilder& b, const OpView& op, Values operands) {
  const Value c = operands[2], tau = operands[1];
  const bool is_left = config(op, "left", 1) != 0, is_adjoint = config(op, "transpose", 0) != 0;
  const int64_t k = b.type(tau).dim(b.type(tau).rank() - 1);
  if (k == 0 || b.type(c).num_elements() == 0) return {c};
  const Value v = reflectors(b, operands[0], k), gram = product(b, conjugate(b, v), true, v, false);
  const Value factor = part(b, b.multiply(gram, ma::spread(b, tau, b.type(gram), 0)), "LT");
  const Value scale = is_adjoint ? conjugate(b, tau) : tau;
  const auto scaled = [&](Value x) { return b.multiply(x, ma::spread(b, scale, b.type(x), is_left ? 0 : 1)); };
  const auto solved = [&](Value x) {
    const Value given[] = {factor, x};
    return b.create("stablehlo.triangular_solve", given,
                    Attrs{{"left_side", is_left},
                          {"lower", false},
                          {"unit_diagonal", true},
                          {"transpose_a", is_adjoint ? "ADJOINT" : "NO_TRANSPOSE"}})[0];
  };
  const Value given = is_left ? product(b, conjugate(b, v), true, c, false) : product(b, c, v);
  const Value inner = is_left == is_adjoint ? scaled(solved(given)) : solved(scaled(given));
  return {b.subtract(c, is_left ? product(b, v, inner) : product(b, inner, false, conjugate(b, v), true))};
}

}  // namespace

Linearized linearize_ormqr(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  // The value is LAPACK's own.
  return {context.clone_primal(op, primals),
          expansion_detail::linearize(expand_ormqr, context, op, primals, tangents).tangents};
}

Linearized refuse_reduction(LinearizeContext&, const OpView& op, Values, Values) {
  throw Unsupported("[stablehlo.custom_call] derivative of @" + target_of(op) +
                        ": the form to which it reduces a matrix (operand 0) has none here; eigenvalues, singular "
                        "values and solutions of systems have: call geev, syevd, gesdd or a factorization",
                    op.loc());
}

}  // namespace weft::lapack
