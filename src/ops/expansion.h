// Ops that are short for others (dot, einsum, batch_norm_training …). The expansion is their only rule: evaluation runs it,
// simplification writes it out, derivatives and lanes are those of the ops it consists of.
#pragma once
#include "ops/families.h"

namespace weft {

/// Emits the op on `operands` in other ops at the builder; reads only the view's attributes, never its operands or types.
using ExpandFn = std::vector<Value>(OpBuilder&, const OpView&, std::span<const Value> operands);

namespace expansion_detail {

std::vector<EvalValue> eval(ExpandFn* expand, EvalContext& context, const OpView& op,
                            std::span<const EvalValue> operands);
Linearized linearize(ExpandFn* expand, LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                     std::span<const Value> tangents);
std::vector<LaneValue> vectorize(ExpandFn* expand, VectorizeContext& context, const OpView& op,
                                 std::span<const LaneValue> operands);
/// The expansion where all types are static; else nothing.
std::vector<Value> simplify(ExpandFn* expand, OpBuilder& builder, const OpView& op);

}  // namespace expansion_detail

template <ExpandFn* kExpand>
std::vector<EvalValue> eval_expansion(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return expansion_detail::eval(kExpand, context, op, operands);
}
template <ExpandFn* kExpand>
Linearized linearize_expansion(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                               std::span<const Value> tangents) {
  return expansion_detail::linearize(kExpand, context, op, primals, tangents);
}
template <ExpandFn* kExpand>
std::vector<LaneValue> vectorize_expansion(VectorizeContext& context, const OpView& op,
                                           std::span<const LaneValue> operands) {
  return expansion_detail::vectorize(kExpand, context, op, operands);
}
template <ExpandFn* kExpand>
std::vector<Value> simplify_expansion(SimplifyContext& context, const OpView& op) {
  return expansion_detail::simplify(kExpand, context.builder(), op);
}

inline constexpr Refuse kExpands{"its linearization is that of the ops it is short for, so it never stands on a tape"};

/// The record of an op that is short for others without regions.
template <ExpandFn* kExpand>
constexpr OpRecord expansion_record(std::string_view mnemonic, std::string_view doc, Syntax syntax, Schema schema,
                                    TypeFn* type, CostFn* cost, Facet<SamplesFn> samples) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = syntax,
           .schema = schema,
           .type = type,
           .eval = eval_expansion<kExpand>,
           .scalar = kNotElementwise,
           .linearize = linearize_expansion<kExpand>,
           .transpose = kExpands,
           .vectorize = vectorize_expansion<kExpand>,
           .uniformity = uniformity_any,
           .simplify = simplify_expansion<kExpand>,
           .aliases = alias_none,
           .effects = Effects::kPure,
           .cost = cost,
           .to_stablehlo = portable_as_is,
           .samples = samples}};
}

}  // namespace weft
