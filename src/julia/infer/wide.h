// Integers of 128 bits, which compiled code has as two words of 64, and characters.
#pragma once
#include "julia/infer/emit/emit.h"

namespace weft::julia {

bool is_wide_integer(const Type* t);
std::span<const Emission> wide_emissions();
std::span<const Emission> character_emissions();

}  // namespace weft::julia
