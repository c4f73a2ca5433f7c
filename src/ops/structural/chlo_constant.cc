// chlo.constant and chlo.constant_like: simplification writes them as stablehlo.constant.
#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

constexpr Refuse kNoOperands{"the op has no operands, so neither tangents nor lanes reach it"};

std::vector<bool> uniform(UniformityContext&, const OpView& op, const std::vector<bool>&) {
  return std::vector<bool>(op.num_results(), false);
}

std::vector<Type> type_constant(const TypeContext& context) {
  context.expect_operands(0);
  return {context.attrs.literal("value").type};
}

std::vector<EvalValue> eval_constant(EvalContext&, const OpView& op, std::span<const EvalValue>) {
  return {op.attrs().literal("value").materialize()};
}

std::vector<Value> simplify_constant(SimplifyContext& context, const OpView& op) {
  return {context.builder().constant(op.attrs().literal("value"))};
}

std::vector<Sample> samples_constant() {
  return {{"dense", {}, [](OpBuilder& b, std::span<const Value>) {
             return b.create("chlo.constant", {},
                             Attrs{{"value", Literal::dense(Tensor::of<float>({1, -0.0f, 3}, {3}))}});
           }}};
}

// ---- constant_like ----------------------------------------------------------------------------------------------------------

/// The attribute as a number; nothing when it is none.
std::optional<double> number(const Attr& value) {
  if (const auto* v = value.get_if<double>()) return *v;
  if (const auto* v = value.get_if<int64_t>()) return static_cast<double>(*v);
  if (const auto* v = value.get_if<bool>()) return *v ? 1 : 0;
  return std::nullopt;
}

std::vector<Type> type_constant_like(const TypeContext& context) {
  context.expect_operands(1);
  const Type operand = context.operands[0], result = context.declared_result();
  if (!operand.is_tensor() || !result.is_tensor() ||
      !is_compatible(result, operand.with_element(result.element_type()))) {
    context.fail("", "shape of the result: got " + result.str() + ", expected the shape of " + operand.str());
  }
  const Attr& value = *context.attrs.find("value");
  const bool is_whole = value.get_if<double>() == nullptr;
  if (!number(value) || (is_whole && is_float(result.element_type())) ||
      (!is_whole && !is_float(result.element_type()))) {
    context.fail("", "value: got " + value.str() + ", expected a number of the element type of " + result.str());
  }
  return {merge_types(result, operand.with_element(result.element_type()))};
}

std::vector<EvalValue> eval_constant_like(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const ElementType t = op.result_type().element_type();
  const Tensor one = scalar_tensor(t, *number(*op.attrs().find("value")));
  const Shape& shape = operands[0].tensor.shape();
  return {Literal::splat_of(Type::tensor(t, shape), one).materialize()};
}

Value constant_of(OpBuilder& b, const OpView& op) {
  return b.splat(op.result_type(), *number(*op.attrs().find("value")));
}

std::vector<Value> simplify_constant_like(SimplifyContext& context, const OpView& op) {
  if (!op.result_type().is_static()) return {};
  return {constant_of(context.builder(), op)};
}

std::vector<LaneValue> vectorize_constant_like(VectorizeContext& context, const OpView& op,
                                               std::span<const LaneValue>) {
  if (!op.result_type().is_static())
    throw Unsupported("[chlo.constant_like] lanes: the shape must be static", op.loc());
  return {{constant_of(context.builder(), op), false}};
}

std::vector<Sample> samples_constant_like() {
  std::vector<Sample> out;
  for (const auto& [t, value] :
       {std::pair<ElementType, Attr>{ElementType::kF32, 3.5}, {ElementType::kI32, int64_t{7}}}) {
    Sample s;
    s.label = std::string(name(t));
    s.operands = {{Type::tensor(ElementType::kF64, {2, 3}), {}}};
    s.emit = [t = t, value = value](OpBuilder& b, std::span<const Value> x) {
      return std::vector<Value>{
          b.make("chlo.constant_like", {x[0]}, Attrs{{"value", value}}, b.type(x[0]).with_element(t))};
    };
    s.differentiable = false;
    out.push_back(std::move(s));
  }
  return out;
}

const OpRecord kRecords[] = {
    {{.mnemonic = "chlo.constant"},
     {.doc = "The tensor `value`.",
      .syntax = Syntax::kGeneric,
      .schema = {{"value", AttrKind::kLiteral}},
      .type = type_constant,
      .eval = eval_constant,
      .scalar = kNotElementwise,
      .linearize = linearize_zero,
      .transpose = kNoOperands,
      .vectorize = kNoOperands,
      .uniformity = uniform,
      .simplify = simplify_constant,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo =
          [](PortableContext& context, const OpView& op, std::span<const Value>) {
            return std::vector<Value>{context.builder().constant(op.attrs().literal("value"))};
          },
      .samples = samples_constant}},
    {{.mnemonic = "chlo.constant_like"},
     {.doc = "The number `value` in the shape of the operand.",
      .syntax = Syntax::kGeneric,
      .schema = {{"value", AttrKind::kAny}},
      .type = type_constant_like,
      .eval = eval_constant_like,
      .scalar = kNotElementwise,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_constant_like,
      .uniformity = uniform,
      .simplify = simplify_constant_like,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo =
          [](PortableContext& context, const OpView& op, std::span<const Value>) {
            return op.result_type().is_static() ? std::vector<Value>{constant_of(context.builder(), op)}
                                                : std::vector<Value>{};
          },
      .samples = samples_constant_like}},
};

}  // namespace

Family chlo_constant_ops() { return kRecords; }

}  // namespace weft
