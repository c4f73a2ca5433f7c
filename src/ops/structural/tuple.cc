// tuple, get_tuple_element and optimization_barrier: values put together, taken apart and passed through.
//   get_tuple_element  index (int)
#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {
namespace {

constexpr Refuse kNoTuples{"a tuple has neither tangent nor lanes; take tuples apart first: weft transform --simplify"};
constexpr Refuse kNoSamples{"a tuple is no tensor; tests/op/tuple.mlir has its cases"};

std::vector<Type> type_tuple(const TypeContext& c) { return {Type::tuple(c.operands)}; }

std::vector<EvalValue> eval_tuple(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  EvalValue out;
  out.tuple = std::make_shared<const std::vector<EvalValue>>(operands.begin(), operands.end());
  return {out};
}

std::vector<Type> type_get_tuple_element(const TypeContext& c) {
  c.expect_operands(1);
  const Type t = c.operands[0];
  if (t.kind() != TypeKind::kTuple)
    c.fail("get_tuple_element_i1", "type of the operand: got " + t.str() + ", expected a tuple");
  const int64_t index = c.attrs.integer("index");
  if (index < 0 || index >= static_cast<int64_t>(t.elements().size())) {
    c.fail("get_tuple_element_c1", "index: got " + std::to_string(index) + ", expected a value in [0, " +
                                       std::to_string(t.elements().size()) + ")");
  }
  const Type element = t.elements()[static_cast<size_t>(index)];
  if (c.declared.size() == 1 && !(element.is_tensor() && is_compatible(c.declared[0], element)))
    c.expect_equal("get_tuple_element_c2", "type of the result", c.declared[0], element);
  return {element};
}

std::vector<EvalValue> eval_get_tuple_element(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  return {(*operands[0].tuple)[static_cast<size_t>(op.attrs().integer("index"))]};
}

/// The element itself, when the tuple is made in sight.
std::vector<Value> simplify_get_tuple_element(SimplifyContext&, const OpView& op) {
  const OpId maker = op.function.defining_op(op.operand(0));
  if (!maker || op.function.def(maker).mnemonic != "stablehlo.tuple") return {};
  return {op.function.operand(maker, static_cast<size_t>(op.attrs().integer("index")))};
}

std::vector<Type> type_barrier(const TypeContext& c) {
  if (c.declared.size() != c.operands.size() && !c.declared.empty()) {
    c.fail("optimization_barrier_c1", "number of results: got " + std::to_string(c.declared.size()) + ", expected " +
                                          std::to_string(c.operands.size()));
  }
  for (size_t i = 0; i < c.declared.size(); ++i) {
    if (!is_compatible(c.declared[i], c.operands[i]))
      c.expect_equal("optimization_barrier_c1", "type of result " + std::to_string(i), c.declared[i], c.operands[i]);
  }
  return c.operands;
}

std::vector<EvalValue> eval_barrier(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  return {operands.begin(), operands.end()};
}

/// Tangents pass beside the barrier.
Linearized linearize_barrier(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                             std::span<const Value> tangents) {
  return {context.clone_primal(op, primals), {tangents.begin(), tangents.end()}};
}

std::vector<LaneValue> vectorize_barrier(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(v.value);
  const std::vector<Value> results = context.builder().create(op.def(), values, op.attrs());
  std::vector<LaneValue> out;
  for (size_t i = 0; i < results.size(); ++i) out.push_back({results[i], operands[i].varies});
  return out;
}

std::vector<bool> uniformity_barrier(UniformityContext&, const OpView&, const std::vector<bool>& operands) {
  return operands;
}

std::vector<Sample> samples_barrier() {
  const auto emit = [](OpBuilder& b, std::span<const Value> x) {
    return b.create("stablehlo.optimization_barrier", x);
  };
  const SampleOperand a{Type::tensor(ElementType::kF64, {3}), {}}, i{Type::tensor(ElementType::kI32, {2, 2}), {}};
  return {{"one", {a}, emit, true}, {"two", {a, i}, emit, false}, {"twins", {a, a}, emit, true}};
}

const OpRecord kOps[] = {
    {{"stablehlo.tuple"},
     {.doc = "The operands as one value.",
      .syntax = Syntax::kCustom,
      .schema = {},
      .type = type_tuple,
      .eval = eval_tuple,
      .scalar = kNotElementwise,
      .linearize = kNoTuples,
      .transpose = kNotLinear,
      .vectorize = kNoTuples,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = kNoSamples}},
    {{"stablehlo.get_tuple_element"},
     {.doc = "Element number `index` of a tuple.",
      .syntax = Syntax::kCustom,
      .schema = {{"index", AttrKind::kInt}},
      .type = type_get_tuple_element,
      .eval = eval_get_tuple_element,
      .scalar = kNotElementwise,
      .linearize = kNoTuples,
      .transpose = kNotLinear,
      .vectorize = kNoTuples,
      .uniformity = uniformity_any,
      .simplify = simplify_get_tuple_element,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = kNoSamples}},
    {{"stablehlo.optimization_barrier"},
     {.doc = "The operands unchanged; what makes them is not moved past what uses the results.",
      .syntax = Syntax::kCustom,
      .schema = {},
      .type = type_barrier,
      .eval = eval_barrier,
      .scalar = kNotElementwise,
      .linearize = linearize_barrier,
      .transpose = kNotLinear,
      .vectorize = vectorize_barrier,
      .uniformity = uniformity_barrier,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = samples_barrier}},
};

}  // namespace

Family tuple_ops() { return kOps; }

}  // namespace weft
