// Which numbers the rng ops of a program draw.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// A copy of the module in which each rng op carries its position in its own function as `weft.seed`, so that its numbers stay the same
/// where its function is copied into others; null when there is no rng.
std::unique_ptr<Module> with_seeds(const Module& module);

}  // namespace weft::native
