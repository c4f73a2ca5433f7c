// Which ops have a form on elements, and what it costs.
#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "native/codegen/kernel.h"
#include "native/lower/small_tensor_parts.h"
#include "native/lower/small_tensors.h"
#include "native/schedule/fusion_rules.h"
#include "ops/record.h"
#include "transform/counted_loop.h"

namespace weft::native {

using enum ElementType;

bool is_small_tensor(Type t) {
  if (!t.is_tensor() || !t.is_static() || t.is_quantized() || t.rank() == 0) return false;
  constexpr ElementType kTypes[] = {kI1, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF32, kF64, kC64, kC128};
  if (std::ranges::find(kTypes, t.element_type()) == std::end(kTypes)) return false;
  return t.num_elements() > 0 && t.num_elements() <= kMostElementsOfSmall;
}

bool is_small_or_scalar(Type t) { return t.is_tensor() && (t.is_scalar() || is_small_tensor(t)); }

bool is_elementwise(const OpView& op) {
  if (op.num_results() != 1 || op.num_operands() == 0 || !op.regions().empty() || record(op).scalar.refused())
    return false;
  const bool takes_scalars = is(op, "stablehlo.select") || is(op, "stablehlo.clamp");
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type x = op.operand_type(i);
    if (!x.is_tensor()) return false;
    if (!(takes_scalars && x.is_scalar()) && !std::ranges::equal(x.shape(), op.result_type().shape())) return false;
  }
  return codegen::has_scalar_code(op);
}

bool moves_elements(const OpView& op) {
  for (const std::string_view name : {"stablehlo.slice", "stablehlo.broadcast_in_dim", "stablehlo.transpose",
                                      "stablehlo.reverse", "stablehlo.concatenate", "stablehlo.reshape"}) {
    if (is(op, name)) return true;
  }
  return false;
}

bool has_plain_body(const OpView& op) {
  return std::ranges::all_of(op.function.ops(op.region(0)), [&](OpId id) {
    const OpView inner{op.function, id};
    if (inner.def().is_terminator) return true;
    return std::ranges::all_of(inner.operands(), [&](Value v) { return op.function.region(v) == op.region(0); }) &&
           (is(inner, "stablehlo.constant") || is_elementwise(inner));
  });
}

std::optional<int64_t> gathered_dimension(const OpView& op) {
  const Attrs& a = op.attrs();
  const Type from = op.operand_type(0), indices = op.operand_type(1);
  const Ints map = a.ints_or("start_index_map", 0, 0), collapsed = a.ints_or("collapsed_slice_dims", 0, 0);
  if (map.size() != 1 || map != collapsed || !a.ints_or("operand_batching_dims", 0, 0).empty()) return std::nullopt;
  const Ints& sizes = a.ints("slice_sizes");
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (sizes[static_cast<size_t>(d)] != (d == map[0] ? 1 : from.dim(d))) return std::nullopt;
  }
  const int64_t along = a.integer_or("index_vector_dim", 0);
  if (along < indices.rank() && indices.dim(along) != 1) return std::nullopt;
  return map[0];
}

namespace {

int64_t extent_of(const Ints& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

SmallProduct::SmallProduct(const OpView& op) {
  const Attrs& a = op.attrs();
  dims = {a.ints_or("lhs_batching_dimensions", 0, 0), a.ints_or("rhs_batching_dimensions", 0, 0),
          a.ints_or("lhs_contracting_dimensions", 0, 0), a.ints_or("rhs_contracting_dimensions", 0, 0)};
  const auto copy = [](Type t) { return Ints(t.shape().begin(), t.shape().end()); };
  lhs_shape = copy(op.operand_type(0));
  rhs_shape = copy(op.operand_type(1));
  shape = copy(op.result_type());
  for (const int64_t d : dims.lhs_contracting) contracted.push_back(lhs_shape[static_cast<size_t>(d)]);
  const auto free = [](size_t rank, const Ints& batching, const Ints& contracting) {
    Ints out;
    for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        out.push_back(d);
    }
    return out;
  };
  lhs_free = free(lhs_shape.size(), dims.lhs_batching, dims.lhs_contracting);
  rhs_free = free(rhs_shape.size(), dims.rhs_batching, dims.rhs_contracting);
}

int64_t SmallProduct::terms_of_each() const { return extent_of(contracted); }
int64_t SmallProduct::terms() const { return extent_of(contracted) * extent_of(shape); }

namespace {

/// A tensor that stays one.
bool is_large(Type t) { return t.is_tensor() && t.is_static() && !t.is_quantized() && !is_small_or_scalar(t); }

/// Whether starts of a part of a small tensor are constants, or the part one element wide where they are not.
bool has_narrow_starts(const OpView& op, Type whole, Type part, size_t first) {
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const Value start = op.operand(first + static_cast<size_t>(d));
    if (part.dim(d) != 1 && part.dim(d) != whole.dim(d) && !integer_constant(op.function, start)) return false;
  }
  return true;
}

// Nanoseconds: of a scalar op beside others; of a product's kernel; of a reduction or gather, which stands between kernels; of an op that
// runs in vectors in a kernel that others need as well.
constexpr double kOp = 0.12, kKernel = 6, kBarrier = 15, kFused = 0.5;

CostOfElements cost(int64_t ops, double in_kernels) { return {ops, kOp * static_cast<double>(ops), in_kernels}; }

constexpr int64_t kMostChoices = 9;  // elements among which a computed index chooses in a loop of many turns

std::optional<CostOfElements> cost_of_part(const OpView& op, InnerLoops around) {
  const bool reads = is(op, "stablehlo.dynamic_slice");
  const Type whole = op.operand_type(0), part = reads ? op.result_type() : op.operand_type(1);
  if (!is_small_tensor(part)) return std::nullopt;
  if (is_large(whole)) return cost(2 * part.num_elements(), part.num_elements() == 1 ? 0 : kKernel);
  if (!is_small_tensor(whole) || !has_narrow_starts(op, whole, part, reads ? 1 : 2)) return std::nullopt;
  if (!around.are_written_out && !around.are_short && whole.num_elements() > kMostChoices) return std::nullopt;
  return cost(around.are_written_out ? part.num_elements() : 2 * whole.num_elements(),
              part.num_elements() == 1 ? 0 : kFused);
}

}  // namespace

std::optional<CostOfElements> cost_of_elements(const OpView& op, InnerLoops around) {
  bool has_tensors = false, has_others = false;
  const auto see = [&](Type t) {
    has_tensors = has_tensors || !t.is_tensor() || !t.is_scalar();
    has_others = has_others || !is_small_or_scalar(t);
  };
  for (const Value v : op.operands()) see(op.function.type(v));
  for (size_t i = 0; i < op.num_results(); ++i) see(op.result_type(i));
  if (!op.regions().empty() && !is(op, "stablehlo.reduce")) return std::nullopt;
  if (!has_tensors) return op.regions().empty() ? std::optional(CostOfElements{1, 0, 0}) : std::nullopt;
  if (is(op, "stablehlo.dynamic_slice") || is(op, "stablehlo.dynamic_update_slice")) return cost_of_part(op, around);
  if (is(op, "stablehlo.constant")) {
    if (!is_large(op.result_type()) && has_others) return std::nullopt;
    return CostOfElements{};
  }
  if (is(op, "stablehlo.slice") && is_large(op.operand_type(0)) && is_small_tensor(op.result_type()))
    return cost(op.result_type().num_elements(), 0);
  if (is(op, "stablehlo.reshape") && is_large(op.operand_type(0)) && is_large(op.result_type()))
    return CostOfElements{};
  if (has_others) return std::nullopt;
  if (is(op, "weft.check")) {
    for (size_t i = 1; i < op.num_operands(); ++i) {
      if (!op.operand_type(i).is_scalar()) return std::nullopt;
    }
    return cost(op.operand_type(0).num_elements(), kFused);
  }
  if (is(op, "stablehlo.iota")) return CostOfElements{};
  if (moves_elements(op)) {
    const bool is_kernel =
        is(op, "stablehlo.concatenate") || is(op, "stablehlo.transpose") || is(op, "stablehlo.reverse");
    return CostOfElements{0, 0, is_kernel ? kKernel : 0};
  }
  if (is(op, "stablehlo.gather")) {
    if (!gathered_dimension(op)) return std::nullopt;
    return cost(op.result_type().num_elements() * op.operand_type(0).num_elements(), kBarrier);
  }
  if (is(op, "stablehlo.dot_general")) {
    const ElementType e = op.result_type().element_type();
    const int64_t terms = SmallProduct(op).terms();
    if (op.operand_type(0).element_type() != e || op.operand_type(1).element_type() != e || is_boolean(e) ||
        terms > kMostTermsOfSmall || op.attrs().has("algorithm"))
      return std::nullopt;
    return cost(2 * terms, kKernel);
  }
  if (is(op, "stablehlo.reduce")) {
    if (!has_plain_body(op)) return std::nullopt;
    return cost(op.operand_type(0).num_elements() * static_cast<int64_t>(op.function.ops(op.region(0)).size() - 1),
                kBarrier);
  }
  if (!is_elementwise(op)) return std::nullopt;
  CostOfElements out = cost(op.result_type().num_elements(), kFused);
  out.nanoseconds *= std::max(1.0, elementwise_flops(op).value_or(1));
  return out;
}

}  // namespace weft::native
