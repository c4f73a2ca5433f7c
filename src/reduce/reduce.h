// Failing programs made small: greedily, keeping each step after which the program still fails in the same way.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::reduce {

/// A module's @main and arguments for it.
struct Program {
  std::shared_ptr<Module> module;
  std::vector<std::vector<Tensor>> inputs;
};

using StillFails = std::function<bool(const Program&)>;
/// Drops results, ops and arguments, takes loops and branches apart, makes extents smaller. Stops after `seconds`.
Program reduced(Program program, const StillFails& still_fails, double seconds);

/// The program as text in which @main takes nothing: it calls what was @main on its first input.
std::string self_contained(const Program& program);

}  // namespace weft::reduce
