// Makes a function smaller without changing its value: the ops' own simplifications (constant folding among them), common
// subexpressions, loop-invariant code, dead code.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

struct SimplifyOptions {
  /// Parts switched off by name, for verification modes: "simplify" (all), "rules", "cse", "licm", "dce".
  std::vector<std::string> disabled;
};

/// A simplified copy. Values are preserved to the bit, effects and their order too. Linear in the size of the function per
/// round, and rounds are few; running it on its own output changes nothing. Without a module every call counts as an effect.
std::unique_ptr<Function> simplify(const Function& f, const Module* module, const SimplifyOptions& options = {});
/// Every function of the module in turn.
void simplify(Module& module, const SimplifyOptions& options = {});

}  // namespace weft
