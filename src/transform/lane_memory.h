// How much memory a lane takes, guessed before anything is scheduled.
#pragma once
#include <vector>

#include "ir/function.h"

namespace weft {

/// Bytes that a lane of f needs at its height where the marked arguments differ by lane. Elementwise values with one use count nothing, since
/// they fuse; stacks of loops whose number of iterations is not known count as 64 deep. No calls may be left but those of recursion,
/// whose inside counts nothing.
double lane_bytes(const Module& module, const Function& f, const std::vector<bool>& varies);

/// Lanes at once so that `per_lane` bytes each stay within `budget`: at least one, a multiple of 8 where 8 fit, all of them where all do.
int64_t lanes_within(double budget, double per_lane, int64_t lanes);

}  // namespace weft
