// Compiled functions as values of the program.
#pragma once
#include <span>

#include "julia/run/intrinsics.h"

namespace weft::julia {

std::span<const IntrinsicEntry> compile_intrinsics();

}  // namespace weft::julia
