// Lanes of ops with effects outside of the program.
#pragma once
#include "ops/families.h"

namespace weft {

/// The op once for each lane, in the order of lanes, on the lane's parts of its operands: as a loop over lanes would run it. Tokens pass from
/// one to the next. Unsupported when the number of lanes is not known.
std::vector<LaneValue> vectorize_lane_by_lane(VectorizeContext& context, const OpView& op,
                                              std::span<const LaneValue> operands);
/// Each lane takes values of its own, whatever the operands: all results but tokens vary.
std::vector<bool> uniformity_drawn(UniformityContext& context, const OpView& op, const std::vector<bool>& operands);
/// No result varies: tokens, what is the same for the whole process.
std::vector<bool> uniformity_none(UniformityContext& context, const OpView& op, const std::vector<bool>& operands);
/// The op as it is; its results are the same for all lanes.
std::vector<LaneValue> vectorize_once(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands);

}  // namespace weft
