// Random Julia programs, most of which parse, and the laws that the evaluator keeps on any program.
#pragma once
#include <string>
#include <vector>

#include "reduce/random.h"

namespace weft::fuzz {

using reduce::Random;

/// Statements over a few variables that call functions of Base with arguments of any type, or a damaged program of the corpus.
std::string julia_program(Random& random, const std::vector<std::string>& corpus);

/// Loads the library, which the cases that follow share.
void load_julia();

/// What is wrong with how the evaluator runs a program, "kind: more"; empty when nothing is: it ends, by its last value, an
/// exception of Julia or a refusal, within limits of time and memory; what it is told to stop, it stops. Runs in a child.
std::string julia_run_fault_of(const std::string& text);

}  // namespace weft::fuzz
