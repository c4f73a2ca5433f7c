// Run-time errors of the user's program, the checks that test programs make of themselves, and custom calls.
#include "ops/control_flow/check_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/foreign/call_handlers.h"
#include "ops/foreign/custom_call_checks.h"
#include "ops/reduction/sort_order.h"

namespace weft {
namespace {

std::vector<Type> type_check(const TypeContext& context) {
  if (context.operands.empty())
    context.fail("", "number of operands: got 0, expected a predicate and values to report");
  const Type pred = context.operands[0];
  if (!pred.is_tensor() || pred.element_type() != ElementType::kI1) {
    context.fail("", "type of the predicate: got " + pred.str() + ", expected a tensor of i1");
  }
  for (const Type& t : context.operands) {
    if (!t.is_tensor()) context.fail("", "type of a reported value: got " + t.str() + ", expected a tensor");
  }
  return {};
}

std::vector<Type> type_compare(const TypeContext& context) {
  context.expect_operands(2);
  for (const Type& t : context.operands) {
    if (!t.is_tensor()) context.fail("", "type of an operand: got " + t.str() + ", expected a tensor");
  }
  if (!is_compatible(context.operands[0], context.operands[1])) {
    context.fail("", "types of the operands: got " + context.operands[0].str() + " and " + context.operands[1].str() +
                         ", expected equal ones");
  }
  return {};
}

std::vector<Type> type_compare_const(const TypeContext& context) {
  context.expect_operands(1);
  const Type expected = context.attrs.literal("value").type;
  if (!is_compatible(context.operands[0], expected)) {
    context.fail("", "type of the operand: got " + context.operands[0].str() + ", expected " + expected.str());
  }
  return {};
}

std::vector<Type> type_custom_call(const TypeContext& context) {
  // Handlers known here state their types; others are called as declared.
  check_custom_call(context);
  const std::string& target = context.attrs.text("call_target_name");
  if (find_custom_call(target) == nullptr || !target.starts_with("check.")) return context.declared;
  type_compare(context);
  if (target == "check.eq") return {Type::scalar(ElementType::kI1)};
  return {};
}

std::vector<EvalValue> eval_check(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  std::vector<Tensor> tensors;
  for (const EvalValue& v : operands) tensors.push_back(v.tensor);
  if (const auto failure = failed_check(op, tensors, context.strict_checks())) throw UserError(*failure, op.loc());
  return {};
}

/// check.eq: its result is true, since a program whose check fails does not go on.
std::vector<EvalValue> eval_check_with_result(EvalContext& context, const OpView& op,
                                              std::span<const EvalValue> operands) {
  eval_check(context, op, operands);
  return {EvalValue(Tensor::scalar_of(true))};
}

constexpr CustomCall kCustomCalls[] = {
    {"ApproxTopK", eval_approx_top_k, linearize_approx_top_k, vectorize_approx_top_k},
    {"check.expect_eq", eval_check},
    {"check.expect_close", eval_check},
    {"check.expect_almost_eq", eval_check},
    {"check.eq", eval_check_with_result},
};

std::vector<EvalValue> run_registered(const CallHandler& handler, const OpView& op,
                                      std::span<const EvalValue> operands) {
  std::vector<const void*> in;
  for (const EvalValue& v : operands) in.push_back(v.tensor.raw());
  std::vector<EvalValue> out(op.num_results());
  std::vector<void*> results(op.num_results(), nullptr);
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor()) continue;
    if (!t.is_static())
      throw Unsupported("[stablehlo.custom_call] handlers fill results of known shape: got " + t.str(), op.loc());
    out[i] = Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    results[i] = out[i].tensor.raw();
  }
  run_handler(handler, op, in.data(), results.data());
  return out;
}

std::vector<EvalValue> eval_custom_call(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const std::string& target = op.attrs().text("call_target_name");
  if (const auto registered = registered_handler(target)) return run_registered(*registered, op, operands);
  const CustomCall* handler = find_custom_call(target);
  if (handler == nullptr) throw Unsupported("[stablehlo.custom_call] there is no handler for @" + target, op.loc());
  return handler->eval(context, op, operands);
}

/// A target's own rules; null where the process has another handler of that name.
const CustomCall* rules_of(const std::string& target) {
  return registered_handler(target) ? nullptr : find_custom_call(target);
}

/// Checks compare values; nothing flows on from them.
Linearized linearize_custom_call(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                 std::span<const Value> tangents) {
  const std::string& target = op.attrs().text("call_target_name");
  if (const CustomCall* known = rules_of(target); known != nullptr && known->linearize != nullptr)
    return known->linearize(context, op, primals, tangents);
  if (!target.starts_with("check."))
    throw Unsupported("[stablehlo.custom_call] derivative: @" + target +
                          " states none; call it in a function that has a rule of its own (weft.jvp, weft.vjp)",
                      op.loc());
  return linearize_zero(context, op, primals, tangents);
}

/// One check over all lanes.
std::vector<LaneValue> vectorize_check(VectorizeContext& context, const OpView& op,
                                       std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(context.broadcast(v));
  context.builder().create(op.def(), values, op.attrs());
  return {};
}

std::vector<LaneValue> vectorize_check_const(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  Attrs attrs = op.attrs();
  const Value got[] = {context.broadcast(operands[0])};
  const Literal& one = op.attrs().literal("value");
  const Type type = with_lanes(one.type, context.lanes());
  if (one.splat) {
    attrs.set("value", Literal::splat_of(type, one.elements));
  } else {
    const auto shape = type.shape();
    Tensor all(type.element_type(), Shape(shape.begin(), shape.end()));
    const size_t bytes = one.elements.size_bytes();
    for (int64_t lane = 0; lane < context.lanes() && bytes != 0; ++lane) {
      std::copy_n(one.elements.buffer().data(), bytes,
                  static_cast<std::byte*>(all.raw()) + static_cast<size_t>(lane) * bytes);
    }
    attrs.set("value", Literal::dense(std::move(all)));
  }
  context.builder().create(op.def(), got, attrs);
  return {};
}

std::vector<LaneValue> vectorize_custom_call(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  const std::string& target = op.attrs().text("call_target_name");
  if (const CustomCall* known = rules_of(target); known != nullptr && known->vectorize != nullptr)
    return known->vectorize(context, op, operands);
  if (!target.starts_with("check."))
    throw Unsupported("[stablehlo.custom_call] lanes: @" + target +
                          " states no rule; call it for one lane after the other, in a loop around the lanes",
                      op.loc());
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(context.broadcast(v));
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
  std::vector<LaneValue> out;
  for (Value v : context.builder().create(op.def(), values, op.attrs(), types)) out.push_back({v, false});
  return out;
}

/// Compilers have handlers of their own for what states no rule; one that the process has by the name keeps the call, too.
std::vector<Value> portable_custom_call(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  const CustomCall* known = rules_of(op.attrs().text("call_target_name"));
  return known == nullptr || known->portable == nullptr ? std::vector<Value>{} : known->portable(context, op, operands);
}

std::vector<bool> uniformity_check(UniformityContext&, const OpView& op, const std::vector<bool>&) {
  return std::vector<bool>(op.num_results(), false);
}

constexpr Refuse kNoSamples{"a check has no results to test; tests/op/control_flow_test.cc makes it hold and fail"};

constexpr OpFacets check_facets(std::string_view doc, Schema schema, TypeFn* type, VectorizeFn* vectorize,
                                Facet<PortableFn> portable) {
  return {.doc = doc,
          .syntax = Syntax::kCustom,
          .schema = schema,
          .type = type,
          .eval = eval_check,
          .scalar = kNotElementwise,
          .linearize = linearize_zero,
          .transpose = kNotLinear,
          .vectorize = vectorize,
          .uniformity = uniformity_check,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = Effects::kCheck,
          .cost = cost_move,
          .to_stablehlo = portable,
          .samples = kNoSamples};
}

constexpr Refuse kNotPortable{"checks are not part of StableHLO"};

const OpRecord kOps[] = {
    {{"weft.check"},
     check_facets("check(pred, values…): the user's error `message` at this place unless every element of pred holds; "
                  "{} in the message stand for "
                  "the values. `site` names the kind of fault (\"bounds\", \"domain\", \"assert\"). Checks fail in "
                  "program order.",
                  {{"site", AttrKind::kText, false}, {"message", AttrKind::kText, false}}, type_check, vectorize_check,
                  kNotPortable)},
    {{"check.expect_eq"},
     check_facets("Fails unless the operands are equal; NaN equals NaN.", {}, type_compare, vectorize_check,
                  kNotPortable)},
    {{"check.expect_close"},
     check_facets("Fails unless the largest distance between elements, counted in representable numbers, is at most "
                  "max_ulp_difference (default 3) and at "
                  "least min_ulp_difference (default 0).",
                  {{"max_ulp_difference", AttrKind::kInt, false}, {"min_ulp_difference", AttrKind::kInt, false}},
                  type_compare, vectorize_check, kNotPortable)},
    {{"check.expect_almost_eq"},
     check_facets("Fails unless |a-b| <= tolerance (default 1e-4) everywhere.", {{"tolerance", AttrKind::kAny, false}},
                  type_compare, vectorize_check, kNotPortable)},
    {{"check.expect_eq_const"},
     check_facets("check.expect_eq against a constant.", {{"value", AttrKind::kLiteral}}, type_compare_const,
                  vectorize_check_const, kNotPortable)},
    {{"check.expect_almost_eq_const"},
     check_facets("check.expect_almost_eq against a constant.",
                  {{"value", AttrKind::kLiteral}, {"tolerance", AttrKind::kAny, false}}, type_compare_const,
                  vectorize_check_const, kNotPortable)},
    {{"stablehlo.custom_call"},
     {.doc = "Calls a handler by name (specification: custom_call). Handlers here: check.expect_eq, "
             "check.expect_close, check.expect_almost_eq, check.eq.",
      .syntax = Syntax::kCustom,
      .schema = {{"call_target_name", AttrKind::kText},
                 {"api_version", AttrKind::kInt, false},
                 {"operand_layouts", AttrKind::kAny, false},
                 {"output_operand_aliases", AttrKind::kAny, false},
                 {"result_layouts", AttrKind::kAny, false}},
      .type = type_custom_call,
      .eval = eval_custom_call,
      .scalar = kNotElementwise,
      .linearize = linearize_custom_call,
      .transpose = kNotLinear,
      .vectorize = vectorize_custom_call,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kCheck,
      .cost = cost_move,
      .to_stablehlo = portable_custom_call,
      .samples = kNoSamples}},
};

}  // namespace

namespace {

/// Tables of handlers; the first is ours. Filled before main.
std::vector<std::span<const CustomCall>>& custom_call_tables() {
  static auto* tables = new std::vector<std::span<const CustomCall>>{kCustomCalls};
  return *tables;
}

}  // namespace

RegisterCustomCalls::RegisterCustomCalls(std::span<const CustomCall> handlers) {
  custom_call_tables().push_back(handlers);
}

const CustomCall* find_custom_call(std::string_view target) {
  for (const auto table : custom_call_tables()) {
    for (const CustomCall& c : table) {
      if (c.target == target) return &c;
    }
  }
  return nullptr;
}

Family check_ops() { return kOps; }

}  // namespace weft
