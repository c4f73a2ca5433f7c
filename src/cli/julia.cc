#include "cli/julia.h"

#include <iostream>

#include "base/file.h"
#include "julia/syntax/parse.h"
#include "julia/syntax/sexpr.h"

namespace weft::cli {

bool is_julia(const std::string& file) { return file.ends_with(".jl"); }

bool print_julia_tree(const std::string& file) {
  const std::string source = read_file(file);
  const julia::Parsed parsed = julia::parse(source);
  std::cout << julia::sexpr_lines(parsed.tree, parsed.tree.root());
  std::cerr << julia::render_all(parsed.diagnostics, source, file);
  return parsed.ok();
}

void refuse_julia(const std::string& file) {
  if (is_julia(file))
    throw Unsupported(
        file +
        ": this command takes StableHLO programs; of Julia ones a call, --entry 'f(Float64)'; weft "
        "run runs them, weft check says what is wrong with syntax and names, weft fmt --sexpr prints the tree");
}

}  // namespace weft::cli
