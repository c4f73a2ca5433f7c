// Reductions over axes of extent 1, which differentiation leaves: one application of the body, no loop.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// A copy of f in which such reductions are elementwise ops on a reshape; null when there are none.
std::unique_ptr<Function> without_trivial_reductions(const Function& f);

}  // namespace weft::native
