// Derivatives and lanes of collective ops. A derivative is that of the sum of what all processes compute: all of them run the derivative
// of the same function, whose collectives meet as those of the function do.
#pragma once
#include "ops/families.h"

namespace weft {

/// all_gather, all_to_all, collective_broadcast, collective_permute: linear.
Linearized linearize_movement(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                              std::span<const Value> tangents);
/// all_reduce, collective_reduce, reduce_scatter: linear when the body adds; otherwise that of the body on what all_gather brings.
Linearized linearize_reduction(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                               std::span<const Value> tangents);

// Each the transpose of the other, or of itself.
std::vector<Value> transpose_all_gather(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_reduce_scatter(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_all_reduce(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_all_to_all(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_collective_permute(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_collective_broadcast(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_collective_reduce(TransposeContext&, const OpView&, std::span<const Value> cotangents);

/// Lanes are a leading dimension of what is sent: all of them go at once. Roots that differ by lane: the op once for each lane.
std::vector<LaneValue> vectorize_collective(VectorizeContext& context, const OpView& op,
                                            std::span<const LaneValue> operands);

}  // namespace weft
