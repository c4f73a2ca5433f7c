#include "ops/record.h"

#include <algorithm>

#include "ops/families.h"
#include "ops/foreign.h"
#include "ops/quantization.h"

namespace weft {

Processes& EvalContext::processes(const OpView& op) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] needs processes, which only the evaluator runs",
                    op.loc());
}

void TypeContext::fail(std::string_view label, const std::string& message) const {
  std::string text = "[" + std::string(def.mnemonic) + "] " + message;
  if (!label.empty()) text += " (" + std::string(label) + ")";
  throw UserError(text, loc);
}

void TypeContext::expect_equal(std::string_view label, std::string_view what, const Type& got,
                               const Type& expected) const {
  if (got == expected) return;
  fail(label, std::string(what) + ": got " + (got ? got.str() : "nothing") + ", expected " + expected.str());
}

void TypeContext::expect_operands(size_t count) const {
  if (operands.size() == count) return;
  fail("", "number of operands: got " + std::to_string(operands.size()) + ", expected " + std::to_string(count));
}

Type TypeContext::declared_result() const {
  if (declared.size() != 1) {
    fail("", "result types: got " + std::to_string(declared.size()) +
                 ", expected 1, since operands do not determine the result");
  }
  return declared[0];
}

namespace {

bool has_kind(const Attr& attr, AttrKind kind) {
  switch (kind) {
    case AttrKind::kInts: return attr.get_if<Attr::Ints>() != nullptr;
    case AttrKind::kInt: return attr.get_if<int64_t>() != nullptr;
    case AttrKind::kBool: return attr.get_if<bool>() != nullptr;
    case AttrKind::kText: return attr.get_if<std::string>() != nullptr;
    case AttrKind::kLiteral: return attr.get_if<Literal>() != nullptr;
    case AttrKind::kType: return attr.get_if<Type>() != nullptr;
    case AttrKind::kAny: return true;
  }
  return false;
}

std::string_view describe(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInts: return "a list of integers";
    case AttrKind::kInt: return "an integer";
    case AttrKind::kBool: return "a boolean";
    case AttrKind::kText: return "a word";
    case AttrKind::kLiteral: return "a constant";
    case AttrKind::kType: return "a type";
    case AttrKind::kAny: return "anything";
  }
  return "";
}

void check_schema(const TypeContext& context) {
  for (const AttrSpec& spec : record(context.def).schema) {
    const Attr* attr = context.attrs.find(spec.name);
    if (attr == nullptr) {
      if (spec.required) context.fail("", "attribute " + std::string(spec.name) + " is missing");
    } else if (!has_kind(*attr, spec.kind)) {
      context.fail("", "attribute " + std::string(spec.name) + ": got " + attr->str() + ", expected " +
                           std::string(describe(spec.kind)));
    }
  }
}

/// Rules know tensors of known rank; of other types of MLIR each op takes those that MLIR's verifier lets it have.
void expect_own_types(const TypeContext& context, std::span<const Type> types, std::string_view what) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (!types[i].is_foreign() || takes_foreign_type(context.def, types[i])) continue;
    context.fail("", "type of " + std::string(what) + " " + std::to_string(i) + ": got " + types[i].str() +
                         ", expected a ranked tensor");
  }
}

/// An op of CHLO on tensors of unknown rank: what is declared is all that is known.
bool has_unranked(const TypeContext& context) {
  if (!context.def.mnemonic.starts_with("chlo.")) return false;
  return std::ranges::any_of(context.operands, is_unranked) || std::ranges::any_of(context.declared, is_unranked);
}

}  // namespace

std::vector<Type> check_op(const TypeContext& context) {
  check_schema(context);
  for (const Type& t : context.operands) {
    if (!t) throw InternalError("[" + std::string(context.def.mnemonic) + "] operand without a type", context.loc);
  }
  expect_own_types(context, context.operands, "operand");
  expect_own_types(context, context.declared, "result");
  if (has_unranked(context)) return context.declared;
  const Facet<TypeFn>& rule = record(context.def).type;
  if (rule.refused()) context.fail("", std::string(rule.reason()));
  std::vector<Type> types = touches_quantized(context) ? quantized_types(context) : (*rule.rule())(context);
  if (context.declared.empty() && !types.empty()) return types;
  if (context.declared.size() != types.size()) {
    context.fail("", "number of results: got " + std::to_string(context.declared.size()) + ", expected " +
                         std::to_string(types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!is_compatible(types[i], context.declared[i])) {
      context.fail("", "type of result " + std::to_string(i) + ": got " + context.declared[i].str() + ", expected " +
                           types[i].str());
    }
  }
  return context.declared;
}

}  // namespace weft
