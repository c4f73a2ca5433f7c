// Calls that pass stacks.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// A copy of f with every call that takes or returns a stack replaced by the callee's ops, as far as the callee does not call itself; null
/// when f makes no such call. Whether the lanes share a stack is decided where it is made, pushed and popped: in one function.
std::unique_ptr<Function> without_stack_calls(const Module& module, const Function& f);

}  // namespace weft
