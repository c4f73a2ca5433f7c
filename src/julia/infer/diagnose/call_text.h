// How a call is written in messages.
#pragma once
#include <string>

#include "julia/infer/border/constants.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

/// As --entry takes one: f(Matrix{Float64}(3, 4), Int64; by = Int64); numbers that are constants by their values.
std::string call_text(Evaluator& e, const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords,
                      Constants constants);

}  // namespace weft::julia
