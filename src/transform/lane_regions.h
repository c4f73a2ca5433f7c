// What is asked of the regions of a weft.lane_while before lanes are taken through them together.
#pragma once
#include "ir/function.h"

namespace weft {

/// Whether a lane that is done may go through the ops of a region with the others: they have no effect, come to an end, call nothing and
/// have lane rules. `but`: ops at the region's top that are not looked at.
bool is_quiet(const Function& f, RegionId region, const std::vector<OpId>& but = {});

}  // namespace weft
