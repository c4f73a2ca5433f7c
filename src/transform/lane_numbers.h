// Functions that are told which lane they run for.
#pragma once
#include <map>
#include <string>

#include "ir/function.h"

namespace weft {

/// Copies of the functions in which something asks for the number of the lane or of lanes (weft.lane_index, weft.lane_count of the level):
/// they take the lane's number as one more argument, the last, of type i64, and hand it on to what they call.
class LaneNumbers {
 public:
  LaneNumbers(Module& module, std::string level, int64_t lanes)
      : module_(module), level_(std::move(level)), lanes_(lanes) {}

  /// The name of the copy, which is added to the module, or of the function itself when nothing in it asks. `named_only`: ops that name
  /// no level mean other lanes.
  std::string of(const std::string& name, bool named_only = false);

 private:
  friend class LaneNumberWriter;
  bool asks_itself(const OpView& op, bool named_only) const;
  bool asks(const std::string& name, bool named_only);

  Module& module_;
  std::string level_;
  int64_t lanes_;
  std::map<std::pair<std::string, bool>, std::string> names_;  // of copies, by source
  std::map<std::pair<std::string, bool>, bool> asks_;
};

}  // namespace weft
