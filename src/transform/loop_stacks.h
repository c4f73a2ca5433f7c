// What is known of loops once their number of iterations is: final values of counters, room for what they store.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// Integers that a counted loop raises by a constant in each iteration have known values after it. Null when nothing changed.
std::unique_ptr<Function> fold_counters(const Function& f);

/// A stack that one counted loop pushes once in each iteration, and another with as many iterations pops as often, becomes a
/// sequence with room for all, written and read by the counters. Null when nothing changed.
std::unique_ptr<Function> lay_out_stacks(const Function& f);

}  // namespace weft
