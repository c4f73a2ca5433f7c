// `weft build FILE.jl -o PROGRAM`: an executable with the program's sources in it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/julia_run.h"

namespace weft::cli {

/// Writes a copy of this executable that runs the source and what it includes. Throws UserError for a file that cannot be read as Julia, and
/// for an include whose path is not written down.
int build_julia_program(const std::string& file, const std::string& output, CompileMode compile);

/// Runs the program that this executable carries, on `arguments`; nothing when it carries none.
std::optional<int> run_carried_program(const std::vector<std::string>& arguments);

}  // namespace weft::cli
