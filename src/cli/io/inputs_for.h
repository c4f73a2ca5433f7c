// Inputs for commands that need some, whichever: given ones first, random ones for the rest.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::cli {

/// As read_inputs (io/inputs.h) when any are given; otherwise random values, the same for the same seed: floats between -4 and 4,
/// integers between -4 and 6. Open extents must be given.
std::vector<Tensor> inputs_for(const Function& f, std::span<const std::string> given, uint64_t seed);

}  // namespace weft::cli
