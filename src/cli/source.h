// Programs as text, from files or standard input.
#pragma once
#include <memory>
#include <string>

#include "ir/function.h"

namespace weft::cli {

/// The text of a program; "-" is standard input. Throws Unsupported for MLIR bytecode and for what jax.export serializes, saying
/// how to print text, and UserError for files that are no text.
std::string read_program(const std::string& file);
/// Reads, parses and verifies.
std::unique_ptr<Module> load(const std::string& file);

}  // namespace weft::cli
