// What a program of an entry takes and gives, in Julia's terms.
#pragma once
#include <string>
#include <vector>

#include "julia/infer/border/entry.h"

namespace weft::julia {

/// One text for each argument and for each result: "z.re: Float64", "A: Matrix{Float64}, column by column", "s.n after the call: Int64".
struct LeafNotes {
  std::vector<std::string> arguments, results;
};

LeafNotes leaf_notes(Evaluator& evaluator, const Entry& entry, const TracedCall& traced);

}  // namespace weft::julia
