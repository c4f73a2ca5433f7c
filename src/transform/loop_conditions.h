// Sums that a loop's condition and its body both need, computed once.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// Loops over lanes ask in the condition whether any lane goes on, and in the body which ones do. Where the answer comes from sums of
/// floats (reductions, products), the order of the terms is each kernel's own, so two computations may differ in the last place: the
/// condition would go on while the body leaves every lane as it is, for ever. What the condition needs of such sums, and the body has
/// too, is carried instead: computed before the loop, and from the next carries at the end of the body. Null when nothing changed.
std::unique_ptr<Function> share_conditions(const Function& f);

}  // namespace weft
