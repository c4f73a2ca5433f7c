// Simplifications of loops and branches.
#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
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

namespace {

/// Which carries the body changes; the others could as well be captured. Stacks count as changed.
std::vector<bool> changed_carries(const OpView& op, size_t carries) {
  const Function& f = op.function;
  const auto args = f.args(op.region(1)), next = f.operands(f.terminator(op.region(1)));
  std::vector<bool> changed;
  for (size_t i = 0; i < carries; ++i) changed.push_back(next[i] != args[i] || !f.type(args[i]).is_tensor());
  return changed;
}

/// A copy of a loop's region r. `order` lists which arguments it has and in what order; the body returns those results that `returned` marks.
RegionId reordered_region(OpBuilder& b, const OpView& op, size_t r, const std::vector<size_t>& order, ValueMap& map,
                          const std::vector<bool>& returned) {
  Function& f = b.function();
  const RegionId region = f.new_region();
  const std::vector<Value> args(f.args(op.region(r)).begin(), f.args(op.region(r)).end());
  for (size_t i : order) map.set(args[i], f.add_arg(region, f.type(args[i])));
  const std::vector<Value> yielded = clone_ops(f, op.region(r), f, region, map);
  std::vector<Value> values;
  for (size_t i = 0; i < yielded.size(); ++i) {
    if (r == 0 || returned[i]) values.push_back(yielded[i]);
  }
  OpBuilder inner(f, region, b.module());
  inner.loc = op.loc();
  inner.yield(values);
  return region;
}

}  // namespace

std::vector<Value> simplify_while(SimplifyContext& context, const OpView& op) {
  const Function& f = op.function;
  std::vector<Value> operands(op.operands().begin(), op.operands().end());
  // A condition that is false from the start: the body never runs.
  const Literal* cond = context.constant(f.operand(f.terminator(op.region(0)), 0));
  if (cond != nullptr && !cond->elements.scalar<bool>()) return operands;

  const std::vector<bool> kept = changed_carries(op, operands.size());
  std::vector<size_t> order;
  std::vector<Value> carries;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    order.push_back(i);
    carries.push_back(operands[i]);
  }
  if (carries.size() == operands.size()) return {};
  ValueMap map(f);
  std::vector<RegionId> regions;
  for (size_t r = 0; r < 2; ++r) {
    for (size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) map.set(f.args(op.region(r))[i], operands[i]);
    }
    regions.push_back(reordered_region(context.builder(), op, r, order, map, kept));
  }
  const std::vector<Value> fewer = context.builder().create(op.def(), carries, op.attrs(), {}, regions);
  std::vector<Value> out;
  size_t at = 0;
  for (size_t i = 0; i < operands.size(); ++i) out.push_back(kept[i] ? fewer[at++] : operands[i]);
  return out;
}

std::vector<Value> simplify_lane_while(SimplifyContext& context, const OpView& op) {
  const size_t carries = op.num_results();
  const std::vector<bool> kept = changed_carries(op, carries);
  std::vector<size_t> order;
  for (size_t i = 0; i < carries; ++i) {
    if (kept[i]) order.push_back(i);
  }
  const size_t fewer_carries = order.size();
  if (fewer_carries == carries) return {};
  // What never changes is an extra.
  for (size_t i = 0; i < carries; ++i) {
    if (!kept[i]) order.push_back(i);
  }
  for (size_t i = carries; i < op.num_operands(); ++i) order.push_back(i);
  OpBuilder& b = context.builder();
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  const Attr::Ints varies = op.attrs().ints("varies"), lanes = op.attrs().ints("lanes");
  std::vector<Value> reordered;
  Attr::Ints reordered_varies;
  for (size_t i : order) {
    reordered.push_back(operands[i]);
    reordered_varies.push_back(varies[i]);
  }
  ValueMap map(op.function);
  const RegionId cond = reordered_region(b, op, 0, order, map, kept);
  const RegionId regions[] = {cond, reordered_region(b, op, 1, order, map, kept)};
  const std::vector<Value> fewer =
      b.create(op.def(), reordered,
               {{"lanes", lanes}, {"num_carries", static_cast<int64_t>(fewer_carries)}, {"varies", reordered_varies}},
               {}, regions);
  std::vector<Value> out;
  size_t at = 0;
  for (size_t i = 0; i < carries; ++i) {
    if (kept[i]) {
      out.push_back(fewer[at++]);
    } else if (varies[i] != 0) {
      out.push_back(operands[i]);
    } else {
      const Type one = b.type(operands[i]);
      std::vector<int64_t> dimensions;
      for (int64_t d = 0; d < one.rank(); ++d) dimensions.push_back(static_cast<int64_t>(lanes.size()) + d);
      out.push_back(b.broadcast_in_dim(operands[i], dimensions, with_lane_axes(one, lanes).shape()));
    }
  }
  return out;
}

}  // namespace weft
