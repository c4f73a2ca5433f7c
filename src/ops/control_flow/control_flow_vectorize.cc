// Loops, branches and calls over lanes.
#include <algorithm>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_choice.h"
#include "ops/control_flow/lane_cost.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"

namespace weft {
namespace {

/// Operands with or without the lane axis, as wanted.
std::vector<Value> as_wanted(VectorizeContext& context, std::span<const LaneValue> values,
                             const std::vector<bool>& varies) {
  std::vector<Value> out;
  for (size_t i = 0; i < values.size(); ++i) out.push_back(varies[i] ? context.broadcast(values[i]) : values[i].value);
  return out;
}

std::vector<bool> flags_of(RegionVectorizer& regions, std::span<const Value> sources) {
  std::vector<bool> out;
  for (Value v : sources) out.push_back(regions.varies(v));
  return out;
}

/// Operands of a weft.lane_while under construction.
struct LaneOperands {
  VectorizeContext& context;
  std::vector<Value> values;
  Attr::Ints varies;
  std::vector<Type> inner;  // types without the new lane axis

  void add(const LaneValue& v, Type one_lane) {
    // A stack has a store for each lane, so it cannot be shared by them.
    const bool lanes = v.varies || one_lane.is_stack();
    values.push_back(lanes ? context.broadcast(v) : v.value);
    varies.push_back(lanes ? 1 : 0);
    inner.push_back(one_lane);
  }
  /// `loop` has attributes that mean something for a loop of any kind.
  std::vector<Value> emit(size_t num_carries, RegionId cond, RegionId body, const Attrs& loop = {}) {
    Attrs attrs = loop;
    attrs.set("lanes", Attr::Ints{context.lanes()});
    attrs.set("num_carries", static_cast<int64_t>(num_carries));
    attrs.set("varies", varies);
    const RegionId regions[] = {cond, body};
    return context.builder().create("weft.lane_while", values, std::move(attrs), {}, regions);
  }
};

/// Says how lanes go through what they leave or take apart.
void report(VectorizeContext& context, const OpView& op, const std::string& why, std::string choice, bool enters) {
  LaneChoice c{std::string(op.def().mnemonic), op.loc(), why, std::move(choice), {}, {}};
  for (RegionId r : op.regions()) {
    if (!enters || c.is_loop()) break;
    if (auto found = lane_obstacle(op.function, r, context.builder().module())) {
      c.obstacle = found->what;
      c.remedy = found->remedy;
    }
  }
  report_choice(context, c);
}

std::vector<LaneValue> divergent_while(VectorizeContext& context, const OpView& op,
                                       std::span<const LaneValue> operands) {
  RegionVectorizer& regions = context.regions();
  const Function& f = op.function;
  report(context, op, "its condition varies by lane " + made_by(f, f.operand(f.terminator(op.region(0)), 0)),
         "each lane leaves at its own trip and then costs nothing", /*enters=*/true);
  const std::vector<Value> captured = regions.captured(op.regions());
  LaneOperands all{context, {}, {}, {}};
  for (size_t i = 0; i < operands.size(); ++i) all.add(operands[i], op.operand_type(i));
  for (Value v : captured) all.add(regions.lookup(v), op.function.type(v));
  const size_t carries = operands.size();
  const auto closed = [&](size_t region) {
    return context.builder().make_region(all.inner, [&](OpBuilder& b, std::span<const Value> args) {
      return regions.copy_ops(b, op.region(region), args.first(carries), captured, args.subspan(carries));
    });
  };
  const RegionId cond = closed(0), body = closed(1);
  std::vector<LaneValue> out;
  for (Value v : all.emit(carries, cond, body, op.attrs())) out.push_back({v, true});
  return out;
}

// ---- divergent branches -----------------------------------------------------------------------------------------------------

/// True when op, run on a lane that did not choose its branch, can do no harm: it cannot fail, and neither it nor its
/// derivative can make NaN out of a zero cotangent. That leaves moves, comparisons, and arithmetic that is linear, exact
/// on infinities' signs aside: a product is out, because 0 · inf comes back through the gradient.
bool is_harmless(const OpView& op) {
  const OpRecord& r = record(op);
  if (r.effects != Effects::kPure || !op.regions().empty()) return false;
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor() || !t.is_static()) return false;
  }
  if (r.mnemonic == "stablehlo.constant" || r.mnemonic == "stablehlo.iota" ||
      r.mnemonic == "stablehlo.broadcast_in_dim" || r.mnemonic == "stablehlo.reshape" ||
      r.mnemonic == "stablehlo.transpose") {
    return true;
  }
  if (r.scalar.refused()) return false;
  if (!r.cost.refused() && (*r.cost.rule())(op).flops > 2 * static_cast<double>(op.result_type().num_elements()))
    return false;
  ScalarProgram program;
  std::vector<ElementType> types;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const ElementType t = op.operand_type(i).element_type();
    const bool is_half = t == ElementType::kF16 || t == ElementType::kBF16;
    types.push_back(is_half ? ElementType::kF32 : t);
  }
  const std::vector<SExpr> args = scalar_args(program, types);
  try {
    (*r.scalar.rule())(op, args);
  } catch (const Unsupported&) {  // no code for these types
    return false;
  }
  constexpr size_t kMaxNodes = 12;
  if (program.nodes().size() > kMaxNodes) return false;
  return std::ranges::all_of(program.nodes(), [&](const ScalarNode& node) {
    switch (node.op) {
      case ScalarOpcode::kMul:
      case ScalarOpcode::kDiv:
      case ScalarOpcode::kRem: return is_integer(node.type);
      case ScalarOpcode::kSqrt:
      case ScalarOpcode::kFma:
      case ScalarOpcode::kBitcast:
      case ScalarOpcode::kComplex: return false;
      default: return true;
    }
  });
}

/// The first op of the branches that lanes of other branches must not run; none: all are harmless.
std::optional<OpView> first_harmful(const OpView& op) {
  for (RegionId branch : op.regions()) {
    for (OpId inner : op.function.ops(branch)) {
      const OpView view{op.function, inner};
      if (!view.def().is_terminator && !is_harmless(view)) return view;
    }
  }
  return std::nullopt;
}

/// What branches cost that are run for all lanes, and what by the lanes that take them.
BranchCost cost_of_branches(VectorizeContext& context, const OpView& op) {
  RegionVectorizer& regions = context.regions();
  std::vector<LaneWork> branches;
  double results = 0;
  bool is_scalar = true;
  for (size_t i = 0; i < op.num_results(); ++i) {
    results += bytes_of(op.result_type(i));
    is_scalar = is_scalar && op.result_type(i).is_tensor() && op.result_type(i).rank() == 0;
  }
  for (RegionId branch : op.regions()) {
    for (OpId inner : op.function.ops(branch)) {
      for (Value v : op.function.results(inner)) is_scalar = is_scalar && op.function.type(v).rank() == 0;
    }
    const LaneCode code[] = {{op.function, branch, [&](Value v) { return regions.varies(v); }}};
    branches.push_back(lane_work(code, context.lanes(), context.builder().module()));
  }
  return branch_cost(context.lanes(), branches, results, is_scalar);
}

/// For each branch, the lanes that take it.
std::vector<Value> lane_choices(OpBuilder& b, const OpView& op, Value choice) {
  const size_t branches = op.regions().size();
  if (op.operand_type(0).element_type() == ElementType::kI1) return {choice, b.logical_not(choice)};
  const Type type = b.type(choice);
  std::vector<Value> out;
  Value earlier;
  for (size_t i = 0; i + 1 < branches; ++i) {
    out.push_back(b.compare(choice, b.splat(type, static_cast<double>(i)), "EQ"));
    earlier = earlier ? b.logical_or(earlier, out.back()) : out.back();
  }
  // The last branch takes every index that no other has, out of range included.
  out.push_back(earlier ? b.logical_not(earlier) : b.splat(type.with_element(ElementType::kI1), 1));
  return out;
}

std::vector<LaneValue> select_branches(VectorizeContext& context, const OpView& op, std::span<const Value> choices) {
  OpBuilder& b = context.builder();
  std::vector<Value> results;
  for (size_t i = op.regions().size(); i-- > 0;) {
    const std::vector<LaneValue> branch = context.regions().inline_region(op.region(i), {});
    for (size_t r = 0; r < branch.size(); ++r) {
      const Value v = context.broadcast(branch[r]);
      if (results.size() <= r) {
        results.push_back(v);
        continue;
      }
      const auto shape = b.type(v).shape();
      const int64_t lane_axis[] = {0};
      results[r] = b.select(b.broadcast_in_dim(choices[i], lane_axis, shape), v, results[r]);
    }
  }
  std::vector<LaneValue> out;
  for (Value v : results) out.push_back({v, true});
  return out;
}

/// Each branch in turn as a loop that the lanes which chose it enter once; the others keep what they have.
std::vector<LaneValue> loop_branches(VectorizeContext& context, const OpView& op, std::span<const Value> choices) {
  RegionVectorizer& regions = context.regions();
  OpBuilder& b = context.builder();
  const Type i1 = Type::scalar(ElementType::kI1);
  const size_t results = op.num_results();
  std::vector<LaneValue> current;
  for (size_t r = 0; r < results; ++r) {
    const Type t = op.result_type(r);
    if (t.is_token())
      throw Unsupported("[" + std::string(op.def().mnemonic) +
                            "] a branch that lanes choose apart returns a token: effects have no order between lanes",
                        op.loc());
    if (t.is_stack()) {
      current.push_back({b.make("weft.stack_new", {}, {}, with_lanes(t, context.lanes())), true});
    } else {
      current.push_back({b.zeros(t), false});
    }
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    const RegionId branch[] = {op.region(i)};
    const std::vector<Value> captured = regions.captured(branch);
    LaneOperands all{context, {}, {}, {}};
    all.add({choices[i], true}, i1);
    for (size_t r = 0; r < results; ++r) all.add(current[r], op.result_type(r));
    for (Value v : captured) all.add(regions.lookup(v), op.function.type(v));
    const RegionId cond =
        b.make_region(all.inner, [](OpBuilder&, std::span<const Value> args) { return std::vector<Value>{args[0]}; });
    const RegionId body = b.make_region(all.inner, [&](OpBuilder& inner, std::span<const Value> args) {
      std::vector<Value> out = {inner.scalar(ElementType::kI1, 0)};
      for (Value v : regions.copy_ops(inner, branch[0], {}, captured, args.subspan(1 + results))) out.push_back(v);
      return out;
    });
    const std::vector<Value> after = all.emit(1 + results, cond, body);
    for (size_t r = 0; r < results; ++r) current[r] = {after[1 + r], true};
  }
  return current;
}

}  // namespace

std::vector<LaneValue> vectorize_while(VectorizeContext& context, const OpView& op,
                                       std::span<const LaneValue> operands) {
  RegionVectorizer& regions = context.regions();
  const Function& f = op.function;
  if (regions.varies(f.operand(f.terminator(op.region(0)), 0))) return divergent_while(context, op, operands);
  const std::vector<bool> varies = flags_of(regions, f.args(op.region(1)));
  const RegionId both[] = {regions.vectorize_region(op.region(0), varies, {false}),
                           regions.vectorize_region(op.region(1), varies, varies)};
  const std::vector<Value> results =
      context.builder().create(op.def(), as_wanted(context, operands, varies), op.attrs(), {}, both);
  std::vector<LaneValue> out;
  for (size_t i = 0; i < results.size(); ++i) out.push_back({results[i], varies[i]});
  return out;
}

std::vector<LaneValue> vectorize_case(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  RegionVectorizer& regions = context.regions();
  if (operands[0].varies) {
    const std::vector<Value> choices = lane_choices(context.builder(), op, operands[0].value);
    const std::string why = "its branch varies by lane " + made_by(op.function, op.operand(0));
    const auto results = op.function.results(op.id);
    const bool is_tensors = std::ranges::all_of(results, [&](Value v) { return op.function.type(v).is_tensor(); });
    std::string apart = "each branch is run by the lanes that take it";
    if (const std::optional<OpView> harmful = first_harmful(op)) {
      apart += ": others may not run " + std::string(harmful->def().mnemonic) + at_place(harmful->loc());
    } else if (is_tensors) {
      const BranchCost cost = cost_of_branches(context, op);
      const std::string figures = ", " + cost.str(context.lanes());
      if (cost.is_select()) {
        report(context, op, why, "all branches are computed for every lane, and one selected" + figures, false);
        return select_branches(context, op, choices);
      }
      apart += figures;
    }
    report(context, op, why, apart, /*enters=*/true);
    return loop_branches(context, op, choices);
  }
  const std::vector<bool> varies = flags_of(regions, op.function.results(op.id));
  std::vector<RegionId> branches;
  for (RegionId r : op.regions()) branches.push_back(regions.vectorize_region(r, {}, varies));
  const Value index[] = {operands[0].value};
  const std::vector<Value> results = context.builder().create(op.def(), index, op.attrs(), {}, branches);
  std::vector<LaneValue> out;
  for (size_t i = 0; i < results.size(); ++i) out.push_back({results[i], varies[i]});
  return out;
}

std::vector<LaneValue> vectorize_call(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  std::vector<bool> varies;
  for (const LaneValue& v : operands) varies.push_back(v.varies);
  const RegionVectorizer::Callee callee = context.regions().vectorize_callee(*weft::callee(op), varies, op.loc());
  auto [def, attrs] = call_shape(op);
  attrs.set("callee", callee.name);
  const std::vector<Value> results =
      context.builder().create(def, as_wanted(context, operands, varies), attrs, callee.result_types);
  std::vector<LaneValue> out;
  for (size_t i = 0; i < results.size(); ++i) out.push_back({results[i], callee.result_varies[i]});
  return out;
}

std::vector<LaneValue> vectorize_lane_while(VectorizeContext& context, const OpView& op,
                                            std::span<const LaneValue> operands) {
  RegionVectorizer& regions = context.regions();
  OpBuilder& b = context.builder();
  Attr::Ints lanes = op.attrs().ints("lanes"), varies = op.attrs().ints("varies");
  const std::vector<int64_t> old_lanes = lanes;
  lanes.insert(lanes.begin(), context.lanes());
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (varies[i] != 0) {
      values.push_back(context.broadcast(operands[i]));
    } else if (!operands[i].varies) {
      values.push_back(operands[i].value);
    } else {
      // Varies in the new lanes only: the lanes that were there before share it.
      const Type inner = op.operand_type(i);
      std::vector<int64_t> dimensions = {0};
      for (int64_t d = 0; d < inner.rank(); ++d) dimensions.push_back(static_cast<int64_t>(lanes.size()) + d);
      values.push_back(b.broadcast_in_dim(operands[i].value, dimensions, with_lane_axes(inner, lanes).shape()));
      varies[i] = 1;
    }
  }
  Attrs attrs = op.attrs();
  attrs.set("lanes", lanes);
  attrs.set("varies", varies);
  const RegionId both[] = {regions.copy_region(op.region(0)), regions.copy_region(op.region(1))};
  std::vector<LaneValue> out;
  for (Value v : b.create(op.def(), values, attrs, {}, both)) out.push_back({v, true});
  return out;
}

}  // namespace weft
