// Lanes that carry tensors, many at a time.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft {

/// A weft.lane_while whose lanes carry tensors becomes a loop over all lanes at once, or over a block of them, where that is cheaper
/// (ops/control_flow/lane_cost.h): lanes that are done keep their values, and once a quarter of a block is done its places go to lanes that
/// wait. Lanes with effects, stacks or loops of their own stay as they are. The order of sums within a lane may change. Null when nothing changed.
/// `likely`: what a number of lanes is taken for that only stands for one; none: itself.
std::unique_ptr<Function> block_lanes(const Function& f, const std::function<int64_t(int64_t)>& likely = {});

}  // namespace weft
