// Loops, branches, calls and terminators.
#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

// ---- types --------------------------------------------------------------------------------------------------------------

bool is_i1_scalar(Type t) { return t.is_scalar() && t.element_type() == ElementType::kI1; }

void expect_regions(const TypeContext& context, size_t count) {
  if (context.regions.size() != count) {
    context.fail(
        "", "number of regions: got " + std::to_string(context.regions.size()) + ", expected " + std::to_string(count));
  }
}

void expect_region_args(const TypeContext& context, std::string_view label, std::string_view name, RegionId region,
                        std::span<const Type> types) {
  const auto args = context.function.args(region);
  if (args.size() != types.size()) {
    context.fail(label, "number of arguments of the " + std::string(name) + ": got " + std::to_string(args.size()) +
                            ", expected " + std::to_string(types.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Type got = context.function.type(args[i]);
    if (!is_compatible(got, types[i])) {
      context.fail(label, "argument " + std::to_string(i) + " of the " + std::string(name) + ": got " + got.str() +
                              ", expected " + types[i].str());
    }
  }
}

std::vector<Type> region_results(const TypeContext& context, std::string_view name, RegionId region) {
  const OpId last = context.function.terminator(region);
  if (!last) context.fail("", "the " + std::string(name) + " does not end with a return");
  std::vector<Type> out;
  for (Value v : context.function.operands(last)) out.push_back(context.function.type(v));
  return out;
}

void expect_types(const TypeContext& context, std::string_view label, const std::string& what,
                  std::span<const Type> got, std::span<const Type> expected) {
  if (got.size() != expected.size()) {
    context.fail(label, "number of " + what + ": got " + std::to_string(got.size()) + ", expected " +
                            std::to_string(expected.size()));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (!is_compatible(got[i], expected[i])) {
      context.fail(
          label, what + ", number " + std::to_string(i) + ": got " + got[i].str() + ", expected " + expected[i].str());
    }
  }
}

void expect_predicate(const TypeContext& context, std::string_view label, RegionId cond) {
  const std::vector<Type> types = region_results(context, "condition", cond);
  if (types.size() != 1 || !is_i1_scalar(types[0])) {
    context.fail(label, "result of the condition: got " +
                            (types.size() == 1 ? types[0].str() : std::to_string(types.size()) + " values") +
                            ", expected tensor<i1>");
  }
}

std::vector<Type> type_while(const TypeContext& context) {
  expect_regions(context, 2);
  expect_region_args(context, "while_c1", "condition", context.regions[0], context.operands);
  expect_predicate(context, "while_c1", context.regions[0]);
  expect_region_args(context, "while_c2", "body", context.regions[1], context.operands);
  expect_types(context, "while_c2", "results of the body", region_results(context, "body", context.regions[1]),
               context.operands);
  return context.operands;
}

/// args, results: the labels of what the branches take and of what they return.
std::vector<Type> branch_types(const TypeContext& context, std::string_view args, std::string_view results) {
  std::vector<Type> first;
  for (size_t i = 0; i < context.regions.size(); ++i) {
    const std::string name = "branch " + std::to_string(i);
    expect_region_args(context, args, name, context.regions[i], {});
    std::vector<Type> types = region_results(context, name, context.regions[i]);
    if (i == 0) {
      first = std::move(types);
    } else {
      expect_types(context, results, "results of " + name, types, first);
      for (size_t r = 0; r < first.size(); ++r) first[r] = join_types(first[r], types[r]);
    }
  }
  return first;
}

std::vector<Type> type_case(const TypeContext& context) {
  context.expect_operands(1);
  context.expect_equal("case_i1", "type of the index", context.operands[0], Type::scalar(ElementType::kI32));
  if (context.regions.empty()) context.fail("case_c1", "number of branches: got 0, expected at least 1");
  return branch_types(context, "case_c2", "case_c3");
}

std::vector<Type> type_if(const TypeContext& context) {
  context.expect_operands(1);
  context.expect_equal("if_i1", "type of the predicate", context.operands[0], Type::scalar(ElementType::kI1));
  expect_regions(context, 2);
  return branch_types(context, "if_c1", "if_c2");
}

std::vector<Type> type_return(const TypeContext& context) {
  expect_regions(context, 0);
  return {};
}

std::vector<Type> type_call(const TypeContext& context) {
  expect_regions(context, 0);
  if (context.module == nullptr) return context.declared;
  const std::string& name = context.attrs.text("callee");
  const Function* callee = context.module->find(name);
  if (callee == nullptr) context.fail("", "there is no function @" + name);
  expect_types(context, "", "arguments of @" + name, context.operands, callee->arg_types());
  std::vector<Type> results = callee->result_types();
  // A callee that is still being read answers nothing; its own check comes when it is complete.
  if (results.empty() && !callee->is_declaration() && !callee->terminator(callee->body())) return context.declared;
  return results;
}

// ---- eval -----------------------------------------------------------------------------------------------------------------

std::vector<EvalValue> eval_while(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  std::vector<EvalValue> carries(operands.begin(), operands.end());
  while (context.run_region(op.region(0), std::span<const EvalValue>(carries))[0].tensor.scalar<bool>()) {
    carries = context.run_region(op.region(1), std::move(carries));
  }
  return carries;
}

std::vector<EvalValue> eval_case(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const int64_t count = static_cast<int64_t>(op.regions().size());
  const int64_t index = operands[0].tensor.scalar<int32_t>();
  return context.run_region(op.region(static_cast<size_t>(index < 0 || index >= count ? count - 1 : index)),
                            std::span<const EvalValue>());
}

std::vector<EvalValue> eval_if(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return context.run_region(op.region(operands[0].tensor.scalar<bool>() ? 0 : 1), std::span<const EvalValue>());
}

std::vector<EvalValue> eval_call(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return context.call(op.attrs().text("callee"), operands, op.loc());
}

// ---- uniformity -----------------------------------------------------------------------------------------------------------

std::vector<bool> uniformity_while(UniformityContext& context, const OpView& op, const std::vector<bool>& operands) {
  std::vector<bool> carries = operands;
  for (;;) {
    // A condition that varies makes each lane leave at its own iteration, so everything carried varies.
    if (context.region_varies(op.region(0), carries)[0]) return std::vector<bool>(carries.size(), true);
    const std::vector<bool> after = context.region_varies(op.region(1), carries);
    bool grown = false;
    for (size_t i = 0; i < carries.size(); ++i) {
      grown = grown || (after[i] && !carries[i]);
      carries[i] = carries[i] || after[i];
    }
    if (!grown) return carries;
  }
}

std::vector<bool> uniformity_case(UniformityContext& context, const OpView& op, const std::vector<bool>& operands) {
  std::vector<bool> results(op.num_results(), operands[0]);
  for (RegionId branch : op.regions()) {
    const std::vector<bool> varies = context.region_varies(branch, {});
    for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] || varies[i];
  }
  return results;
}

std::vector<bool> uniformity_call(UniformityContext& context, const OpView& op, const std::vector<bool>& operands) {
  return context.callee_varies(op.attrs().text("callee"), operands);
}

// ---- the rest -------------------------------------------------------------------------------------------------------------

std::vector<Alias> alias_carries(const OpView& op) {
  std::vector<Alias> out;
  for (size_t i = 0; i < op.num_operands(); ++i) out.push_back({i, i, AliasKind::kCarry});
  return out;
}

/// Of one trip through every region; trip counts are unknown.
Cost cost_regions(const OpView& op) {
  Cost total;
  for (RegionId region : op.regions()) {
    for (OpId inner : op.function.ops(region)) {
      const OpView view{op.function, inner};
      if (record(view).cost.refused()) continue;
      const Cost cost = (*record(view).cost.rule())(view);
      total.flops += cost.flops;
      total.bytes += cost.bytes;
    }
  }
  return total;
}

std::vector<Sample> samples_while() {
  const Type f64 = Type::scalar(ElementType::kF64);
  Sample by_count{"three trips", {{Type::tensor(ElementType::kF64, {3}), {}}}, {}, true};
  by_count.emit = [](OpBuilder& b, std::span<const Value> x) {
    const Value start[] = {b.scalar(ElementType::kI32, 0), x[0]};
    const Type types[] = {b.type(start[0]), b.type(start[1])};
    const RegionId cond = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.compare(a[0], c.scalar(ElementType::kI32, 3), "LT")};
    });
    const RegionId body = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.add(a[0], c.scalar(ElementType::kI32, 1)),
                                c.multiply(a[1], c.add(a[1], c.splat(c.type(a[1]), 0.5)))};
    });
    const RegionId regions[] = {cond, body};
    return std::vector<Value>{b.create("stablehlo.while", start, {}, types, regions)[1]};
  };
  Sample by_value{"until larger than eight", {{f64, {0.5, 2}}}, {}, true};
  by_value.emit = [](OpBuilder& b, std::span<const Value> x) {
    const Type types[] = {b.type(x[0])};
    const RegionId cond = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.compare(a[0], c.scalar(ElementType::kF64, 8), "LT")};
    });
    const RegionId body = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.multiply(a[0], c.scalar(ElementType::kF64, 1.75))};
    });
    const RegionId regions[] = {cond, body};
    return b.create("stablehlo.while", x, {}, types, regions);
  };
  return {by_count, by_value};
}

/// Branches x, x·x, 3−x with the index floor(x) clamped by the op itself.
std::vector<Sample> samples_case() {
  Sample s{"three branches", {{Type::scalar(ElementType::kF64), {-1.9, 3.9, true}}}, {}, true};
  s.emit = [](OpBuilder& b, std::span<const Value> x) {
    const Value v = x[0];
    const RegionId regions[] = {
        b.make_region({}, [&](OpBuilder&, std::span<const Value>) { return std::vector<Value>{v}; }),
        b.make_region({}, [&](OpBuilder& c, std::span<const Value>) { return std::vector<Value>{c.multiply(v, v)}; }),
        b.make_region({},
                      [&](OpBuilder& c, std::span<const Value>) {
                        return std::vector<Value>{c.subtract(c.scalar(ElementType::kF64, 3), v)};
                      }),
    };
    const Value index[] = {b.convert(v, ElementType::kI32)};
    const Type types[] = {b.type(v)};
    return b.create("stablehlo.case", index, {}, types, regions);
  };
  return {s};
}

/// x > 0 ? x·x : 0.
std::vector<Sample> samples_if() {
  Sample s{"positive part squared", {{Type::scalar(ElementType::kF64), {-2, 2, true}}}, {}, true};
  s.emit = [](OpBuilder& b, std::span<const Value> x) {
    const Value v = x[0];
    const RegionId regions[] = {
        b.make_region({}, [&](OpBuilder& c, std::span<const Value>) { return std::vector<Value>{c.multiply(v, v)}; }),
        b.make_region({}, [&](OpBuilder& c,
                              std::span<const Value>) { return std::vector<Value>{c.scalar(ElementType::kF64, 0)}; }),
    };
    const Value pred[] = {b.compare(v, b.scalar(ElementType::kF64, 0), "GT")};
    const Type types[] = {b.type(v)};
    return b.create("stablehlo.if", pred, {}, types, regions);
  };
  return {s};
}

constexpr Refuse kTerminator{"a terminator is read by whoever walks its region"};

constexpr OpFacets kReturnFacets{
    .doc = "Ends a region: its operands are the region's results.",
    .syntax = Syntax::kCustom,
    .schema = {},
    .type = type_return,
    .eval = kTerminator,
    .scalar = kNotElementwise,
    .linearize = kTerminator,
    .transpose = kTerminator,
    .vectorize = kTerminator,
    .uniformity = kTerminator,
    .simplify = simplify_none,
    .aliases = alias_none,
    .effects = Effects::kPure,
    .cost = cost_free,
    .to_stablehlo = portable_as_is,
    .samples = kTerminator,
};

const OpRecord kOps[] = {
    {{"stablehlo.while"},
     {.doc = "Carries values through body(carries) for as long as cond(carries) holds. Results are the last carries "
             "(specification: while). Regions may capture outer values.",
      .syntax = Syntax::kCustom,
      .schema = {},
      .type = type_while,
      .eval = eval_while,
      .scalar = kNotElementwise,
      .linearize = linearize_while,
      .transpose = kNotOnTape,
      .vectorize = vectorize_while,
      .uniformity = uniformity_while,
      .simplify = simplify_while,
      .aliases = alias_carries,
      .effects = Effects::kRegions,
      .cost = cost_regions,
      .to_stablehlo = portable_as_is,
      .samples = samples_while}},
    {{"stablehlo.case"},
     {.doc = "Runs the branch that the index names; an index out of range runs the last one (specification: case).",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_case,
      .eval = eval_case,
      .scalar = kNotElementwise,
      .linearize = linearize_case,
      .transpose = kNotOnTape,
      .vectorize = vectorize_case,
      .uniformity = uniformity_case,
      .simplify = simplify_case,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_regions,
      .to_stablehlo = portable_as_is,
      .samples = samples_case}},
    {{"stablehlo.if"},
     {.doc = "Runs the first branch when the predicate holds, else the second (specification: if).",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_if,
      .eval = eval_if,
      .scalar = kNotElementwise,
      .linearize = linearize_case,
      .transpose = kNotOnTape,
      .vectorize = vectorize_case,
      .uniformity = uniformity_case,
      .simplify = simplify_case,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_regions,
      .to_stablehlo = portable_as_is,
      .samples = samples_if}},
    {{"stablehlo.return", true}, kReturnFacets},
    {{"func.return", true}, kReturnFacets},
    {{"func.call"},
     {.doc = "Calls a function of the module; recursion is allowed.",
      .syntax = Syntax::kCustom,
      .schema = {{"callee", AttrKind::kText}},
      .type = type_call,
      .eval = eval_call,
      .scalar = kNotElementwise,
      .linearize = linearize_call,
      .transpose = kNotOnTape,
      .vectorize = vectorize_call,
      .uniformity = uniformity_call,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = Refuse{"a call needs a module; tests/op/control_flow_test.cc has its cases"}}},
};

}  // namespace

Family control_flow_ops() { return kOps; }

}  // namespace weft
