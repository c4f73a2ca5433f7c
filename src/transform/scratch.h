// Composing transforms: in a copy of the module, of which only the outcome goes back.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"

namespace weft {

/// Adds to the module a function that returns some of f's results only and computes nothing else; its name.
std::string with_results(Module& module, const Function& f, std::span<const size_t> which);

/// Installs a function of a scratch copy of the module in the module, with what it calls of the functions made there.
Function& move_out(const Module& scratch, const std::string& name, Module& module, const std::string& as);

}  // namespace weft
