// What lanes share, apart from what each of them computes: so that a loop over chunks of lanes computes it once.
#pragma once
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// A function cut in two, both in its module and private.
struct SharedPart {
  /// f's arguments → values that none of the marked arguments reaches. Empty: there are none.
  std::string shared;
  std::vector<Type> values;
  /// f's arguments, then those values → f's results.
  std::string rest;
};
/// `varies`: the arguments that differ by lane. What is cheap and larger than what it is made of (broadcasts) stays with what uses it, as
/// do stacks, which are used once. Calls are inlined first, but those of
/// recursion and of functions with derivative rules, which count as varying.
SharedPart cut_shared(Module& module, const std::string& f, const std::vector<bool>& varies);

}  // namespace weft
