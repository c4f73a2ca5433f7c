// Loops that lanes leave on their own, and those that go back over what they kept, for all lanes at once.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft {

/// A weft.lane_while that pushes on a stack of each lane and the one that pops from it (as reverse derivatives write loops of a length by
/// lane) become two loops over all lanes with one stack of all lanes' values, where that is cheaper (ops/control_flow/lane_cost.h): the
/// first runs until the last lane leaves, the second over as many trips, which a lane joins at its own last one. A lane that does not
/// run keeps its values by selection. What is only summed over the lanes afterwards, gradients of what they share, is summed over them in each
/// trip. The order of such sums changes. Null when nothing changed.
/// `likely`: what a number of lanes is taken for that only stands for one; none: itself.
std::unique_ptr<Function> pair_lanes(const Function& f, const std::function<int64_t(int64_t)>& likely = {});

}  // namespace weft
