// Sums of products over the iterations of a loop: one product after the loop.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft {

/// In a counted loop, `acc += dot_general(a, b)` (also transposed or reshaped) becomes stores of a and b into sequences and one
/// dot_general after the loop that contracts the iterations too, where that reads and writes less: the sum of a recurrent
/// network's weight gradients over time. An operand that is a slice of a sequence by the counter needs no store.
/// The order of summation changes. Null when nothing changed.
/// `likely`: what an extent is taken for in weighing memory, where it only stands for one; none: itself.
std::unique_ptr<Function> hoist_sums(const Function& f, const std::function<int64_t(int64_t)>& likely = {});

}  // namespace weft
