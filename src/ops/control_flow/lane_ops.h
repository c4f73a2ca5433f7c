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
/// The attribute of an interpreter.print whose first number of a lane is that of the lanes to come, of the level it names.
inline constexpr const char* kNumbered = "weft.numbered";
/// Whether the op, of the kinds above, means lanes of that level. One that names no level means the innermost lanes.
bool is_of_level(const OpView& op, std::string_view level);
/// Whether ops in what an op calls can mean lanes of that level: what weft.pfor calls runs in lanes of its own, past which only a
/// name reaches. `named_only` becomes true then.
bool reaches_through(const OpView& op, std::string_view level, bool& named_only);

}  // namespace weft
