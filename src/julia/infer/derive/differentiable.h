// What a program can be differentiated by.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace weft::julia {

/// Tensors of floats and of complex numbers.
bool has_derivatives(weft::Type t);
/// By position: whether a derivative of one of the first `results` results could flow to the argument; where there is none, whether it is looked at.
std::vector<bool> used_arguments(const Function& f, size_t results = SIZE_MAX);

}  // namespace weft::julia
