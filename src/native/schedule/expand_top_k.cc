#include "native/schedule/expand_top_k.h"

#include <algorithm>

#include "ir/clone.h"
#include "native/lower/rewrite.h"
#include "ops/record.h"
#include "ops/reduction/sort_order.h"
#include "transform/inline.h"

namespace weft::native {
namespace {

bool is_approx_top_k(const OpView& op) {
  return op.def().mnemonic == "stablehlo.custom_call" && op.attrs().text("call_target_name") == "ApproxTopK" &&
         op.num_operands() > 0 && op.operand_type(0).is_tensor() && op.operand_type(0).is_static();
}

std::optional<std::vector<Value>> expand(const Module& module, OpBuilder& b, const OpView& op,
                                         std::span<const Value> operands) {
  const auto shape = op.operand_type(0).shape();
  const ApproxTopK call = approx_top_k(op, shape);
  const Function* named = module.find(call.comparator);
  if (named == nullptr || named->is_declaration() || !recursion_chain(module, *named).empty()) return std::nullopt;
  const std::unique_ptr<Function> comparator = inline_calls(module, *named);
  const RegionId less = b.make_region(comparator->arg_types(), [&](OpBuilder& inner, std::span<const Value> args) {
    ValueMap map(*comparator);
    for (size_t i = 0; i < args.size(); ++i) map.set(comparator->args()[i], args[i]);
    return clone_ops(*comparator, comparator->body(), b.function(), inner.region(), map);
  });
  const std::vector<Value> sorted =
      b.create("stablehlo.sort", operands.first(op.num_results()),
               Attrs{{"dimension", call.dimension}, {"is_stable", true}}, {}, std::span(&less, 1));
  const std::vector<int64_t> start(shape.size(), 0);
  std::vector<int64_t> limit(shape.begin(), shape.end());
  limit[static_cast<size_t>(call.dimension)] = call.k;
  std::vector<Value> out;
  for (size_t i = 0; i < sorted.size(); ++i) {
    out.push_back(b.slice(sorted[i], start, limit));
    if (!(b.type(out[i]) == op.result_type(i)))
      throw UserError("[stablehlo.custom_call] @ApproxTopK: result " + std::to_string(i) + ": got " +
                          op.result_type(i).str() + ", expected " + b.type(out[i]).str(),
                      op.loc());
  }
  return out;
}

bool has_approx_top_k(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (is_approx_top_k({f, OpId{i}})) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Function> expand_approx_top_k(const Module& module, std::unique_ptr<Function> f) {
  if (!has_approx_top_k(*f)) return f;
  return rewrite_ops(*f, [&](OpBuilder& b, const OpView& op, std::span<const Value> operands) {
    return is_approx_top_k(op) ? expand(module, b, op, operands) : std::nullopt;
  });
}

std::shared_ptr<Module> with_approx_top_k_expanded(const Module& module) {
  if (std::ranges::none_of(module.functions(), [](const auto& f) { return has_approx_top_k(*f); })) return nullptr;
  std::shared_ptr<Module> out = clone_module(module);
  for (const auto& f : module.functions()) {
    if (has_approx_top_k(*f)) out->replace(expand_approx_top_k(module, clone_function(*f, f->name())));
  }
  return out;
}

}  // namespace weft::native
