// Integers of 128 bits, which compiled code has as two words of 64, and characters.
#pragma once
#include "julia/infer/emit/emit.h"

namespace weft::julia {

bool is_wide_integer(const Type* t);
/// Of values that are one number when the program runs: machine numbers but the widest, and characters.
std::optional<ElementType> run_time_type(const Type* t);
std::span<const Emission> wide_emissions();
std::span<const Emission> character_emissions();

}  // namespace weft::julia
