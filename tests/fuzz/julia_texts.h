// Julia sources that are wrong in many ways, and the laws that the parser keeps on any text.
#pragma once
#include <string>
#include <vector>

#include "reduce/random.h"

namespace weft::fuzz {

/// A damaged program, random bytes, random tokens, or a few tokens repeated many times.
std::string wrong_julia(reduce::Random& random, const std::vector<std::string>& corpus);

/// What is wrong with how the parser takes a text, "kind: more"; empty when nothing is. Nodes lie inside their parents and in
/// order, places inside the text; the tree can be printed; literals of a text without errors have values.
std::string julia_fault_of(const std::string& text);

}  // namespace weft::fuzz
