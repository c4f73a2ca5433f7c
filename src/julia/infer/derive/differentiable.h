// What a program can be differentiated by.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace weft::julia {

/// Tensors of floats and of complex numbers.
bool has_derivatives(weft::Type t);
/// By position: whether a derivative of one of the first `results` results could flow to the argument; where it flows to none of `by`, whether
/// a number was calculated with it of which the results do not look at this part.
std::vector<bool> used_arguments(const Function& f, std::span<const size_t> by, size_t results = SIZE_MAX);

}  // namespace weft::julia
