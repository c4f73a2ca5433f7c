// Last-in first-out stores of values: where loops of unknown trip count keep their residuals.
#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {
namespace {

/// The type of what a push takes and a pop gives: the stacked type with the stack's lane extents in front.
Type pushed_type(Type stack) { return with_lane_axes(stack.stacked(), stack.shape()); }

void expect_stack(const TypeContext& context) {
  if (!context.operands[0].is_stack()) {
    context.fail("", "type of operand 0: got " + context.operands[0].str() + ", expected a stack");
  }
}

std::vector<Type> type_new(const TypeContext& context) {
  context.expect_operands(0);
  const Type t = context.declared_result();
  if (!t.is_stack()) context.fail("", "type of the result: got " + t.str() + ", expected a stack");
  return {t};
}

std::vector<Type> type_push(const TypeContext& context) {
  context.expect_operands(2);
  expect_stack(context);
  context.expect_equal("", "type of the pushed value", context.operands[1], pushed_type(context.operands[0]));
  return {context.operands[0]};
}

std::vector<Type> type_pop(const TypeContext& context) {
  context.expect_operands(1);
  expect_stack(context);
  return {context.operands[0], pushed_type(context.operands[0])};
}

EvalValue zero_of(Type t) {
  if (t.is_stack()) {
    auto stack = std::make_shared<EvalStack>();
    stack->type = t;
    stack->lanes.resize(static_cast<size_t>(num_elements(t.shape())));
    return EvalValue(std::move(stack));
  }
  return EvalValue(Tensor::zeros(t.element_type(), Shape(t.shape().begin(), t.shape().end())));
}

std::vector<EvalValue> eval_new(EvalContext&, const OpView& op, std::span<const EvalValue>) {
  return {zero_of(op.result_type())};
}

std::vector<EvalValue> eval_push(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  auto stack = std::make_shared<EvalStack>(*operands[0].stack);
  const int64_t lanes = static_cast<int64_t>(stack->lanes.size());
  for (int64_t i = 0; i < lanes; ++i) {
    auto& top = stack->lanes[static_cast<size_t>(i)];
    top = std::make_shared<EvalStackNode>(lane_slice(operands[1], lanes, i, stack->type.stacked()), std::move(top));
  }
  return {EvalValue(std::move(stack))};
}

std::vector<EvalValue> eval_pop(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  auto stack = std::make_shared<EvalStack>(*operands[0].stack);
  std::vector<EvalValue> popped;
  for (auto& top : stack->lanes) {
    if (top == nullptr) {
      popped.push_back(zero_of(stack->type.stacked()));
      continue;
    }
    popped.push_back(top->value);
    auto below = top->below;
    top = std::move(below);
  }
  return {EvalValue(std::move(stack)), join_lanes(popped, op.result_type(1))};
}

std::vector<LaneValue> vectorize_new(VectorizeContext& context, const OpView& op, std::span<const LaneValue>) {
  return {{context.builder().make("weft.stack_new", {}, {}, with_lanes(op.result_type(), context.lanes())), true}};
}

std::vector<LaneValue> vectorize_push(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  return {{context.builder().make("weft.stack_push", {context.broadcast(operands[0]), context.broadcast(operands[1])}),
           true}};
}

std::vector<LaneValue> vectorize_pop(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands) {
  const Value stack[] = {context.broadcast(operands[0])};
  const std::vector<Value> results = context.builder().create("weft.stack_pop", stack);
  return {{results[0], true}, {results[1], true}};
}

Linearized linearize_new(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                         std::span<const Value>) {
  return {context.clone_primal(op, primals), std::vector<Value>(1)};
}

Cost cost_push(const OpView& op) { return {0, 2 * bytes_of(op.operand_type(1))}; }
Cost cost_pop(const OpView& op) { return {0, 2 * bytes_of(op.result_type(1))}; }

/// Pushes two values, pops both, and multiplies the first popped by the square of the second.
std::vector<Sample> samples_stack() {
  const Type t = Type::tensor(ElementType::kF64, {2});
  Sample s{"two values in, two out", {{t, {}}, {t, {}}}, {}, true};
  s.emit = [t](OpBuilder& b, std::span<const Value> x) {
    const Value empty = b.make("weft.stack_new", {}, {}, Type::stack(t));
    const Value full = b.make("weft.stack_push", {b.make("weft.stack_push", {empty, x[0]}), x[1]});
    const std::vector<Value> first = b.create("weft.stack_pop", std::span<const Value>(&full, 1));
    const std::vector<Value> second = b.create("weft.stack_pop", std::span<const Value>(first.data(), 1));
    return std::vector<Value>{b.multiply(first[1], b.multiply(second[1], second[1]))};
  };
  return {s};
}

constexpr Refuse kNoStacks{
    "StableHLO has no stacks: a loop keeps its residuals in arrays when its number of iterations is a constant, or "
    "when it "
    "was differentiated with a number of trips to keep (--recompute)"};

const OpRecord kOps[] = {
    {{"weft.stack_new"},
     {.doc =
          "An empty stack of the declared type !weft.stack<T>, or !weft.stack<T, [n…]> with one store for each lane. "
          "Stacks are used linearly: each is consumed by one op at run time.",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_new,
      .eval = eval_new,
      .scalar = kNotElementwise,
      .linearize = linearize_new,
      .transpose = Refuse{"an empty stack is linear in nothing"},
      .vectorize = vectorize_new,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = kNoStacks,
      .samples = samples_stack}},
    {{"weft.stack_push"},
     {.doc = "push(stack, value) → stack with the value on top. With lanes, the value has the lane axes in front and "
             "each lane "
             "pushes onto its own store.",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_push,
      .eval = eval_push,
      .scalar = kNotElementwise,
      .linearize = linearize_stack_push,
      .transpose = transpose_stack_push,
      .vectorize = vectorize_push,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_in_place,
      .effects = Effects::kPure,
      .cost = cost_push,
      .to_stablehlo = kNoStacks,
      .samples = samples_stack}},
    {{"weft.stack_pop"},
     {.doc = "pop(stack) → (stack without its top, the top). With lanes every lane pops its own. An empty stack stays "
             "empty and gives "
             "zeros, so that it is the zero tangent of stacks of every height.",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_pop,
      .eval = eval_pop,
      .scalar = kNotElementwise,
      .linearize = linearize_stack_pop,
      .transpose = transpose_stack_pop,
      .vectorize = vectorize_pop,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_in_place,
      .effects = Effects::kPure,
      .cost = cost_pop,
      .to_stablehlo = kNoStacks,
      .samples = samples_stack}},
};

}  // namespace

Family stack_ops() { return kOps; }

}  // namespace weft
