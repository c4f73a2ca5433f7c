// Updates of a part of a tensor, written so that the memory plan can make them in place.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// `a + dynamic_update_slice(zeros, u, at)` becomes an update of a by the slice there plus u: the gradient of a slice costs what
/// the slice does, not what the whole does (-0 outside of the slice stays -0). Updates move behind reads of what they update.
/// Null when nothing changed.
std::unique_ptr<Function> prepare_updates(const Function& f);

}  // namespace weft
