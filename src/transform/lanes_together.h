// Loops that each lane leaves on its own, where only loops exist that all leave together.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// Each weft.lane_while becomes a while over all lanes at once that ends when the last lane leaves: a lane that has left keeps its
/// values by selection, whatever the body computes for it. One whose ops have no lanes stays as it is. Null when nothing changed.
std::unique_ptr<Function> run_lanes_together(const Function& f);

}  // namespace weft
