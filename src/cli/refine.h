// Open extents of an entry from the values of its arguments.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"

namespace weft::cli {

/// Makes the entry's extents those of `args`, and everything that follows from them; nothing where they are static already.
void refine_to(Module& module, const std::string& entry, std::span<const Tensor> args);

}  // namespace weft::cli
