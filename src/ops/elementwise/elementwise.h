// Records of elementwise ops from one generic line: the value as a lambda over the number type (Num in eval, SExpr in native
// code), the derivative as a lambda over Val.
#pragma once
#include <string_view>

#include "ops/families.h"
#include "ops/scalar/num.h"
#include "ops/scalar/scalar_math.h"

namespace weft {

/// Applies `f(const Num* args) -> Num` element by element. A rank-0 operand stands for all elements. The result has the op's
/// element type and the shape of the operand of highest rank.
template <class F>
std::vector<EvalValue> map_elements(const OpView& op, std::span<const EvalValue> operands, F f) {
  const Tensor* widest = &operands[0].tensor;
  for (const EvalValue& v : operands) {
    if (v.tensor.rank() > widest->rank()) widest = &v.tensor;
  }
  const ElementType type = op.result_type().element_type();
  Tensor out(type, widest->shape());
  Num args[3];
  for (int64_t i = 0; i < out.size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const Tensor& t = operands[k].tensor;
      args[k] = load_num(t.raw(), t.element_type(), t.size() == 1 ? 0 : i);
    }
    Num value = f(static_cast<const Num*>(args));
    value.type = type;
    store_num(out.raw(), value, i);
  }
  return {out};
}

template <size_t kCount, auto kValue>
std::vector<EvalValue> eval_elementwise(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  return map_elements(op, operands, [](const Num* x) {
    if constexpr (kCount == 1) {
      return kValue(x[0]);
    } else {
      return kValue(x[0], x[1]);
    }
  });
}

template <size_t kCount, auto kValue>
SExpr scalar_elementwise(const OpView&, std::span<const SExpr> x) {
  if constexpr (kCount == 1) {
    return kValue(x[0]);
  } else {
    return kValue(x[0], x[1]);
  }
}

/// tangent = partial(x, y) · tangent of x, with y the result.
template <auto kPartial>
Linearized linearize_unary(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                           std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val partial = kPartial(Val{b, primals[0]}, Val{b, results[0]});
  return {results, {context.linear().multiply(tangents[0], partial.value)}};
}

/// tangent = Σ partial_i(x0, x1, y) · tangent of x_i over the tangents present.
template <auto kPartial0, auto kPartial1>
Linearized linearize_binary(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val x0{b, primals[0]}, x1{b, primals[1]}, y{b, results[0]};
  Value sum;
  if (tangents[0]) sum = context.linear().multiply(tangents[0], kPartial0(x0, x1, y).value);
  if (tangents[1])
    sum = add_tangents(context.linear(), sum, context.linear().multiply(tangents[1], kPartial1(x0, x1, y).value));
  return {results, {sum}};
}

/// The literal's only or splat element, when `v` is such a constant.
std::optional<Num> splat_value(SimplifyContext& context, Value v);

/// Samples of an op on `count` operands of one type, for the element types in `classes`. `real` is the domain of
/// floats (its smooth_only and special are set per sample), integers range over [-20, 20] or [0, 20], with extremes when special.
std::vector<Sample> elementwise_samples(std::string_view mnemonic, size_t count, unsigned classes, Domain real,
                                        bool differentiable);

/// What distinguishes one elementwise op from another.
struct ElementwiseFacets {
  Facet<LinearizeFn> linearize;
  Facet<TransposeFn> transpose;
  SimplifyFn* simplify = simplify_fold;
  CostFn* cost = cost_elementwise;
  Facet<PortableFn> to_stablehlo = portable_as_is;
};

/// The record of an op on kCount operands of one type with a result of that type.
template <size_t kCount, unsigned kClasses, auto kValue>
constexpr OpRecord elementwise_record(std::string_view mnemonic, std::string_view doc, ElementwiseFacets facets,
                                      SamplesFn* samples) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = Syntax::kElementwise,
           .schema = {},
           .type = type_same<kCount, kClasses>,
           .eval = eval_elementwise<kCount, kValue>,
           .scalar = scalar_elementwise<kCount, kValue>,
           .linearize = facets.linearize,
           .transpose = facets.transpose,
           .vectorize = vectorize_elementwise,
           .uniformity = uniformity_any,
           .simplify = facets.simplify,
           .aliases = alias_elementwise,
           .effects = Effects::kPure,
           .cost = facets.cost,
           .to_stablehlo = facets.to_stablehlo,
           .samples = samples}};
}

}  // namespace weft
