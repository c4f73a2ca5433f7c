// What a lane can ask of the lanes around it. `vectorize` of the level that an op names takes it away.
#include <cstring>

#include "base/format.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_group.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/reduction/reduction_rules.h"

namespace weft {

LaneUse lane_use(const OpDef& def) {
  const std::string_view name = def.mnemonic;
  if (!name.starts_with("weft.lane")) return LaneUse::kNone;
  if (name == "weft.lane_index" || name == "weft.lane_count") return LaneUse::kNumber;
  if (name == "weft.lanes_reduce" || name == "weft.lanes_concat") return LaneUse::kAll;
  return LaneUse::kNone;
}

bool is_of_level(const OpView& op, std::string_view level) {
  const std::string& named = op.attrs().text_or("level", "");
  return named.empty() || named == level;
}

bool reaches_through(const OpView& op, std::string_view level, bool& named_only) {
  if (is_plain_call(op)) return true;
  named_only = true;
  return !level.empty() && op.attrs().text_or("level", "") != level;
}

namespace {

constexpr const char* kLevel = "level";

/// Attributes of an op of the same level.
Attrs level_of(const OpView& op) {
  Attrs out;
  if (const Attr* level = op.attrs().find(kLevel)) out.set(kLevel, *level);
  return out;
}

// ---- types ----------------------------------------------------------------------------------------------------------

std::vector<Type> type_number(const TypeContext& c) {
  c.expect_operands(0);
  const Type t = c.declared.empty() ? Type::scalar(ElementType::kI64) : c.declared[0];
  if (!t.is_tensor() || !t.is_scalar() || !is_integer(t.element_type()))
    c.fail("", "type of the result: got " + t.str() + ", expected a rank-0 tensor of integer type");
  return {t};
}

std::vector<Type> type_reduce(const TypeContext& c) {
  const ReductionInputs in = check_reduction_inputs(c, "", "", "", {});
  if (c.regions.size() != 1) c.fail("", "number of bodies: got " + std::to_string(c.regions.size()) + ", expected 1");
  const std::vector<ElementType> elements = check_body(c, c.regions[0], "", in.inputs);
  std::vector<Type> out;
  for (size_t i = 0; i < elements.size(); ++i) out.push_back(in.inputs[i].with_element(elements[i]));
  return out;
}

std::vector<Type> type_concat(const TypeContext& c) {
  c.expect_operands(1);
  expect_class(c, 0, kAnyClass);
  const Type declared = c.declared_result(), x = c.operands[0];
  const int64_t lanes = declared.is_tensor() && declared.rank() > 0 ? declared.dim(0) : kDynamic;
  const Type expected = with_lanes(x, lanes);
  if (!is_compatible(declared, expected))
    c.fail("", "type of the result: got " + declared.str() + ", expected a number of lanes in front of " + x.str());
  return {merge_types(declared, expected)};
}

// ---- evaluation -----------------------------------------------------------------------------------------------------

/// The lane that the op stands in.
LaneRun& run_of(const OpView& op) {
  if (LaneRun* run = LaneRun::of(op)) return *run;
  const std::string& level = op.attrs().text_or(kLevel, "");
  throw UserError("[" + std::string(op.def().mnemonic) + "] there are no lanes" +
                      (level.empty() ? "" : " of level \"" + level + "\"") +
                      " around it here: vectorize the function that it stands in",
                  op.loc());
}

std::vector<EvalValue> eval_number(EvalContext& context, const OpView& op, std::span<const EvalValue>) {
  const LaneRun& run = run_of(op);
  const int64_t n = op.def().mnemonic == "weft.lane_count" ? run.group().lanes : run.lane();
  return {EvalValue(convert_tensor(context, Tensor::scalar_of<int64_t>(n), op.result_type().element_type()))};
}

/// Lane by lane and element by element, in order.
std::vector<EvalValue> fold_lanes(EvalContext& context, const OpView& op,
                                  std::span<const std::optional<std::vector<EvalValue>>> lanes) {
  const size_t n = op.num_results();
  std::vector<ElementType> elements;
  for (size_t i = 0; i < n; ++i) elements.push_back(op.result_type(i).element_type());
  BodyRunner body(context, op.function, op.region(0), elements);
  const Shape shape = (*lanes[0])[0].tensor.shape();
  std::vector<Tensor> sums;
  for (size_t i = 0; i < n; ++i) {
    const Tensor start = convert_tensor(context, (*lanes[0])[n + i].tensor, elements[i]);
    sums.emplace_back(elements[i], shape);
    for (int64_t e = 0; e < sums[i].size(); ++e)
      std::memcpy(static_cast<std::byte*>(sums[i].raw()) + static_cast<size_t>(e) * byte_size(elements[i]), start.raw(),
                  byte_size(elements[i]));
  }
  for (const auto& lane : lanes) {
    std::vector<Tensor> values;
    for (size_t i = 0; i < n; ++i) values.push_back(convert_tensor(context, (*lane)[i].tensor, elements[i]));
    for (int64_t e = 0; e < sums[0].size(); ++e) {
      std::vector<std::byte*> to;
      std::vector<const std::byte*> from;
      for (size_t i = 0; i < n; ++i) {
        const size_t at = static_cast<size_t>(e) * byte_size(elements[i]);
        to.push_back(static_cast<std::byte*>(sums[i].raw()) + at);
        from.push_back(static_cast<const std::byte*>(values[i].raw()) + at);
      }
      body.run(to, from);
    }
  }
  return {sums.begin(), sums.end()};
}

std::vector<EvalValue> eval_all(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  LaneRun& run = run_of(op);
  LaneGroup& group = run.group();
  const std::string place = run.next_place();
  if (const auto known = group.given.find(place); known != group.given.end()) return known->second;
  auto& brought = group.brought[place];
  brought.resize(static_cast<size_t>(group.lanes));
  brought[static_cast<size_t>(run.lane())].emplace(operands.begin(), operands.end());
  for (const auto& lane : brought) {
    if (!lane) throw LaneWaits{&group};
  }
  std::vector<EvalValue> all;
  if (!op.regions().empty()) {
    all = fold_lanes(context, op, brought);
  } else {
    std::vector<EvalValue> rows;
    for (const auto& lane : brought) rows.push_back((*lane)[0]);
    std::vector<int64_t> shape = {group.lanes};
    for (int64_t d : rows[0].tensor.shape()) shape.push_back(d);
    all.push_back(join_lanes(rows, Type::tensor(op.result_type().element_type(), shape)));
  }
  return group.given[place] = all;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------

/// The sum over lanes of a tangent or cotangent.
Value sum_over_lanes(OpBuilder& b, Attrs level, Value x) {
  const ElementType element = b.type(x).element_type();
  const Value operands[] = {x, b.scalar(element, 0)};
  const RegionId body = b.binary_region(element, "stablehlo.add");
  return b.create("weft.lanes_reduce", operands, std::move(level), {}, std::span(&body, 1))[0];
}

Linearized linearize_reduce(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  OpBuilder& primal = context.primal();
  const BodyKind kind = op.num_results() == 1 ? classify_body(op.function, op.region(0)) : BodyKind::kOther;
  const Type type = op.result_type();
  if ((kind != BodyKind::kAdd && kind != BodyKind::kMaximum && kind != BodyKind::kMinimum) ||
      type.element_type() != op.operand_type(0).element_type()) {
    refuse_body(op, "derivative",
                "known for sums, maxima and minima over lanes; weft.lanes_concat followed by ops on its result has one "
                "for any other");
  }
  const std::vector<Value> results = context.clone_primal(op, primals);
  // As of reduce: those that are equal share, the start value among them.
  Value weight, init_weight;
  if (kind != BodyKind::kAdd) {
    const ElementType element = type.element_type();
    const auto is_result = [&](Value v) { return primal.convert(primal.compare(v, results[0], "EQ"), element); };
    const Value hit = is_result(primals[0]), init_hit = is_result(primal.broadcast_scalar(primals[1], type.shape()));
    const Value count = primal.add(sum_over_lanes(primal, level_of(op), hit), init_hit);
    weight = primal.divide(hit, count);
    init_weight = primal.divide(init_hit, count);
  }
  OpBuilder& linear = context.linear();
  Value tangent;
  if (tangents[0]) {
    const Value operands[] = {weight ? linear.multiply(tangents[0], weight) : tangents[0],
                              primal.scalar(type.element_type(), 0)};
    const RegionId body = linear.binary_region(type.element_type(), "stablehlo.add");
    tangent = linear.create("weft.lanes_reduce", operands, level_of(op), {}, std::span(&body, 1))[0];
  }
  if (tangents[1]) {
    const Value spread = linear.broadcast_scalar(tangents[1], type.shape());
    tangent = add_tangents(linear, tangent, init_weight ? linear.multiply(spread, init_weight) : spread);
  }
  return {results, {tangent}};
}

/// Every lane's operand reaches the result of every lane: the derivative is that of the sum of what all lanes differentiate.
std::vector<Value> transpose_reduce(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  return {context.is_linear(0) ? sum_over_lanes(context.builder(), level_of(op), cotangents[0]) : Value(), Value()};
}

std::vector<Value> transpose_concat(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Type x = op.operand_type(0);
  const Value all = sum_over_lanes(b, level_of(op), cotangents[0]);
  std::vector<Value> starts = {b.make("weft.lane_index", {}, level_of(op), Type::scalar(ElementType::kI64))};
  while (starts.size() <= static_cast<size_t>(x.rank())) starts.push_back(b.scalar(ElementType::kI64, 0));
  const Type row = with_lanes(x, 1);
  const auto sizes = row.shape();
  return {b.reshape(b.dynamic_slice(all, starts, sizes), x.shape())};
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

std::vector<LaneValue> vectorize_number(VectorizeContext& context, const OpView& op, std::span<const LaneValue>) {
  OpBuilder& b = context.builder();
  const Type one = op.result_type();
  if (op.def().mnemonic == "weft.lane_count") return {{b.splat(one, static_cast<double>(context.lanes())), false}};
  return {{b.iota(with_lanes(one, context.lanes()), 0), true}};
}

std::vector<LaneValue> vectorize_reduce(VectorizeContext& context, const OpView& op,
                                        std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const size_t n = op.num_results();
  std::vector<Value> values;
  for (size_t i = 0; i < n; ++i) values.push_back(context.broadcast(operands[i]));
  for (size_t i = n; i < 2 * n; ++i) {
    if (operands[i].varies)
      refuse_body(op, "lanes", "the start value differs by lane; combine it with the result instead");
    values.push_back(operands[i].value);
  }
  const RegionId body = copy_uniform_body(context, op, op.region(0));
  const bool is_own = is_of_level(op, context.regions().level());
  const std::vector<Value> results =
      is_own ? b.create("stablehlo.reduce", values, Attrs{{"dimensions", Attr::Ints{0}}}, {}, std::span(&body, 1))
             : b.create(op.def(), values, op.attrs(), {}, std::span(&body, 1));
  std::vector<LaneValue> out;
  for (Value v : results) out.push_back({v, !is_own});
  return out;
}

std::vector<LaneValue> vectorize_concat(VectorizeContext& context, const OpView& op,
                                        std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const Value x = context.broadcast(operands[0]);
  if (is_of_level(op, context.regions().level())) {
    if (!is_compatible(b.type(x), op.result_type())) {
      throw UserError("[weft.lanes_concat] type of the result: got " + op.result_type().str() + ", expected " +
                          b.type(x).str() + ", for there are " + std::to_string(context.lanes()) + " lanes",
                      op.loc());
    }
    return {{x, false}};
  }
  const Value all = b.make("weft.lanes_concat", {x}, op.attrs(), with_lanes(b.type(x), op.result_type().dim(0)));
  std::vector<int64_t> order = {1, 0};
  for (int64_t d = 2; d < b.type(all).rank(); ++d) order.push_back(d);
  return {{b.transpose(all, order), true}};
}

constexpr Refuse kNoForm{"StableHLO has no lanes: vectorize the function first"};
constexpr Refuse kNoSamples{"needs lanes around it; tests/transform/across_lanes_test.cc has them"};
constexpr Refuse kNothingLinear{"it has no operands"};

constexpr OpFacets number_facets(std::string_view doc) {
  return {.doc = doc,
          .syntax = Syntax::kGeneric,
          .schema = {{kLevel, AttrKind::kText, false}},
          .type = type_number,
          .eval = eval_number,
          .scalar = kNotElementwise,
          .linearize = linearize_zero,
          .transpose = kNothingLinear,
          .vectorize = vectorize_number,
          .uniformity = uniformity_any,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = Effects::kPure,
          .cost = cost_free,
          .to_stablehlo = kNoForm,
          .samples = kNoSamples};
}

const OpRecord kOps[] = {
    {{"weft.lane_index"},
     number_facets(
         "The number of the lane, from 0, among lanes of `level` (default: the innermost). Any integer type.")},
    {{"weft.lane_count"}, number_facets("How many lanes of `level` there are. Any integer type.")},
    {{"weft.lanes_reduce"},
     {.doc =
          "Operands: N values of a lane, N start values (rank 0). Folds the values of all lanes of `level` (default: "
          "the innermost) "
          "element by element with the body, as reduce does along the axis of lanes, so that every lane gets the "
          "same result. All lanes "
          "have to arrive at it: inside a loop that lanes leave apart or a branch that they take apart it is "
          "refused. Derivatives of sums, "
          "maxima and minima; in reverse they are those of the sum over all lanes of what is differentiated.",
      .syntax = Syntax::kGeneric,
      .schema = {{kLevel, AttrKind::kText, false}},
      .type = type_reduce,
      .eval = eval_all,
      .scalar = kNotElementwise,
      .linearize = linearize_reduce,
      .transpose = transpose_reduce,
      .vectorize = vectorize_reduce,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_elementwise,
      .to_stablehlo = kNoForm,
      .samples = kNoSamples}},
    {{"weft.lanes_concat"},
     {.doc = "The values of all lanes of `level` (default: the innermost) along a new axis 0, in every lane. The "
             "declared type says how "
             "many lanes there are. Like weft.lanes_reduce it stands where all lanes arrive.",
      .syntax = Syntax::kGeneric,
      .schema = {{kLevel, AttrKind::kText, false}},
      .type = type_concat,
      .eval = eval_all,
      .scalar = kNotElementwise,
      .linearize = linearize_linear,
      .transpose = transpose_concat,
      .vectorize = vectorize_concat,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_move,
      .to_stablehlo = kNoForm,
      .samples = kNoSamples}},
};

}  // namespace

Family lane_ops() { return kOps; }

}  // namespace weft
