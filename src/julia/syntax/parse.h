// Julia source → syntax tree: the whole grammar of Julia 1.12 (docs/julia.md).
#pragma once
#include <string_view>
#include <vector>

#include "julia/syntax/diagnostics.h"
#include "julia/syntax/tree.h"

namespace weft::julia {

struct Parsed {
  Tree tree;
  std::vector<Diagnostic> diagnostics;  // by place
  bool ok() const { return !has_errors(diagnostics); }
};

/// Reads a file's text, which outlives the result. Never throws for what the text says: what is wrong with it is in the
/// diagnostics, and the tree holds error nodes there. Throws UserError when the text has 4 GiB or more.
Parsed parse(std::string_view source);

}  // namespace weft::julia
