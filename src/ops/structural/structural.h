// What the files of structural records share: ops that move elements, linear in all operands together.
#pragma once
#include <functional>
#include <optional>

#include "ops/families.h"

namespace weft {

struct StructuralFacets {
  TypeFn* type;
  EvalFn* eval;
  TransposeFn* transpose;
  VectorizeFn* vectorize;
  SimplifyFn* simplify;
  AliasFn* aliases;
  SamplesFn* samples;
};

constexpr OpRecord structural_record(std::string_view mnemonic, std::string_view doc, Schema schema,
                                     StructuralFacets facets, CostFn* cost = cost_move) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = Syntax::kClauses,
           .schema = schema,
           .type = facets.type,
           .eval = facets.eval,
           .scalar = kNotElementwise,
           .linearize = linearize_linear,
           .transpose = facets.transpose,
           .vectorize = facets.vectorize,
           .uniformity = uniformity_any,
           .simplify = facets.simplify,
           .aliases = facets.aliases,
           .effects = Effects::kPure,
           .cost = cost,
           .to_stablehlo = portable_as_is,
           .samples = facets.samples}};
}

/// Axes of an unbatched value as axes of the same value with the lane axis in front: {0, a+1, …}.
std::vector<int64_t> with_lane_axis(std::span<const int64_t> axes);
std::vector<int64_t> prepend(int64_t first, std::span<const int64_t> rest);
/// The operand with its lane axis.
Value lane_operand(VectorizeContext& context, const LaneValue& v);
/// Operand 0 of the op that makes operand 0, when that is the same kind of op; else none.
Value operand_of_same_op(const OpView& op);
/// The result as a splat constant, when operand 0 is a constant of one element and the op only repeats or moves it.
std::optional<std::vector<Value>> resized_splat(SimplifyContext& context, const OpView& op);
void expect_tensor_operand(const TypeContext& context, size_t i);
/// A sample on one operand; differentiable when its type is.
Sample structural_sample(std::string label, Type operand, std::function<Value(OpBuilder&, Value)> emit);

}  // namespace weft
