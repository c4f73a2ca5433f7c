// What must hold for every well typed program, whatever it computes.
#pragma once
#include <string>
#include <vector>

#include "ir/target.h"
#include "reduce/random.h"
#include "reduce/reduce.h"

namespace weft::fuzz {

using reduce::Program;
using reduce::Random;

/// Bit for bit, but any NaN equals any NaN.
bool is_same(const Tensor& a, const Tensor& b);

/// The first law that the program breaks, "kind: details"; empty when it keeps all: it verifies; its text reads back as what was
/// printed; simplified it computes the same, simplifying again changes nothing; with its extents forgotten and refined it computes
/// the same.
std::string broken_law(const Program& program);
/// As above for one law: `target` computes what the evaluator does.
std::string differs_on(const Target& target, const Program& program);

}  // namespace weft::fuzz
