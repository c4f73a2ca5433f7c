// Elementwise ops on two operands beyond the core: neighbours of floats, zeta, polygamma, upper halves of products.
#include "ops/elementwise/chlo_families.h"
#include "ops/elementwise/elementwise.h"
#include "ops/scalar/special_coefficients.h"
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

Val binary_op(std::string_view mnemonic, Val a, Val b) {
  return {a.builder, a.builder->make(mnemonic, {a.value, b.value})};
}

Linearized linearize_polygamma(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                               std::span<const Value> tangents) {
  if (tangents[0]) throw Unsupported("[chlo.polygamma] derivative by operand 0: the order is a whole number", op.loc());
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val n{b, primals[0]}, x{b, primals[1]};
  return {results, {context.linear().multiply(tangents[1], binary_op("chlo.polygamma", n + 1, x).value)}};
}

/// ∂ζ(s, q)/∂s for s > 1, q > 0: the series of the function itself (ten terms, then Euler-Maclaurin's), each term's derivative. NaN
/// elsewhere: left of 0 the function exists at whole s only.
Val zeta_by_order(Val s0, Val q0) {
  OpBuilder& b = *s0.builder;
  const auto widened = [&](Val v) { return Val{&b, b.convert(v.value, ElementType::kF64)}; };
  const Val s = widened(s0), q = widened(q0);
  const auto term = [&](Val a) { return binary_op("stablehlo.power", a, -s); };
  constexpr int kTerms = 10;
  Val sum = q.unary("stablehlo.log") * term(q);
  for (int k = 1; k < kTerms; ++k) sum = sum + (q + k).unary("stablehlo.log") * term(q + k);
  const Val a = q + kTerms, inverse = 1 / a, square = inverse * inverse, first = term(a), whole = a / (s - 1);
  Val factor = s * inverse, slope = inverse, tail = s.lift(0.5), tail_slope = s.lift(0);
  double step = 0;
  for (double c : special_coefficients::kEulerMaclaurin) {
    tail = tail + c * factor;
    tail_slope = tail_slope + c * slope;
    const Val next = (s + (step + 1)) * (s + (step + 2)) * square;
    slope = slope * next + factor * (2 * s + (2 * step + 3)) * square;
    factor = factor * next;
    step += 2;
  }
  const Val rest = first * (tail_slope - whole / (s - 1) - a.unary("stablehlo.log") * (whole + tail));
  // Far out, where the series' factors overflow, the power before them is 0.
  const Val value = select(compare(first, s.lift(0), "GT"), rest, s.lift(0)) - sum;
  const Val is_inside = select(compare(s, s.lift(1), "GT"), compare(q, q.lift(0), "GT"), compare(s, s, "NE"));
  return {&b, b.convert(select(is_inside, value, s.lift(NAN)).value, s0.type().element_type())};
}

Linearized linearize_zeta(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val s{b, primals[0]}, q{b, primals[1]};
  Value tangent;
  if (tangents[0]) tangent = context.linear().multiply(tangents[0], zeta_by_order(s, q).value);
  if (tangents[1]) {
    const Value by_q = context.linear().multiply(tangents[1], (-s * binary_op("chlo.zeta", s + 1, q)).value);
    tangent = tangent ? context.linear().add(tangent, by_q) : by_q;
  }
  return {results, {tangent}};
}

/// And those whose derivatives there are.
std::vector<Sample> polygamma_samples() {
  std::vector<Sample> out = elementwise_samples("chlo.polygamma", 2, kFloatClass, {.low = 0.5, .high = 6}, false);
  out.push_back({"f64 by operand 1",
                 {{Type::tensor(ElementType::kF64, {2, 3}), {0.5, 6, true}}},
                 [](OpBuilder& b, std::span<const Value> x) {
                   return std::vector{b.make("chlo.polygamma", {b.splat(b.type(x[0]), 3), x[0]})};
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
        {.linearize = linearize_zeta, .transpose = kNotLinear, .cost = cost_transcendental, .to_stablehlo = kChloOnly},
        [] { return elementwise_samples("chlo.zeta", 2, kFloatClass, {.low = 1.2, .high = 6}, true); }),
    binary<kFloatClass, [](auto n, auto x) { return polygamma(n, x); }>(
        "chlo.polygamma", "The n-th derivative of digamma at x; NaN unless n is 0, 1, 2, ….",
        {.linearize = linearize_polygamma,
         .transpose = kNotLinear,
         .cost = cost_transcendental,
         .to_stablehlo = kChloOnly},
        polygamma_samples),
    binary<kIntegerClass, [](auto a, auto b) { return mulhi(a, b); }>(
        "chlo.mulhi", "The upper half of the product, of twice the width.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .to_stablehlo = kChloOnly},
        [] { return elementwise_samples("chlo.mulhi", 2, kIntegerClass, {}, false); }),
};

}  // namespace

Family chlo_binary_ops() { return kRecords; }

}  // namespace weft
