// What must hold for every well typed program, whatever it computes.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/target.h"

namespace weft::fuzz {

/// A module's @main and arguments for it.
struct Program {
  std::shared_ptr<Module> module;
  std::vector<std::vector<Tensor>> inputs;
};

/// Bit for bit, but any NaN equals any NaN.
bool is_same(const Tensor& a, const Tensor& b);

/// The first law that the program breaks, "kind: details"; empty when it keeps all: it verifies; its text reads back as what was
/// printed; simplified it computes the same, simplifying again changes nothing; with its extents forgotten and refined it computes
/// the same.
std::string broken_law(const Program& program);
/// As above for one law: `target` computes what the evaluator does.
std::string differs_on(const Target& target, const Program& program);

/// A copy of the module whose functions the caller may change.
std::shared_ptr<Module> copy_of(const Module& module);

}  // namespace weft::fuzz
