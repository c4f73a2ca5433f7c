// Putting a new function into a module.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// Adds the function, in place of the one of its name if there is one. When the old one is called by anything that remains (the
/// new function included), it stays under a new name, private, and its callers follow.
Function& install(Module& module, std::unique_ptr<Function> function);

}  // namespace weft
