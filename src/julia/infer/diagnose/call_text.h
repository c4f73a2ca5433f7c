// A call as text.
#pragma once
#include <span>
#include <string>

#include "julia/run/evaluator.h"

namespace weft::julia {

/// As --entry takes one: f(Matrix{Float64}(3, 4), Int64; by = Int64). `fixed_integers`: Int64 arguments by their values.
std::string call_text(Evaluator& e, const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords,
                      bool fixed_integers);

}  // namespace weft::julia
