// Products of a sequence's elements with what does not change, for all of the sequence at once.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// In a counted loop, `dot_general(x[t], w)` of a slice of a sequence by the counter and a w from around the loop becomes a slice of
/// one product of the whole sequence before the loop; `dot_general(concatenate(x[t], h), w)` is split into the two parts first,
/// which changes the order of its sums. Null when nothing changed.
std::unique_ptr<Function> batch_inputs(const Function& f);

}  // namespace weft
