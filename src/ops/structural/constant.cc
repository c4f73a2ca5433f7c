// constant and iota: ops without operands.
#include <cmath>

#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/quantized/quantization.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

constexpr Refuse kNoOperands{"the op has no operands, so neither tangents nor lanes reach it"};

std::vector<Type> type_constant(const TypeContext& context) {
  context.expect_operands(0);
  const Type t = context.attrs.literal("value").type;
  if (context.declared.size() != 1 || !context.declared[0].is_quantized()) return {t};
  // Quantized constants are given by their storage integers.
  const Type result = context.declared[0];
  if (!is_compatible(t, storage_type(result))) context.expect_equal("constant_c1", "value", t, storage_type(result));
  return {result};
}

std::vector<EvalValue> eval_constant(EvalContext&, const OpView& op, std::span<const EvalValue>) {
  return {op.attrs().literal("value").materialize()};
}

std::vector<bool> uniform(UniformityContext&, const OpView& op, const std::vector<bool>&) {
  return std::vector<bool>(op.num_results(), false);
}

std::vector<Sample> samples_constant() {
  std::vector<Sample> out;
  using enum ElementType;
  for (ElementType t : {kI1, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64, kC64, kC128}) {
    out.push_back({std::string(name(t)) + " splat", {}, [t](OpBuilder& b, std::span<const Value>) {
                     return std::vector<Value>{b.splat(Type::tensor(t, {2, 3}), 1)};
                   }});
  }
  out.push_back({"dense", {}, [](OpBuilder& b, std::span<const Value>) {
                   return std::vector<Value>{
                       b.constant(Literal::dense(Tensor::of<float>({1, -0.0f, INFINITY, NAN}, {2, 2})))};
                 }});
  out.push_back({"no elements", {}, [](OpBuilder& b, std::span<const Value>) {
                   return std::vector<Value>{b.constant(Literal::dense(Tensor(kI32, {0, 2})))};
                 }});
  return out;
}

std::vector<Type> type_iota(const TypeContext& context) {
  context.expect_operands(0);
  const Type t = context.declared_result();
  if (!t.is_tensor() || is_boolean(t.element_type())) {
    context.fail(
        "", "type of the result: got " + t.str() + ", expected a tensor of integer, floating-point or complex type");
  }
  const int64_t dimension = context.attrs.integer("iota_dimension");
  if (dimension < 0 || dimension >= t.rank()) {
    context.fail("iota_c1",
                 "iota_dimension: got " + std::to_string(dimension) + ", expected a dimension of " + t.str());
  }
  return {t};
}

std::vector<EvalValue> eval_iota(EvalContext&, const OpView& op, std::span<const EvalValue>) {
  const Type t = op.result_type();
  Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  const size_t dimension = static_cast<size_t>(op.attrs().integer("iota_dimension"));
  int64_t inner = 1;
  for (size_t i = dimension + 1; i < t.shape().size(); ++i) inner *= t.shape()[i];
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t index = i / inner % t.shape()[dimension];
    store_num(out.raw(), convert(Num::of_bits(ElementType::kI64, index), t.element_type()), i);
  }
  return {out};
}

std::vector<Sample> samples_iota() {
  std::vector<Sample> out;
  using enum ElementType;
  const auto add = [&](std::string label, Type t, int64_t dimension) {
    out.push_back({std::move(label), {}, [=](OpBuilder& b, std::span<const Value>) {
                     return std::vector<Value>{b.iota(t, dimension)};
                   }});
  };
  for (ElementType t : {kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64}) {
    add(std::string(name(t)) + " dimension 1", Type::tensor(t, {2, 3, 2}), 1);
  }
  add("i8 wraps", Type::tensor(kI8, {300}), 0);
  add("bf16 rounds", Type::tensor(kBF16, {1000}), 0);
  add("no elements", Type::tensor(kF32, {3, 0}), 0);
  return out;
}

const OpRecord kRecords[] = {
    {{.mnemonic = "stablehlo.constant"},
     {.doc = "The tensor `value`.",
      .syntax = Syntax::kCustom,
      .schema = {{"value", AttrKind::kLiteral}},
      .type = type_constant,
      .eval = eval_constant,
      .scalar = kNotElementwise,
      .linearize = linearize_zero,
      .transpose = kNoOperands,
      .vectorize = kNoOperands,
      .uniformity = uniform,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = samples_constant}},
    {{.mnemonic = "stablehlo.iota"},
     {.doc = "0, 1, 2, … along iota_dimension; rounded, and in integers wrapped, to the element type.",
      .syntax = Syntax::kClauses,
      .schema = {{"iota_dimension", AttrKind::kInt}},
      .type = type_iota,
      .eval = eval_iota,
      .scalar = kNotElementwise,
      .linearize = linearize_zero,
      .transpose = kNoOperands,
      .vectorize = kNoOperands,
      .uniformity = uniform,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_iota}},
};

}  // namespace

Family constant_ops() { return kRecords; }

}  // namespace weft
