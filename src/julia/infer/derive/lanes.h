#pragma once
#include "julia/run/evaluator.h"

namespace weft::julia {

/// _pfor(f, arrays…): f of every lane, joined along a last dimension; nothing where that is not compiled.
Value run_lanes(Evaluator& e, std::span<const Value> arguments);

}  // namespace weft::julia
