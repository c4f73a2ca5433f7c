// Stacks of one value: what loops in reverse keep of each trip is often the same in all of them.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// What is popped from a stack, or from stacks on a stack, onto which only equal constants or only one value from around all its pushes
/// and pops went is that value. The stack is left without a reader. Null when nothing changed.
std::unique_ptr<Function> know_stacks(const Function& f);

}  // namespace weft
