// composite: a call of its decomposition that keeps a name. Attribute names: name (text), decomposition (text: a function),
// composite_attributes (dictionary), version (int).
#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {
namespace {

bool is_namespaced(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size() || !is_letter(name[0])) return false;
  for (char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '.' && c != '$') return false;
  }
  return true;
}

void expect_signature(const TypeContext& c, std::string_view label, std::string_view what, std::span<const Type> got,
                      std::span<const Type> expected) {
  if (got.size() != expected.size()) {
    c.fail(label, "number of " + std::string(what) + "s: got " + std::to_string(got.size()) + ", expected " +
                      std::to_string(expected.size()) + " as the decomposition has");
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (!is_compatible(got[i], expected[i]))
      c.expect_equal(label, "type of " + std::string(what) + " " + std::to_string(i), got[i], expected[i]);
  }
}

std::vector<Type> type_composite(const TypeContext& c) {
  const std::string &name = c.attrs.text("name"), &target = c.attrs.text("decomposition");
  if (!is_namespaced(name))
    c.fail("composite_c1", "name: got \"" + name + "\", expected a namespaced op name like \"my.op\"");
  if (c.module == nullptr) return c.declared;
  const Function* callee = c.module->find(target);
  if (callee == nullptr)
    c.fail("composite_c2", "decomposition: got @" + target + ", which does not name a function of this module");
  expect_signature(c, "composite_c3", "operand", c.operands, callee->arg_types());
  const std::vector<Type> results = callee->result_types();
  if (results.empty() && !callee->terminator(callee->body())) return c.declared;
  expect_signature(c, "composite_c4", "result", c.declared, results);
  return c.declared;
}

std::vector<EvalValue> eval_composite(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return context.call(op.attrs().text("decomposition"), operands, op.loc());
}

std::vector<bool> uniformity_composite(UniformityContext& context, const OpView& op,
                                       const std::vector<bool>& operands) {
  return context.callee_varies(op.attrs().text("decomposition"), operands);
}

const OpRecord kOps[] = {
    {{"stablehlo.composite"},
     {.doc = "What the function `decomposition` gives on the operands. Derivatives and lanes are calls of derived "
             "functions, which keep no name.",
      .syntax = Syntax::kCustom,
      .schema = {{"name", AttrKind::kText},
                 {"decomposition", AttrKind::kText},
                 {"composite_attributes", AttrKind::kAny, false},
                 {"version", AttrKind::kInt, false}},
      .type = type_composite,
      .eval = eval_composite,
      .scalar = kNotElementwise,
      .linearize = linearize_call,
      .transpose = kNotOnTape,
      .vectorize = vectorize_call,
      .uniformity = uniformity_composite,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = Refuse{"a composite needs a module; tests/op/composite.mlir has its cases"}}},
};

}  // namespace

Family composite_ops() { return kOps; }

}  // namespace weft
