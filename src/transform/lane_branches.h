// Branches that lanes take apart, for many lanes at once.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft {

/// A weft.lane_while that its lanes run once or not at all (as `vectorize` writes the branches that lanes take apart) becomes the body for all
/// lanes, of whose values those that took the branch keep theirs; or a loop over blocks of only those lanes, gathered before it and put
/// back after; whichever is cheapest (ops/control_flow/lane_cost.h), lane after lane included. Null when nothing changed.
/// `likely`: what a number of lanes is taken for that only stands for one; none: itself.
std::unique_ptr<Function> join_branches(const Function& f, const std::function<int64_t(int64_t)>& likely = {});

}  // namespace weft
