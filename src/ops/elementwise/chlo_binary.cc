// Elementwise ops on two operands beyond the core: neighbours of floats, zeta, polygamma, upper halves of products.
#include "ops/elementwise/chlo_families.h"
#include "ops/elementwise/elementwise.h"
#include "ops/scalar/special_functions.h"

namespace weft {
namespace {

template <unsigned kClasses, auto kValue>
constexpr OpRecord binary(std::string_view mnemonic, std::string_view doc, ElementwiseFacets facets,
                          SamplesFn* samples) {
  return elementwise_record<2, kClasses, kValue>(mnemonic, doc, facets, samples);
}

// ---- next_after -------------------------------------------------------------------------------------------------------------

std::vector<EvalValue> eval_next_after(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const ElementType t = op.result_type().element_type();
  return map_elements(op, operands, [t](const Num* x) { return next_after(x[0], x[1], t); });
}
SExpr scalar_next_after(const OpView& op, std::span<const SExpr> x) {
  return next_after(x[0], x[1], op.result_type().element_type());
}

// ---- zeta, polygamma ----------------------------------------------------------------------------------------------------------

/// tangent = kPartial(x0, x1) · tangent of operand 1; by operand 0, the order, there is no closed form.
template <auto kPartial>
Linearized linearize_second(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  if (tangents[0]) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] derivative by operand 0: there is no closed form",
                      op.loc());
  }
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val partial = kPartial(Val{b, primals[0]}, Val{b, primals[1]});
  return {results, {context.linear().multiply(tangents[1], partial.value)}};
}

Val binary_op(std::string_view mnemonic, Val a, Val b) {
  return {a.builder, a.builder->make(mnemonic, {a.value, b.value})};
}

/// And one whose derivative there is: by operand 1.
std::vector<Sample> samples_by_second(std::string_view mnemonic, double low) {
  std::vector<Sample> out = elementwise_samples(mnemonic, 2, kFloatClass, {.low = low, .high = 6}, false);
  out.push_back({"f64 by operand 1",
                 {{Type::tensor(ElementType::kF64, {2, 3}), {low, 6, true}}},
                 [mnemonic](OpBuilder& b, std::span<const Value> x) {
                   return std::vector{b.make(mnemonic, {b.splat(b.type(x[0]), 3), x[0]})};
                 }});
  return out;
}

// ---- the table ------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    {{.mnemonic = "chlo.next_after"},
     {.doc = "The neighbour of x among the floats of its type, in the direction of y; y when they are equal.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_same<2, kFloatClass>,
      .eval = eval_next_after,
      .scalar = scalar_next_after,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = kChloOnly,
      .samples = [] { return elementwise_samples("chlo.next_after", 2, kFloatClass, {}, false); }}},
    binary<kFloatClass, [](auto s, auto q) { return zeta(s, q); }>(
        "chlo.zeta", "Hurwitz's zeta function, the sum over k >= 0 of (q + k) to the power of -s.",
        {.linearize = linearize_second<[](Val s, Val q) { return -s * binary_op("chlo.zeta", s + 1, q); }>,
         .transpose = kNotLinear,
         .cost = cost_transcendental,
         .to_stablehlo = kChloOnly},
        [] { return samples_by_second("chlo.zeta", 1.2); }),
    binary<kFloatClass, [](auto n, auto x) { return polygamma(n, x); }>(
        "chlo.polygamma", "The n-th derivative of digamma at x; NaN unless n is 0, 1, 2, ….",
        {.linearize = linearize_second<[](Val n, Val x) { return binary_op("chlo.polygamma", n + 1, x); }>,
         .transpose = kNotLinear,
         .cost = cost_transcendental,
         .to_stablehlo = kChloOnly},
        [] { return samples_by_second("chlo.polygamma", 0.5); }),
    binary<kIntegerClass, [](auto a, auto b) { return mulhi(a, b); }>(
        "chlo.mulhi", "The upper half of the product, of twice the width.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .to_stablehlo = kChloOnly},
        [] { return elementwise_samples("chlo.mulhi", 2, kIntegerClass, {}, false); }),
};

}  // namespace

Family chlo_binary_ops() { return kRecords; }

}  // namespace weft
