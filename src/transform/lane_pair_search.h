// Loops of lanes of which one keeps values on stacks for the other.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// A carry that is a stack: pushed or popped once in each trip.
struct StackUse {
  size_t carry;
  OpId access;
};

/// A carry that starts at zero, to which terms are added, and of which the sum over lanes is all that is asked.
struct LaneSum {
  size_t carry;
  std::vector<OpId> adds, reductions;
  std::vector<Value> terms;
};

/// A weft.lane_while.
struct LaneLoop {
  OpId op;
  size_t carries = 0;
  std::vector<int64_t> axes, varies;
  std::vector<StackUse> stacks;
  std::vector<LaneSum> sums;

  bool is_stack(size_t i) const {
    return std::ranges::any_of(stacks, [&](const StackUse& s) { return s.carry == i; });
  }
  bool is_sum(size_t i) const {
    return std::ranges::any_of(sums, [&](const LaneSum& s) { return s.carry == i; });
  }
};

/// A loop that pushes and the one that pops.
struct LanePair {
  LaneLoop first, second;
  std::vector<size_t> source;  // of the second's stacks: which of the first's
  size_t counter = 0;          // the first's carry that counts trips; the second runs as many
  bool runs_together = false;
  std::string note;
  // Of the new loops.
  std::vector<Value> stacks;
  Value trips, counts;  // the most of a lane; of each
};

/// The pairs of f that all lanes could run together: each lane pushes once in every trip of the first and pops once in every trip of the
/// second, which makes as many; nothing in them has an effect, loops or calls. `is_zero`: whether a value is nothing but zeros.
std::vector<LanePair> lane_pairs(const Function& f, const std::function<bool(Value)>& is_zero);

}  // namespace weft
