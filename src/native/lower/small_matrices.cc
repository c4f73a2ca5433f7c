#include "native/lower/small_matrices.h"

#include <algorithm>
#include <limits>
#include <string>

#include "lapack/batch_call.h"
#include "native/lower/small_tensor_ops.h"
#include "ops/foreign/call_handlers.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::native {
namespace {

using enum ElementType;
using matrix_algebra::conjugate;

/// A matrix as its elements.
class Scalars {
 public:
  Scalars(OpBuilder& b, Value x, int64_t columns) : b_(&b), columns_(columns), elements_(elements_of(b, x)) {}
  Value& operator()(int64_t row, int64_t column) { return elements_[static_cast<size_t>(row * columns_ + column)]; }
  Value joined(Type type) const { return joined_elements(*b_, elements_, type); }

 private:
  OpBuilder* b_;
  int64_t columns_;
  Elements elements_;
};

/// |re| + |im|, by which LAPACK compares pivots.
Value size_of(OpBuilder& b, Value x) {
  if (!is_complex(b.type(x).element_type())) return b.make("stablehlo.abs", {x});
  return b.add(b.make("stablehlo.abs", {b.make("stablehlo.real", {x})}),
               b.make("stablehlo.abs", {b.make("stablehlo.imag", {x})}));
}

Value minus_product(OpBuilder& b, Value x, Value y, Value z) { return b.subtract(x, b.multiply(y, z)); }

std::vector<Value> factor_cholesky(OpBuilder& b, const OpView& op, Value operand) {
  const Type t = op.result_type();
  const int64_t n = t.dim(t.rank() - 1);
  const bool lower = op.attrs().boolean_or("lower", false), complex = is_complex(t.element_type());
  Scalars a(b, operand, n), out(b, operand, n);
  // l·lᴴ = a; of the upper triangle uᴴ·u the lower one is uᴴ.
  std::vector<std::vector<Value>> l(static_cast<size_t>(n), std::vector<Value>(static_cast<size_t>(n)));
  const auto at = [&](int64_t i, int64_t j) -> Value& { return l[static_cast<size_t>(i)][static_cast<size_t>(j)]; };
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Value rest = lower ? a(i, j) : conjugate(b, a(j, i));
      for (int64_t k = 0; k < j; ++k) rest = minus_product(b, rest, at(i, k), conjugate(b, at(j, k)));
      if (i > j) {
        at(i, j) = b.divide(rest, at(j, j));
        continue;
      }
      const Value pivot = complex ? b.make("stablehlo.real", {rest}) : rest;
      const Value root = b.make("stablehlo.sqrt", {pivot}), zero = b.zeros(b.type(pivot));
      const Value nan = b.splat(b.type(pivot), std::numeric_limits<double>::quiet_NaN());
      const Value d = b.select(b.compare(root, zero, "GT"), root, nan);
      at(j, j) = complex ? b.make("stablehlo.complex", {d, zero}) : d;
    }
  }
  const Value none = b.zeros(Type::scalar(t.element_type()));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const bool kept = lower ? j <= i : i <= j;
      out(i, j) = !kept ? none : lower ? at(i, j) : conjugate(b, at(j, i));
    }
  }
  return {out.joined(t)};
}

std::vector<Value> solve_triangle(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type t = op.result_type();
  const std::string mode = op.attrs().text_or("transpose_a", "NO_TRANSPOSE");
  const bool left = op.attrs().boolean_or("left_side", true), lower = op.attrs().boolean_or("lower", false),
             unit = op.attrs().boolean_or("unit_diagonal", false), transposed = mode != "NO_TRANSPOSE";
  const int64_t rows = t.dim(t.rank() - 2), columns = t.dim(t.rank() - 1), n = left ? rows : columns;
  Scalars a(b, operands[0], n), x(b, operands[1], columns);
  // x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ.
  const bool turned = transposed == left, downwards = (lower != transposed) == left;
  const auto coefficient = [&](int64_t i, int64_t j) {
    const Value v = turned ? a(j, i) : a(i, j);
    return mode == "ADJOINT" ? conjugate(b, v) : v;
  };
  const auto unknown = [&](int64_t i, int64_t k) -> Value& { return left ? x(i, k) : x(k, i); };
  for (int64_t k = 0; k < (left ? columns : rows); ++k) {
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = downwards ? step : n - 1 - step;
      Value rest = unknown(i, k);
      for (int64_t before = 0; before < step; ++before) {
        const int64_t j = downwards ? before : n - 1 - before;
        rest = minus_product(b, rest, coefficient(i, j), unknown(j, k));
      }
      unknown(i, k) = unit ? rest : b.divide(rest, coefficient(i, i));
    }
  }
  return {x.joined(t)};
}

/// Exchanges element `first` with that at `second`, a value, which is one of `first` and those after it.
template <class At>
void exchange(OpBuilder& b, At at, int64_t first, int64_t end, std::span<const Value> is_second) {
  const Value old = at(first);
  for (int64_t i = first + 1; i < end; ++i) {
    const Value here = is_second[static_cast<size_t>(i - first - 1)];
    at(first) = b.select(here, at(i), at(first));
    at(i) = b.select(here, old, at(i));
  }
}

/// For each place behind `first`: whether it is `second`.
std::vector<Value> is_at(OpBuilder& b, Value second, int64_t first, int64_t end) {
  std::vector<Value> out;
  for (int64_t i = first + 1; i < end; ++i)
    out.push_back(b.compare(second, b.scalar(kI32, static_cast<double>(i)), "EQ"));
  return out;
}

std::vector<Value> factor_lu(OpBuilder& b, const OpView& op, Value operand) {
  const Type t = op.result_type(0);
  const int64_t rows = t.dim(t.rank() - 2), columns = t.dim(t.rank() - 1), k = std::min(rows, columns);
  Scalars a(b, operand, columns);
  const Value zero = b.zeros(Type::scalar(t.element_type()));
  Elements pivots;
  Value info = b.scalar(kI32, 0);
  for (int64_t j = 0; j < k; ++j) {
    Value place = b.scalar(kI32, static_cast<double>(j)), largest = size_of(b, a(j, j));
    for (int64_t i = j + 1; i < rows; ++i) {
      const Value size = size_of(b, a(i, j)), is_larger = b.compare(size, largest, "GT");
      largest = b.select(is_larger, size, largest);
      place = b.select(is_larger, b.scalar(kI32, static_cast<double>(i)), place);
    }
    const std::vector<Value> is_place = is_at(b, place, j, rows);
    for (int64_t c = 0; c < columns; ++c) exchange(b, [&](int64_t i) -> Value& { return a(i, c); }, j, rows, is_place);
    pivots.push_back(b.add(place, b.scalar(kI32, 1)));
    const Value fails = b.compare(a(j, j), zero, "EQ");
    const Value is_first = b.logical_and(fails, b.compare(info, b.scalar(kI32, 0), "EQ"));
    info = b.select(is_first, b.scalar(kI32, static_cast<double>(j) + 1), info);
    for (int64_t i = j + 1; i < rows; ++i) {
      // Below a pivot of 0 all are 0, and stay. The choice after the division does not wait for the comparison.
      a(i, j) = b.select(fails, a(i, j), b.divide(a(i, j), a(j, j)));
      for (int64_t c = j + 1; c < columns; ++c) a(i, c) = minus_product(b, a(i, c), a(i, j), a(j, c));
    }
  }
  return {a.joined(t), joined_elements(b, pivots, op.result_type(1)), b.reshape(info, op.result_type(2).shape())};
}

std::vector<Value> permutation_of_pivots(OpBuilder& b, const OpView& op, Value pivots) {
  const Type t = op.result_type();
  const int64_t rows = t.num_elements(), count = b.type(pivots).num_elements();
  const Elements pivot = elements_of(b, pivots);
  Elements order;
  for (int64_t i = 0; i < rows; ++i) order.push_back(b.scalar(kI32, static_cast<double>(i)));
  for (int64_t i = 0; i < std::min(count, rows); ++i)
    exchange(
        b, [&](int64_t at) -> Value& { return order[static_cast<size_t>(at)]; }, i, rows,
        is_at(b, pivot[static_cast<size_t>(i)], i, rows));
  return {joined_elements(b, order, t)};
}

bool is_permutation_of_pivots(const OpView& op) {
  return op.def().mnemonic == "stablehlo.custom_call" && op.num_operands() == 1 && op.num_results() == 1 &&
         op.attrs().text_or("call_target_name", "") == "lu_pivots_to_permutation";
}

/// Of getrf, where the process has no handler of the name.
bool is_factorization(const OpView& op) {
  const lapack::Routine* routine = lapack::find_routine(op);
  if (routine == nullptr || !routine->target.ends_with("getrf_ffi") || registered_handler(routine->target))
    return false;
  lapack::expect_form(*routine, op);
  return true;
}

bool is_one_small_matrix(Type t) {
  if (!t.is_tensor() || !t.is_static() || t.is_quantized() || t.rank() < 2) return false;
  const ElementType e = t.element_type();
  if (e != kF32 && e != kF64 && !is_complex(e)) return false;
  const int64_t rows = t.dim(t.rank() - 2), columns = t.dim(t.rank() - 1);
  return rows > 0 && columns > 0 && rows <= kMostRowsOfSmall && columns <= kMostRowsOfSmall &&
         t.num_elements() == rows * columns;
}

}  // namespace

bool is_small_matrix_op(const OpView& op) {
  const std::string_view mnemonic = op.def().mnemonic;
  if (mnemonic == "stablehlo.cholesky") return is_one_small_matrix(op.operand_type(0));
  if (mnemonic == "stablehlo.triangular_solve") {
    const Type x = op.operand_type(1);
    return is_one_small_matrix(op.operand_type(0)) && x.is_static() && x.num_elements() > 0 &&
           x.num_elements() <= kMostSolvedOfSmall && x == op.result_type();
  }
  if (is_factorization(op)) return is_one_small_matrix(op.operand_type(0));
  if (!is_permutation_of_pivots(op)) return false;
  const Type pivots = op.operand_type(0), order = op.result_type();
  return pivots.is_static() && order.is_static() && pivots.element_type() == kI32 && order.element_type() == kI32 &&
         pivots.num_elements() > 0 && pivots.num_elements() <= kMostRowsOfSmall && order.num_elements() > 0 &&
         order.num_elements() <= kMostRowsOfSmall && pivots.rank() > 0 &&
         pivots.dim(pivots.rank() - 1) == pivots.num_elements() && order.dim(order.rank() - 1) == order.num_elements();
}

std::vector<Value> small_matrix_op(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  if (op.def().mnemonic == "stablehlo.cholesky") return factor_cholesky(b, op, operands[0]);
  if (op.def().mnemonic == "stablehlo.triangular_solve") return solve_triangle(b, op, operands);
  return is_permutation_of_pivots(op) ? permutation_of_pivots(b, op, operands[0]) : factor_lu(b, op, operands[0]);
}

}  // namespace weft::native
