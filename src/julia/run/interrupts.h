// Ctrl-C within a program.
#pragma once
#include "julia/host/exception.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

/// Throws InterruptException, once, when the user has asked for it. Whatever may run long asks: loops, calls, iteration, sleep.
inline void check_interrupt() {
  if (!Evaluator::interrupted().load(std::memory_order_relaxed)) return;
  if (Evaluator::interrupted().exchange(false)) throw JuliaError(make_exception("InterruptException"));
}

}  // namespace weft::julia
