#include "ops/record.h"

#include <algorithm>

#include "ops/families.h"
#include "ops/foreign/foreign.h"
#include "ops/quantized/quantization.h"

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

/// An op of CHLO on tensors of unknown rank.
bool has_unranked(const TypeContext& context) {
  if (!context.def.mnemonic.starts_with("chlo.")) return false;
  return std::ranges::any_of(context.operands, is_unranked) || std::ranges::any_of(context.declared, is_unranked);
}

/// The numbers of the constraints that state a result's shape and its element type; 0: the specification numbers none.
struct ResultConstraints {
  std::string_view op;
  int shape, element;
};
// clang-format off
constexpr ResultConstraints kResultConstraints[] = {
    {"abs", 1, 2}, {"batch_norm_grad", 3, 2}, {"batch_norm_inference", 7, 7}, {"batch_norm_training", 7, 7},
    {"broadcast_in_dim", 0, 1}, {"case", 4, 4}, {"clamp", 4, 4}, {"compare", 2, 0}, {"complex", 2, 3}, {"concatenate", 6, 5},
    {"convert", 1, 0}, {"fft", 5, 2}, {"get_tuple_element", 2, 2}, {"if", 3, 3}, {"imag", 1, 2}, {"is_finite", 1, 0},
    {"map", 1, 4}, {"pad", 4, 1}, {"real", 1, 2}, {"reshape", 2, 1}, {"rng", 3, 1}, {"select", 2, 2}, {"slice", 5, 1},
    {"sort", 3, 2}, {"transpose", 3, 1}, {"triangular_solve", 4, 4}, {"uniform_dequantize", 1, 2}, {"uniform_quantize", 1, 2},
    {"while", 3, 3}};
/// Ops whose first constraint states the result's whole type.
constexpr std::string_view kTypedByFirst[] = {
    "add", "and", "atan2", "cbrt", "ceil", "cholesky", "constant", "cosine", "count_leading_zeros", "divide", "exponential",
    "exponential_minus_one", "floor", "log", "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not",
    "optimization_barrier", "or", "popcnt", "power", "reduce_precision", "remainder", "reverse", "round_nearest_afz",
    "round_nearest_even", "rsqrt", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sine", "sqrt",
    "subtract", "tan", "tanh", "tuple", "xor"};
// clang-format on

/// The label of what a result of type `got` violates where `expected` follows from the operands.
std::string result_label(std::string_view mnemonic, size_t result, const Type& got, const Type& expected) {
  constexpr std::string_view kDialect = "stablehlo.";
  if (!mnemonic.starts_with(kDialect)) return "";
  const std::string_view op = mnemonic.substr(kDialect.size());
  int number = std::ranges::find(kTypedByFirst, op) != std::end(kTypedByFirst) ? 1 : 0;
  for (const ResultConstraints& row : kResultConstraints) {
    if (row.op != op) continue;
    const bool same_shape =
        got.is_tensor() && expected.is_tensor() && std::ranges::equal(got.shape(), expected.shape());
    number = same_shape ? row.element : row.shape;
  }
  // What batch norm gives for each feature.
  if (result > 0 && op == "batch_norm_training") number = static_cast<int>(result) + 4;
  if (result > 0 && op == "batch_norm_grad") number = 4;
  return number == 0 ? "" : std::string(op) + "_c" + std::to_string(number);
}

/// The types that the op's rule gives. Rules that ask another op's rule let it speak for this op.
std::vector<Type> rule_types(const TypeContext& context, TypeFn& rule) {
  try {
    return touches_quantized(context) ? quantized_types(context) : rule(context);
  } catch (const UserError& error) {
    const std::string own = "[" + std::string(context.def.mnemonic) + "] ";
    const std::string what = error.what();
    const size_t end = what.find("] ");
    if (!what.starts_with('[') || end == std::string::npos || what.starts_with(own)) throw;
    throw UserError(own + what.substr(end + 2), error.loc());
  }
}

}  // namespace

std::vector<Type> check_op(const TypeContext& context) {
  check_schema(context);
  for (const Type& t : context.operands) {
    if (!t) throw InternalError("[" + std::string(context.def.mnemonic) + "] operand without a type", context.loc);
  }
  expect_own_types(context, context.operands, "operand");
  expect_own_types(context, context.declared, "result");
  if (has_unranked(context)) return types_of_unranked(context);
  const Facet<TypeFn>& rule = record(context.def).type;
  if (rule.refused()) context.fail("", std::string(rule.reason()));
  std::vector<Type> types = rule_types(context, *rule.rule());
  if (context.declared.empty() && !types.empty()) return types;
  if (context.declared.size() != types.size()) {
    context.fail("", "number of results: got " + std::to_string(context.declared.size()) + ", expected " +
                         std::to_string(types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!is_compatible(types[i], context.declared[i])) {
      context.fail(result_label(context.def.mnemonic, i, context.declared[i], types[i]),
                   "type of result " + std::to_string(i) + ": got " + context.declared[i].str() + ", expected " +
                       types[i].str());
    }
  }
  return context.declared;
}

}  // namespace weft
