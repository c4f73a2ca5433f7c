// Entries by text: f(Matrix{Float32}(3, 4), Float64) is a call of f with a 3×4 matrix and a number.
#pragma once
#include <string>

#include "julia/infer/border/compiled.h"

namespace weft::julia {

struct Entry {
  Value callee;
  std::vector<Value> arguments;  // of the types and sizes that the text says; zeros
  std::vector<Keyword> keywords;
  std::string name;
  std::map<int64_t, std::string> open_extents;  // those of the samples that stand for open ones: their names
  std::set<size_t> unfixed;                     // arguments, then keywords, whose numbers the text gives no values for
};

/// In Main of a program that has run. An argument is a type, for a number; an array type with extents, of which `?` and names that the program does
/// not know are open (equal names are equal extents); or an expression whose value is the
/// argument (numbers among it are still arguments of the compiled function, but for those that sizes depend on: these are constants). Throws
/// UserError for another text.
Entry read_entry(Evaluator& evaluator, const std::string& text);

/// How the entry is compiled, for `weft check` as for its program.
CompileCallOptions options_of(const Entry& entry, CompileCallOptions options);

/// The entry's program with its function under `name`. Throws UserError with the diagnosis when it is not compiled.
TracedCall trace_entry(Evaluator& evaluator, const Entry& entry, const CompileCallOptions& options = {});

}  // namespace weft::julia
