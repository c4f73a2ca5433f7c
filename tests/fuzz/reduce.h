// Failing cases made small: greedily, keeping each step after which the case still fails in the same way.
#pragma once
#include <functional>
#include <string>

#include "tests/fuzz/laws.h"

namespace weft::fuzz {

using StillFails = std::function<bool(const Program&)>;
/// Drops results, ops and arguments, takes loops and branches apart, makes extents smaller. Stops after `seconds`.
Program reduced(Program program, const StillFails& still_fails, double seconds);

/// The program as text in which @main takes nothing: it calls what was @main on its first input.
std::string self_contained(const Program& program);

using TextFails = std::function<bool(const std::string&)>;
/// Delta debugging by lines, then by tokens.
std::string reduced_text(std::string text, const TextFails& still_fails, double seconds);

}  // namespace weft::fuzz
