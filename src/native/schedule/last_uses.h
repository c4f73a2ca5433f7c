// Where in the order of steps a value is needed for the last time.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "native/schedule/schedule.h"

namespace weft::native {

/// Numbers the steps of a schedule (Step::begin, end) and finds the last use of each value.
class LastUses {
 public:
  static constexpr int64_t kNever = -1;

  LastUses(const Function& function, Block& schedule);

  /// The position of the last use; kNever for a value without uses outside branches.
  int64_t last(Value v) const;
  /// Of a branch of a case: values from around it, and where it uses them last.
  const std::unordered_map<Value, int64_t>& in_branch(RegionId branch) const;

 private:
  struct BlockInfo {
    Step* owner;  // the step it belongs to; null for the body
    Block* outer;
  };

  void number(Block& block, Step* owner, Block* outer);
  void find(Block& block);
  void use(Value v, RegionId region, int64_t position);

  const Function& f_;
  int64_t position_ = 0;
  std::unordered_map<RegionId, BlockInfo> info_;
  std::unordered_map<Value, int64_t> last_;
  std::unordered_map<RegionId, std::unordered_map<Value, int64_t>> in_branches_;
};

}  // namespace weft::native
