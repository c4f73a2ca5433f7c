// async_start and async_done: an op that may run beside others. The evaluator runs it at the start, which the specification
// allows, and hands its value over where it is waited for.
#include <algorithm>
#include <array>

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

bool may_run_async(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 10> kOps = {
      "stablehlo.all_gather",           "stablehlo.all_reduce",
      "stablehlo.all_to_all",           "stablehlo.collective_broadcast",
      "stablehlo.collective_permute",   "stablehlo.collective_reduce",
      "stablehlo.reduce_scatter",       "stablehlo.dynamic_slice",
      "stablehlo.dynamic_update_slice", "stablehlo.slice"};
  return std::ranges::find(kOps, mnemonic) != kOps.end();
}

std::vector<Type> type_async_start(const TypeContext& c) {
  expect_count(c, "async_start_i2", "bodies", c.regions.size(), 1);
  const Function& f = c.function;
  const RegionId body = c.regions[0];
  const auto ops = f.ops(body);
  const auto args = f.args(body);
  expect_count(c, "async_start_c1", "ops in the body, its return included", ops.size(), 2);
  if (!may_run_async(f.def(ops[0]).mnemonic)) {
    c.fail("async_start_c2",
           "op in the body: got " + std::string(f.def(ops[0]).mnemonic) + ", expected a collective or a slice");
  }
  expect_count(c, "async_start_c3", "arguments of the body", args.size(), c.operands.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (!c.operands[i].is_tensor()) {
      c.fail("async_start_i1",
             "type of operand " + std::to_string(i) + ": got " + c.operands[i].str() + ", expected a tensor");
    }
    c.expect_equal("async_start_c3", "type of argument " + std::to_string(i) + " of the body", f.type(args[i]),
                   c.operands[i]);
  }
  if (!captures(f, body).empty()) c.fail("async_start_c3", "the body uses values from outside: got one, expected none");
  const auto returned = f.operands(ops[1]);
  expect_count(c, "async_start_c4", "values that the body returns", returned.size(), 1);
  const Type value = f.type(returned[0]);
  const Type result = Type::future(std::span(&value, 1));
  if (!c.declared.empty()) c.expect_equal("async_start_c4", "type of the result", c.declared[0], result);
  return {result};
}

std::vector<Type> type_async_done(const TypeContext& c) {
  c.expect_operands(1);
  if (!c.operands[0].is_future()) {
    c.fail("async_done_i1", "type of the operand: got " + c.operands[0].str() + ", expected a future");
  }
  const auto types = c.operands[0].elements();
  expect_count(c, "async_done_c1", "types of the future", types.size(), 1);
  if (!c.declared.empty() && !is_compatible(c.declared[0], types[0]))
    c.expect_equal("async_done_c1", "type of the result", c.declared[0], types[0]);
  return {types[0]};
}

std::vector<EvalValue> eval_async_start(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return context.run_region(op.region(0), operands);
}

std::vector<EvalValue> eval_async_done(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  return {operands[0]};
}

bool is_without_effects(const Function& f, OpId start) {
  return f.def(start).mnemonic == "stablehlo.async_start" &&
         record(f.def(f.ops(f.regions(start)[0])[0])).effects == Effects::kPure;
}

/// An op without effects need not run beside others: it stands in the place of the pair.
std::vector<Value> simplify_async_done(SimplifyContext& context, const OpView& op) {
  Function& f = context.builder().function();
  const OpId start = f.defining_op(op.operand(0));
  if (!start || !is_without_effects(f, start)) return {};
  const RegionId body = f.regions(start)[0];
  ValueMap map(f);
  const std::vector<Value> args(f.args(body).begin(), f.args(body).end());
  const std::vector<Value> operands(f.operands(start).begin(), f.operands(start).end());
  for (size_t i = 0; i < args.size(); ++i) map.set(args[i], operands[i]);
  return clone_ops(f, body, f, context.builder().region(), map);
}

// ---- derivatives and lanes --------------------------------------------------------------------------------------------------
// The op of the body runs where it is started, and a future hands its value over; a future's tangent is that of its value.

Value hand_over(OpBuilder& b, Value v) {
  const Type t = b.type(v);
  if (!t.is_static())
    throw Unsupported("[stablehlo.async_start] got " + t.str() + ", expected a static type (refine the shapes first)",
                      b.loc);
  const auto rank = static_cast<size_t>(t.rank());
  const RegionId body[] = {b.make_region(std::span(&t, 1), [&](OpBuilder& inner, std::span<const Value> args) {
    return inner.create("stablehlo.slice", args,
                        Attrs{{"start_indices", std::vector<int64_t>(rank, 0)},
                              {"limit_indices", std::vector<int64_t>(t.shape().begin(), t.shape().end())},
                              {"strides", std::vector<int64_t>(rank, 1)}});
  })};
  return b.create("stablehlo.async_start", std::span(&v, 1), {}, {}, body)[0];
}

Linearized linearize_async_start(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                 std::span<const Value> tangents) {
  const Function& f = op.function;
  const auto ops = f.ops(op.region(0));
  const auto args = f.args(op.region(0));
  const OpView inner{f, ops[0]};
  const auto place = [&](Value v) { return static_cast<size_t>(std::ranges::find(args, v) - args.begin()); };
  std::vector<Value> inner_primals, inner_tangents;
  for (Value v : inner.operands()) {
    inner_primals.push_back(primals[place(v)]);
    inner_tangents.push_back(tangents[place(v)]);
  }
  const Value returned = f.operands(ops[1])[0];
  if (const size_t k = place(returned); k < args.size())
    return {{hand_over(context.primal(), primals[k])}, {tangents[k]}};
  const bool moves = std::ranges::any_of(inner_tangents, [](Value v) { return static_cast<bool>(v); });
  if (!moves) return {context.clone_primal(op, primals), {Value{}}};
  const Linearized out =
      record(inner).linearize.require(inner, "derivative")(context, inner, inner_primals, inner_tangents);
  for (size_t i = 0; i < inner.num_results(); ++i) {
    if (inner.result(i) == returned) return {{hand_over(context.primal(), out.results[i])}, {out.tangents[i]}};
  }
  throw InternalError("[stablehlo.async_start] the body returns no value of its own");
}

Linearized linearize_async_done(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                std::span<const Value> tangents) {
  return {context.clone_primal(op, primals), {tangents[0]}};
}

std::vector<bool> uniformity_async_start(UniformityContext& context, const OpView& op,
                                         const std::vector<bool>& operands) {
  return context.region_varies(op.region(0), operands);
}

std::vector<LaneValue> vectorize_async_start(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  const LaneValue value = context.regions().inline_region(op.region(0), operands)[0];
  return {{hand_over(context.builder(), value.value), value.varies}};
}

constexpr Refuse kNoSamples{"a future is no operand of a function; tests/op/async.mlir has its cases"};

constexpr OpFacets async_facets(std::string_view doc, TypeFn* type, EvalFn* eval, SimplifyFn* simplify, Effects effects,
                                LinearizeFn* linearize, VectorizeFn* vectorize, UniformityFn* uniformity) {
  return {.doc = doc,
          .syntax = Syntax::kGeneric,
          .schema = {},
          .type = type,
          .eval = eval,
          .scalar = kNotElementwise,
          .linearize = linearize,
          .transpose = kNotOnTape,
          .vectorize = vectorize,
          .uniformity = uniformity,
          .simplify = simplify,
          .aliases = alias_none,
          .effects = effects,
          .cost = cost_move,
          .to_stablehlo = portable_as_is,
          .samples = kNoSamples};
}

const OpRecord kOps[] = {
    {{"stablehlo.async_start"},
     async_facets("Starts the one op of its body (a collective or a slice); the result is a future of its value.",
                  type_async_start, eval_async_start, simplify_none, Effects::kRegions, linearize_async_start,
                  vectorize_async_start, uniformity_async_start)},
    {{"stablehlo.async_done"},
     async_facets("Waits for a future and gives its value.", type_async_done, eval_async_done, simplify_async_done,
                  Effects::kPure, linearize_async_done, vectorize_elementwise, uniformity_any)},
};

}  // namespace

Family async_ops() { return kOps; }

}  // namespace weft
