#include "ops/foreign/lane_by_lane.h"

#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_choice.h"
#include "ops/control_flow/lane_ops.h"

namespace weft {
namespace {

/// Lane `lane` of a value over lanes, without its lane axis.
Value part_of_lane(OpBuilder& b, Value over_lanes, Type one, int64_t lane) {
  const Type t = b.type(over_lanes);
  if (!one.is_static())
    throw Unsupported("lanes one by one: got " + one.str() + ", expected a static type (refine the shapes first)",
                      b.loc);
  std::vector<int64_t> start(static_cast<size_t>(t.rank()), 0), limit(t.shape().begin(), t.shape().end());
  start[0] = lane;
  limit[0] = lane + 1;
  return b.reshape(b.slice(over_lanes, start, limit), one.shape());
}

Value joined(OpBuilder& b, std::span<const Value> lanes, Type one) {
  const Type all = with_lanes(one, static_cast<int64_t>(lanes.size()));
  if (lanes.empty()) return b.zeros(all);
  std::vector<int64_t> shape(all.shape().begin(), all.shape().end());
  shape[0] = 1;
  std::vector<Value> parts;
  for (Value v : lanes) parts.push_back(b.reshape(v, shape));
  return b.concatenate(parts, 0);
}

}  // namespace

std::vector<LaneValue> vectorize_lane_by_lane(VectorizeContext& context, const OpView& op,
                                              std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const int64_t lanes = context.lanes();
  if (lanes < 0) {
    throw Unsupported(
        "[" + std::string(op.def().mnemonic) + "] lanes: it runs once for each of them, so their number must be known",
        op.loc());
  }
  report_choice(context, {std::string(op.def().mnemonic), op.loc(), "it reaches outside the program",
                          "once for each lane, in order", "its effect", "hand out the values of all lanes at once"});
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
  std::vector<std::vector<Value>> results(types.size());
  Value token;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<Value> given;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_token = op.operand_type(i).is_token();
      given.push_back(is_token && token                 ? token
                      : operands[i].varies && !is_token ? part_of_lane(b, operands[i].value, op.operand_type(i), lane)
                                                        : operands[i].value);
    }
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) regions.push_back(context.regions().copy_region(r));
    Attrs attrs = op.attrs();
    if (attrs.has(kNumbered)) {
      attrs.erase(kNumbered);
    } else if (op.def().mnemonic == "interpreter.print" && op.num_operands() > 1) {
      given.insert(given.begin() + 1, b.scalar(ElementType::kI64, static_cast<double>(lane)));
    } else if (op.def().mnemonic == "interpreter.print") {
      Attr::Ints numbers = {lane};
      if (attrs.has("lane")) numbers.insert(numbers.end(), attrs.ints("lane").begin(), attrs.ints("lane").end());
      attrs.set("lane", std::move(numbers));
    }
    const std::vector<Value> out = b.create(op.def(), given, attrs, types, regions);
    for (size_t i = 0; i < out.size(); ++i) {
      results[i].push_back(out[i]);
      if (types[i].is_token()) token = out[i];
    }
  }
  std::vector<LaneValue> out;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!types[i].is_token()) {
      out.push_back({joined(b, results[i], types[i]), true});
    } else {
      out.push_back({token ? token : b.make("stablehlo.create_token", {}), false});
    }
  }
  return out;
}

std::vector<bool> uniformity_drawn(UniformityContext&, const OpView& op, const std::vector<bool>&) {
  std::vector<bool> out;
  for (size_t i = 0; i < op.num_results(); ++i) out.push_back(!op.result_type(i).is_token());
  return out;
}

std::vector<bool> uniformity_none(UniformityContext&, const OpView& op, const std::vector<bool>&) {
  return std::vector<bool>(op.num_results(), false);
}

std::vector<LaneValue> vectorize_once(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(v.value);
  std::vector<LaneValue> out;
  for (Value v : emit_like(context.builder(), op, values)) out.push_back({v, false});
  return out;
}

}  // namespace weft
