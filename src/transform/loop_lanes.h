// Loops over independent elements, as lanes.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// A counted loop of which each iteration makes one row of its results from the counter and what does not change, all values being
/// small (`jax.lax.map` of a function of scalars), becomes a computation of all iterations at once. Null when nothing changed.
std::unique_ptr<Function> spread_maps(const Function& f);

/// A loop over tensors of one shape that goes on while any element wants to and changes those that do (what batching makes of a
/// loop on scalars: `jax.vmap`) becomes weft.lane_while, in which an element that is done costs nothing. Null when nothing changed.
std::unique_ptr<Function> free_lanes(const Function& f);

}  // namespace weft
