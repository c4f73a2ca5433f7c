// Lengths of gradients that need not be formed.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"

namespace weft {

/// Adds to `module`, under the name `as` as `jvp` does, a function of f's arguments that returns the squared length of the gradient of result 0, a
/// floating-point scalar, by all of `args` together, in its type. A part of the gradient that is a product A·B of T terms is
/// not formed where that costs more than its length by Σ_st (AᵀA)_st·(BBᵀ)_st; of an outer product that is |a|²·|b|².
/// Errors as for `gradient`.
Function& squared_gradient_norm(Module& module, const std::string& f, std::span<const size_t> args,
                                const std::string& as);

}  // namespace weft
