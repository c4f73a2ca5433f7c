// Simplifications of loops and branches.
#include "ir/clone.h"
#include "ops/control_flow_rules.h"
#include "ops/families.h"

namespace weft {

std::vector<Value> simplify_case(SimplifyContext& context, const OpView& op) {
  const Literal* literal = context.constant(op.operand(0));
  if (literal == nullptr) return {};
  const int64_t count = static_cast<int64_t>(op.regions().size());
  int64_t taken;
  if (literal->type.element_type() == ElementType::kI1) {
    taken = literal->elements.scalar<bool>() ? 0 : 1;
  } else {
    const int64_t index = literal->elements.scalar<int32_t>();
    taken = index < 0 || index >= count ? count - 1 : index;
  }
  Function& f = context.builder().function();
  ValueMap map(f);
  return clone_ops(f, op.region(static_cast<size_t>(taken)), f, context.builder().region(), map);
}

std::vector<Value> simplify_while(SimplifyContext& context, const OpView& op) {
  Function& f = context.builder().function();
  const auto results = f.results(op.id);
  // A condition that is false from the start: the body never runs.
  const OpId stop = f.terminator(op.region(0));
  const Literal* cond = context.constant(f.operand(stop, 0));
  if (cond != nullptr && !cond->elements.scalar<bool>()) return {op.operands().begin(), op.operands().end()};

  // A carry that the body hands on unchanged is a captured value.
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  const std::vector<Value> cond_args(f.args(op.region(0)).begin(), f.args(op.region(0)).end());
  const std::vector<Value> body_args(f.args(op.region(1)).begin(), f.args(op.region(1)).end());
  const auto next = f.operands(f.terminator(op.region(1)));
  std::vector<bool> kept(operands.size(), true);
  size_t count = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    kept[i] = next[i] != body_args[i] || !f.type(body_args[i]).is_tensor();
    count += kept[i] ? 1 : 0;
  }
  if (count == operands.size()) return {};
  ValueMap map(f);
  std::vector<RegionId> regions;
  for (size_t r = 0; r < 2; ++r) {
    const RegionId region = f.new_region();
    const std::vector<Value>& args = r == 0 ? cond_args : body_args;
    for (size_t i = 0; i < args.size(); ++i) map.set(args[i], kept[i] ? f.add_arg(region, f.type(args[i])) : operands[i]);
    const std::vector<Value> yielded = clone_ops(f, op.region(r), f, region, map);
    std::vector<Value> values;
    for (size_t i = 0; i < yielded.size(); ++i) {
      if (r == 0 || kept[i]) values.push_back(yielded[i]);
    }
    OpBuilder inner(f, region, context.builder().module());
    inner.loc = op.loc();
    inner.yield(values);
    regions.push_back(region);
  }
  std::vector<Value> carries, out;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (kept[i]) carries.push_back(operands[i]);
  }
  const std::vector<Value> fewer = context.builder().create(op.def(), carries, op.attrs(), {}, regions);
  size_t at = 0;
  for (size_t i = 0; i < operands.size(); ++i) out.push_back(kept[i] ? fewer[at++] : operands[i]);
  return out;
}

}  // namespace weft
