// uniform_quantize and uniform_dequantize: between numbers and the integers that stand for them (ops/quantized/quantization.h).
#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

constexpr Refuse kSamples{"operands of samples are not quantized; tests/op/quantization_test.cc has values"};
constexpr Refuse kNotScalar{"written out in ops on integers and numbers before code is made"};
constexpr Refuse kNoDerivative{
    "quantization rounds, so its derivative is zero almost everywhere; give the function around it a rule of its own "
    "(weft.jvp, weft.vjp), such as that of the identity"};
constexpr Refuse kNoLanes{"quantized types have none; quantize before the lanes or after them"};

std::vector<Type> type_uniform_quantize(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const Type x = c.operands[0], result = c.declared_result();
  if (!x.is_quantized() && !is_float(x.element_type()))
    c.fail("uniform_quantize_i1",
           "operand 0: got " + x.str() + ", expected a tensor of floating-point or quantized type");
  if (!result.is_quantized())
    c.fail("uniform_quantize_o1", "result: got " + result.str() + ", expected a quantized tensor");
  const ElementType expressed = x.is_quantized() ? x.quantization()->expressed : x.element_type();
  if (result.quantization()->expressed != expressed) {
    c.fail("uniform_quantize_c2", "expressed type of the result: got " +
                                      std::string(name(result.quantization()->expressed)) + ", expected " +
                                      std::string(name(expressed)));
  }
  const Type shape = expressed_type(result);
  if (!is_compatible(shape, expressed_type(x)))
    c.fail("uniform_quantize_c1", "shape of the result: got " + result.str() + ", expected that of " + x.str());
  return {merge_types(shape, expressed_type(x)).with_elements_of(result)};
}

std::vector<EvalValue> eval_uniform_quantize(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Type from = op.operand_type(0), to = op.result_type();
  const Tensor x = from.is_quantized() ? dequantize(operands[0].tensor, *from.quantization()) : operands[0].tensor;
  return {quantize(x, *to.quantization(), to.element_type())};
}

std::vector<Type> type_uniform_dequantize(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const Type x = c.operands[0];
  if (!x.is_quantized()) c.fail("uniform_dequantize_i1", "operand 0: got " + x.str() + ", expected a quantized tensor");
  const Type result = expressed_type(x);
  if (c.declared.size() == 1 && !is_compatible(c.declared[0], result)) {
    const bool elements = !same_elements(c.declared[0], result);
    c.expect_equal(elements ? "uniform_dequantize_c2" : "uniform_dequantize_c1", "type of the result", c.declared[0],
                   result);
  }
  return {result};
}

std::vector<EvalValue> eval_uniform_dequantize(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  return {dequantize(operands[0].tensor, *op.operand_type(0).quantization())};
}

constexpr OpRecord quantization_record(std::string_view mnemonic, std::string_view doc, TypeFn* type, EvalFn* eval) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = Syntax::kElementwise,
           .schema = {},
           .type = type,
           .eval = eval,
           .scalar = kNotScalar,
           .linearize = kNoDerivative,
           .transpose = kNotLinear,
           .vectorize = kNoLanes,
           .uniformity = uniformity_any,
           .simplify = simplify_none,
           .aliases = alias_none,
           .effects = Effects::kPure,
           .cost = cost_elementwise,
           .to_stablehlo = portable_as_is,
           .samples = kSamples}};
}

const OpRecord kRecords[] = {
    quantization_record(
        "stablehlo.uniform_quantize",
        "x / scale + zero_point, kept within the storage range and rounded to nearest even; of a quantized "
        "operand what it stands for.",
        type_uniform_quantize, eval_uniform_quantize),
    quantization_record("stablehlo.uniform_dequantize", "(x - zero_point) * scale, in the expressed type.",
                        type_uniform_dequantize, eval_uniform_dequantize),
};

}  // namespace

Family quantization_ops() { return kRecords; }

}  // namespace weft
