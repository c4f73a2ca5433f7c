// A stack large enough for deep recursion of Julia programs.
#pragma once
#include <functional>

namespace weft::julia {

/// Runs `body` on a thread with a stack of 256 MiB (of which only what is used takes memory) and waits for it. What it throws is thrown here.
void on_large_stack(const std::function<void()>& body);

}  // namespace weft::julia
