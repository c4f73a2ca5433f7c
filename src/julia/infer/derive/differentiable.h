// What a program can be differentiated by.
#pragma once
#include <vector>

#include "ir/function.h"

namespace weft::julia {

/// Tensors of floats and of complex numbers.
bool has_derivatives(weft::Type t);
/// By position: whether the function looks at the argument.
std::vector<bool> used_arguments(const Function& f);

}  // namespace weft::julia
