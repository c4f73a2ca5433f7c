// Rules that ops with scalar reduction bodies share.
#pragma once
#include "ops/record.h"
#include "ops/reduction/region_body.h"

namespace weft {

/// Operands are N inputs, then N init values; throws with the constraints' labels unless they fit.
struct ReductionInputs {
  std::vector<Type> inputs, inits;
};
/// labels: count, equal shapes, equal element types. slice: extents that a body on slices could work on.
ReductionInputs check_reduction_inputs(const TypeContext& context, std::string_view count_label,
                                       std::string_view shape_label, std::string_view element_label,
                                       std::span<const int64_t> slice);

/// Unsupported when the body of reduce or reduce_window works on slices instead of single elements.
void expect_scalar_body(const OpView& op, std::string_view what);

/// All results vary when an operand does or the body captures something that does.
std::vector<bool> uniformity_with_bodies(UniformityContext& context, const OpView& op,
                                         const std::vector<bool>& operands);
/// The body as it is, for the vectorized op; Unsupported when it captures values that vary by lane.
RegionId copy_uniform_body(VectorizeContext& context, const OpView& op, RegionId region);
/// The value with a lane axis.
Value over_lanes(VectorizeContext& context, const LaneValue& v);

/// Bodies of which no result says by itself what its derivative is.
constexpr bool has_no_rule(BodyKind kind) {
  return kind != BodyKind::kAdd && kind != BodyKind::kMultiply && kind != BodyKind::kMaximum &&
         kind != BodyKind::kMinimum;
}

/// x of the element type that the body computes in, at `builder`; missing stays missing.
Value promoted(OpBuilder& builder, Value x, ElementType element);
/// A body for `inputs` and `extra` more values: the source body's ops, and for each (result, types) of `followed` a value that is
/// selected by the predicate of that result. Captures are not allowed: Unsupported.
struct Followed {
  size_t result;  // of the source body
  Type type;      // rank-0 type of the value that follows it
};
RegionId following_body(OpBuilder& builder, const OpView& op, RegionId source, std::span<const BodyResult> results,
                        std::span<const Followed> followed);

/// Tangent of result i of a reduction with a body op that stands for itself (add, multiply, maximum, minimum) along `dimensions`
/// of x; result is the primal value. Missing tangents are zero; at least one is present. All of one element type.
/// Ties of maximum and minimum share the tangent equally.
struct ReduceParts {
  Value x, init, result;
  Value x_tangent, init_tangent;
};
Value reduce_tangent(LinearizeContext& context, const OpView& op, BodyKind kind, std::span<const int64_t> dimensions,
                     const ReduceParts& parts);

/// x with the elements along `dimension` that `positions` name; positions has x's shape except along `dimension`.
Value take_along(OpBuilder& builder, Value x, Value positions, int64_t dimension);

/// dimensions of the operand that reduce keeps, ascending.
std::vector<int64_t> kept_axes(int64_t rank, std::span<const int64_t> dimensions);

[[noreturn]] void refuse_body(const OpView& op, std::string_view what, std::string_view reason);

}  // namespace weft
