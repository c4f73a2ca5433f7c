// StableHLO text → IR: MLIR's pretty and generic forms of the ops that have a record (docs/text.md).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ir/function.h"

namespace weft {

/// Parses and verifies a module. A text that is not wrapped in `module` is one of its functions. Throws UserError with the
/// place at fault, or Unsupported for an op, type or attribute that Weft does not know.
std::unique_ptr<Module> parse_module(std::string_view text, std::string_view file_name);
/// Parses without checking types: the op verifier has not run.
std::unique_ptr<Module> parse_unverified(std::string_view text, std::string_view file_name);

}  // namespace weft
