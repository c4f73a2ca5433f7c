// Handlers of the custom calls that JAX exports for linear algebra: lapack_{s,d,c,z}NAME_ffi on the CPU, and the names of its
// portable lowering (LuDecomposition, Qr, Eigh, …). Operands and results are those of jaxlib's handlers; `info` is LAPACK's.
#include <algorithm>

#include "lapack/derivatives.h"
#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "lapack/routines.h"
#include "ops/control_flow/check_rules.h"

namespace weft::lapack {
namespace {

using Values = std::vector<EvalValue>;
using Operands = std::span<const EvalValue>;

Shape shape_of(Type t) { return {t.shape().begin(), t.shape().end()}; }

/// Tensors of the op's result types, all zero.
std::vector<Tensor> results_of(const OpView& op) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor() || !t.is_static())
      refuse(op, "type of result " + std::to_string(i) + ": got " + t.str() + ", expected a static tensor");
    out.push_back(Tensor::zeros(t.element_type(), shape_of(t)));
  }
  return out;
}

Values run(EvalContext&, const OpView& op, Operands x) {
  const Routine* routine = find_routine(op);
  if (routine == nullptr)
    refuse(op,
           "element type " + std::string(x.empty() ? "none" : name(x[0].tensor.element_type())) + " has no routine");
  expect_form(*routine, op);
  std::vector<Tensor> out = results_of(op);
  BatchCall call{op, {}, {}};
  // Operands are not written.
  for (const EvalValue& v : x)
    call.in.push_back({v.tensor.shape(), const_cast<void*>(static_cast<const void*>(v.tensor.raw()))});
  for (Tensor& t : out) call.out.push_back({t.shape(), t.raw()});
  call.last = routine->count(call.in);
  routine->run(call);
  return {out.begin(), out.end()};
}

// (pivots from 0) → permutation of as many rows as the result has
Values pivots_to_permutation(EvalContext&, const OpView& op, Operands x) {
  std::vector<Tensor> out = results_of(op);
  if (out.size() != 1 || out[0].element_type() != ElementType::kI32 || out[0].shape().empty() ||
      x[0].tensor.shape().empty())
    refuse(op, "expected one result of i32");
  const View given{x[0].tensor.shape(), const_cast<void*>(static_cast<const void*>(x[0].tensor.raw()))},
      order{out[0].shape(), out[0].raw()};
  const int64_t rows = out[0].shape().back(), count = rows == 0 ? 0 : out[0].size() / rows, k = given.shape.back();
  for (int64_t b = 0; b < count; ++b) {
    const int* const pivots = vector_at<int>(given, b);
    int* const to = vector_at<int>(order, b);
    for (int64_t i = 0; i < rows; ++i) to[i] = static_cast<int>(i);
    for (int64_t i = 0; i < std::min(k, rows); ++i) {
      if (pivots[i] < 0 || pivots[i] >= rows)
        throw UserError("[stablehlo.custom_call] pivot: got " + std::to_string(pivots[i]) + ", expected a row below " +
                            std::to_string(rows),
                        op.loc());
      std::swap(to[i], to[pivots[i]]);
    }
  }
  return {out.begin(), out.end()};
}

std::span<const CustomCall> handlers() {
  static const std::vector<CustomCall> table = [] {
    std::vector<CustomCall> out = {
        {"lu_pivots_to_permutation", pivots_to_permutation, nullptr, lanes_of_call, nullptr}};
    for (const Routine& r : all_routines()) {
      if (out.back().target != r.target) out.push_back({r.target, run, linearize_of(r.target), lanes_of_call});
    }
    for (CustomCall& call : out) call.portable = portable_of(call.target);
    return out;
  }();
  return table;
}

const RegisterCustomCalls kRegistered(handlers());

}  // namespace

int64_t Routine::count(std::span<const View> in) const { return MatrixShape(in[matrix].shape).count; }

const Routine* find_routine(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.custom_call" || op.num_operands() == 0 || !op.operand_type(0).is_tensor())
    return nullptr;
  const std::string target = op.attrs().text_or("call_target_name", "");
  const ElementType element = op.operand_type(0).element_type();
  const auto table = all_routines();
  const auto found =
      std::ranges::find_if(table, [&](const Routine& r) { return r.target == target && r.element == element; });
  return found == table.end() ? nullptr : &*found;
}

void expect_form(const Routine& r, const OpView& op) {
  const auto end_of_operands = std::ranges::find(r.shapes, nullptr);
  const auto operands = static_cast<size_t>(end_of_operands - r.shapes.begin());
  if (op.num_operands() != operands || op.num_results() != r.results.size())
    refuse(op, "got " + std::to_string(op.num_operands()) + " operands and " + std::to_string(op.num_results()) +
                   " results, expected " + std::to_string(operands) + " and " + std::to_string(r.results.size()));
  const auto shape_at = [&](Type t) {
    if (!t.is_tensor() || !t.is_static()) refuse(op, "got " + t.str() + ", expected a static tensor");
    return shape_of(t);
  };
  const Shape whole = shape_at(op.operand_type(r.matrix));
  const MatrixShape matrix(whole);
  const int64_t m = matrix.rows, n = matrix.columns, k = std::min(m, n);
  const char mode = letter(op, "mode", 'A');
  const auto extent = [&](char c) {
    return c == 'm'   ? m
           : c == 'n' ? n
           : c == 's' ? (letter(op, "side", 'L') == 'L' ? m : n)
           : c == 'u' ? (mode == 'A' ? m : k)
           : c == 'v' ? (mode == 'A' ? n : k)
                      : k;
  };
  const auto expect = [&](Type t, ElementType element, const std::string& letters, const std::string& which) {
    Shape want(whole.begin(), whole.end() - 2);
    for (const char c : letters) want.push_back(extent(c));
    Shape got = shape_at(t);
    if (letters == "t" && got.size() == want.size() && got.back() < k) got.back() = k;
    const bool is_of_mode = letters.find_first_of("uv") != std::string::npos && mode == 'N';
    if (t.element_type() != element || (got != want && !is_of_mode))
      refuse(op, "type of " + which + ": got " + t.str() + ", expected " + Type::tensor(element, want).str());
  };
  for (size_t i = 0; i < operands; ++i)
    expect(op.operand_type(i), r.element, r.shapes[i], "operand " + std::to_string(i));
  for (size_t i = 0; i < r.results.size(); ++i)
    expect(op.result_type(i), r.results[i], r.shapes[operands + 1 + i], "result " + std::to_string(i));
}

}  // namespace weft::lapack
