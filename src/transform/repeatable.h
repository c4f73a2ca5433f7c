// Ops that may run a second time, for derivatives that compute again what they did not keep.
#pragma once
#include <string>
#include <unordered_map>

#include "ir/function.h"

namespace weft {

class RepeatableOps {
 public:
  /// With `by_values` output may come twice, as long as values are the same.
  explicit RepeatableOps(const Module& module, bool by_values = false) : module_(module), by_values_(by_values) {}
  /// Whether the op gives the same when it runs again and nobody but its error message can tell. A check passes as it did before;
  /// stateful random numbers, input and output do not. Ops in its regions and in what it calls count.
  bool can_repeat(const OpView& op);
  /// The same of a function's ops, without those that have no results: what runs again leaves them out.
  bool can_repeat(const Function& f);

 private:
  bool all(const Function& f, RegionId region);
  const Module& module_;
  const bool by_values_;
  std::unordered_map<std::string, bool> callees_;
};

}  // namespace weft
