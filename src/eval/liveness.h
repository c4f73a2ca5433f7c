// Where each value of a function is used last, so that the evaluator can let go of it.
#pragma once
#include <vector>

#include "ir/function.h"

namespace weft {

class Liveness {
 public:
  explicit Liveness(const Function& f);
  /// Whether operand `i` of `op` may be moved out of its place: nothing reads the value afterwards.
  bool is_last_use(OpId op, size_t i) const { return last_operand_[first_operand_[op.index] + i]; }
  /// Values to drop when `op` is done: captured by its regions for the last time, or results that nobody reads.
  std::span<const Value> dead_after(OpId op) const { return dead_after_[op.index]; }
  bool is_used(Value v) const { return static_cast<bool>(last_use_[v.index]); }

 private:
  void visit(const Function& f, RegionId region);
  std::vector<OpId>
      last_use_;  // per value: the op of the value's own region that uses it last, itself or within its regions
  std::vector<OpId> last_nested_use_;  // per value: the same, uses within regions only
  std::vector<uint32_t> first_operand_;
  std::vector<bool> last_operand_;
  std::vector<std::vector<Value>> dead_after_;
};

}  // namespace weft
