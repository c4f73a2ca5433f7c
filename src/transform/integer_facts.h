// What is known of integers at a place of a function: bounds from checks, conditions and counters of loops.
#pragma once
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "ir/function.h"

namespace weft {

/// Both ends included.
struct IntegerRange {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  /// What lies in one of both.
  IntegerRange joined(IntegerRange other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
};

class IntegerFacts {
 public:
  explicit IntegerFacts(const Function& function) : f_(&function) {}

  /// Bounds of a signed integer scalar of up to 64 bits, or of an unsigned one of up to 32.
  IntegerRange range(Value v) const { return range(v, 0); }
  /// Whether the i1 scalar holds whatever happens.
  bool is_true(Value condition) const { return is_true(condition, 0); }

  /// From here on the i1 scalar is known.
  void assume(Value condition, bool holds) { assume(condition, holds, 0); }
  /// Bounds where the i1 scalar is known.
  IntegerRange range_when(Value condition, bool holds, Value v) const {
    IntegerFacts then = *this;
    then.assume(condition, holds);
    return then.range(v);
  }
  /// The scalar lies in the range, whatever way it came from.
  void learn(Value v, IntegerRange r) { narrow(v, r); }
  /// The condition of a while op is about to be computed, in any turn.
  void enter_condition(OpId loop);
  /// Its body is about to run: what was found with the condition holds, and counters have left where they started from.
  void enter_body(OpId loop);

 private:
  IntegerRange range(Value v, int depth) const;
  bool is_true(Value condition, int depth) const;
  void assume(Value condition, bool holds, int depth);
  void narrow(Value v, IntegerRange r);
  /// `v DIRECTION limit` holds.
  void compare(Value v, std::string_view direction, IntegerRange limit);

  std::span<const Value> results(RegionId r) const { return f_->operands(f_->terminator(r)); }

  const Function* f_;
  std::unordered_map<Value, IntegerRange> known_;
};

/// Whether a program's entry runs to its end once it has begun: every check in it holds whatever its arguments are, and nothing in it
/// prints or recurs.
bool runs_through(const Module& program, const std::string& entry);

}  // namespace weft
