// Sources that go on where others of the same module ended: inputs of a prompt, included files.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "julia/lower/form.h"

namespace weft::julia {

/// lower_source, where the module has these globals already: loops at top level mean them, or Julia warns (ScopeOptions).
std::unique_ptr<Code> lower_source(std::string text, const LowerOptions& options, std::unordered_set<Symbol> globals,
                                   std::vector<Diagnostic>& diagnostics);

}  // namespace weft::julia
