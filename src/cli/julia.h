// Julia sources on the command line.
#pragma once
#include <string>

namespace weft::cli {

/// By its name: FILE.jl.
bool is_julia(const std::string& file);
/// Writes the syntax tree of a source, and its faults to standard error; whether it has no errors.
bool print_julia_tree(const std::string& file);
/// Throws Unsupported for a Julia source: what the commands for StableHLO programs say of it.
void refuse_julia(const std::string& file);

}  // namespace weft::cli
