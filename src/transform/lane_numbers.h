// Functions that are told which lane they run for.
#pragma once
#include <map>
#include <string>

#include "ir/function.h"

namespace weft {

/// Forgets that prints of f have the number of lanes to come: where a loop over lanes holds the function of one.
void forget_numbered(Function& f);

/// Copies of the functions in which something asks for the number of the lane or of lanes (weft.lane_index, weft.lane_count of the level):
/// they take the lane's number as one more argument, the last, of type i64, and hand it on to what they call. So do those that print in loops,
/// branches or calls, which lanes may go through apart: the number becomes an operand of the print.
class LaneNumbers {
 public:
  LaneNumbers(Module& module, std::string level, int64_t lanes)
      : module_(module), level_(std::move(level)), lanes_(lanes) {}

  /// The name of the copy, which is added to the module, or of the function itself when nothing in it asks. `named_only`: ops that name
  /// no level mean other lanes.
  std::string of(const std::string& name, bool named_only = false);
  /// To be called when lanes have been written: prints of the copies have these lanes' number then, and may get one of others.
  void forget();

 private:
  friend class LaneNumberWriter;
  /// A print that is to say its lane. `is_top`: it stands in the body of the function that gets lanes, whose rule says it.
  bool is_unnumbered(const OpView& op, bool named_only, bool is_top) const;
  bool is_top(const Function& f, OpId op) const;
  bool asks_itself(const OpView& op, bool named_only) const;
  bool asks(const std::string& name, bool named_only);

  Module& module_;
  std::string level_;
  int64_t lanes_;
  std::string entry_;
  std::map<std::pair<std::string, bool>, std::string> names_;  // of copies, by source
  std::map<std::pair<std::string, bool>, bool> asks_;
};

}  // namespace weft
