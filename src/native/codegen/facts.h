// What is known of integers where an entry's code is written: bounds from checks, conditions and counters of loops.
#pragma once
#include <limits>
#include <unordered_map>

#include "native/schedule/schedule.h"

namespace weft::native {

/// Both ends included.
struct Range {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
};

class Facts {
 public:
  explicit Facts(const Function& function) : f_(&function) {}

  /// Bounds of a signed integer scalar of up to 64 bits, or of an unsigned one of up to 32.
  Range range(Value v) const { return range(v, 0); }
  /// Whether the i1 scalar holds whatever happens.
  bool is_true(Value condition) const { return is_true(condition, 0); }

  /// From here on the i1 scalar is known.
  void assume(Value condition, bool holds) { assume(condition, holds, 0); }
  /// A while step's condition is about to be computed, in any turn.
  void enter_condition(const Step& loop);
  /// Its body is about to run: what was found with the condition holds, and counters have left where they started from.
  void enter_body(const Step& loop);

 private:
  Range range(Value v, int depth) const;
  bool is_true(Value condition, int depth) const;
  void assume(Value condition, bool holds, int depth);
  void narrow(Value v, Range r);
  /// `v DIRECTION limit` holds.
  void compare(Value v, std::string_view direction, Range limit);

  const Function* f_;
  std::unordered_map<Value, Range> known_;
};

}  // namespace weft::native
