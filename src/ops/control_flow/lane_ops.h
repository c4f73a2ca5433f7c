// Ops that mean the lanes around them: their number, their count, and what all of them have.
#pragma once
#include <string_view>

#include "ops/record.h"

namespace weft {

enum class LaneUse : uint8_t {
  kNone,
  kNumber,  // weft.lane_index, weft.lane_count: known before anything runs
  kAll,     // weft.lanes_reduce, weft.lanes_concat: all lanes have to arrive at them
};
LaneUse lane_use(const OpDef& def);
/// Whether the op, of the kinds above, means lanes of that level. One that names no level means the innermost lanes.
bool is_of_level(const OpView& op, std::string_view level);

}  // namespace weft
