#include "native/lower/lower.h"

#include <string_view>
#include <unordered_map>

#include "ir/clone.h"
#include "lapack/plain_ops.h"
#include "native/kernels/linear_algebra.h"
#include "native/lower/bits.h"
#include "native/lower/linear_algebra.h"
#include "native/lower/rewrite.h"
#include "native/lower/small_matrices.h"
#include "ops/contraction/ragged_dot_in_ops.h"
#include "ops/elementwise/map.h"
#include "ops/random/random_in_ops.h"
#include "ops/record.h"

namespace weft::native {
namespace {

using Lowered = std::optional<std::vector<Value>>;
using LowerFn = Lowered(OpBuilder&, const OpView&, std::span<const Value>);
using Table = std::unordered_map<std::string_view, LowerFn*>;

/// The op may run where it is started (specification: async_start), and does.
Lowered lower_async_start(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const RegionId body = op.region(0);
  ValueMap map(op.function);
  for (size_t i = 0; i < operands.size(); ++i) map.set(op.function.args(body)[i], operands[i]);
  return clone_ops(op.function, body, b.function(), b.region(), map);
}

Lowered pass_operands(OpBuilder&, const OpView&, std::span<const Value> operands) {
  return std::vector<Value>(operands.begin(), operands.end());
}

/// The element of a tuple that is made in sight.
Lowered lower_get_tuple_element(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const OpId maker = b.function().defining_op(operands[0]);
  if (!maker || b.function().def(maker).mnemonic != "stablehlo.tuple") return std::nullopt;
  return std::vector<Value>{b.function().operand(maker, static_cast<size_t>(op.attrs().integer("index")))};
}

/// Tuples are no values of kernels; what took them apart has left them without a use.
std::unique_ptr<Function> without_unused_tuples(std::unique_ptr<Function> f) {
  for (;;) {
    std::vector<bool> is_used(f->num_values());
    for (uint32_t i = 0; i < f->num_ops(); ++i) {
      for (Value v : f->operands(OpId{i})) is_used[v.index] = true;
    }
    const auto is_unused = [&](OpId op) {
      return f->def(op).mnemonic == "stablehlo.tuple" && !is_used[f->result(op).index];
    };
    bool any = false;
    for (uint32_t i = 0; i < f->num_ops() && !any; ++i) any = is_unused(OpId{i});
    if (!any) return f;
    f = rewrite_ops(*f, [&](OpBuilder&, const OpView& op, std::span<const Value>) {
      return is_unused(op.id) ? std::optional(std::vector<Value>(1)) : std::nullopt;
    });
  }
}

/// With what `rule_of` has for an op, called in its place; the function itself where it has nothing.
template <class RuleOf, class Call>
std::unique_ptr<Function> rewrite_where(std::unique_ptr<Function> f, RuleOf&& rule_of, Call&& call) {
  bool any = false;
  for (uint32_t i = 0; i < f->num_ops() && !any; ++i) any = rule_of(OpView{*f, OpId{i}}) != nullptr;
  if (!any) return f;
  return rewrite_ops(*f, [&](OpBuilder& b, const OpView& op, std::span<const Value> operands) -> Lowered {
    const auto rule = rule_of(op);
    return rule == nullptr ? std::nullopt : call(rule, b, op, operands);
  });
}

std::unique_ptr<Function> apply(std::unique_ptr<Function> f, const Table& table) {
  const auto rule_of = [&](const OpView& op) -> LowerFn* {
    const auto found = table.find(op.def().mnemonic);
    return found == table.end() ? nullptr : found->second;
  };
  return rewrite_where(std::move(f), rule_of,
                       [](LowerFn* rule, OpBuilder& b, const OpView& op, std::span<const Value> operands) {
                         return rule(b, op, operands);
                       });
}

}  // namespace

std::unique_ptr<Function> lower(std::unique_ptr<Function> f) {
  static const Table kTable = {
      {"stablehlo.async_start", lower_async_start},
      {"stablehlo.async_done", pass_operands},
      {"sdy.sharding_constraint", pass_operands},
      {"stablehlo.rng", rng_in_ops},
      {"stablehlo.rng_bit_generator", rng_bit_generator_in_ops},
      {"stablehlo.bitcast_convert", lower_bitcast_convert},
      {"chlo.ragged_dot", ragged_dot_in_ops},
      {"stablehlo.map", map_in_ops},
      {"stablehlo.custom_call", lapack::as_plain_ops},
  };
  return apply(std::move(f), kTable);
}

std::unique_ptr<Function> lower_small_matrices(std::unique_ptr<Function> f) {
  const auto rule_of = [](const OpView& op) { return is_small_matrix_op(op) ? small_matrix_op : nullptr; };
  return rewrite_where(std::move(f), rule_of,
                       [](auto rule, OpBuilder& b, const OpView& op, std::span<const Value> operands) {
                         return Lowered(rule(b, op, operands));
                       });
}

std::unique_ptr<Function> lower_matrix_ops(std::unique_ptr<Function> f, bool has_libraries,
                                           const IsOpenExtent& is_open) {
  const auto rule_of = [&](const OpView& op) -> decltype(&lower_cholesky) {
    std::string ignored;
    if (has_libraries && is_library_matrix_op(op, ignored)) return nullptr;
    if (op.def().mnemonic == "stablehlo.cholesky") return lower_cholesky;
    return op.def().mnemonic == "stablehlo.triangular_solve" ? lower_triangular_solve : nullptr;
  };
  return rewrite_where(std::move(f), rule_of,
                       [&](auto rule, OpBuilder& b, const OpView& op, std::span<const Value> operands) {
                         return rule(b, op, operands, is_open);
                       });
}

bool has_barriers(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (f.def(OpId{i}).mnemonic == "stablehlo.optimization_barrier") return true;
  }
  return false;
}

std::unique_ptr<Function> lower_barriers(std::unique_ptr<Function> f) {
  static const Table kTable = {
      {"stablehlo.optimization_barrier", pass_operands},
      {"stablehlo.get_tuple_element", lower_get_tuple_element},
  };
  return without_unused_tuples(apply(std::move(f), kTable));
}

}  // namespace weft::native
