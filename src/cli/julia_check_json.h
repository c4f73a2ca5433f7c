// The answer of `weft check --json`; docs/julia.md describes its fields.
#pragma once
#include <string>
#include <vector>

#include "julia/infer/diagnose/check.h"
#include "julia/syntax/diagnostics.h"

namespace weft::cli {

/// The object of one file.
std::string checked_json(const julia::Checked& checked, const std::vector<julia::Diagnostic>& diagnostics,
                         const std::string& source, const std::string& file);

}  // namespace weft::cli
