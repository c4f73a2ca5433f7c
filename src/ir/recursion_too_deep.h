// The failure of a program whose recursion does not end within the stack it has.
#pragma once
#include "weft/error.h"

namespace weft {

class RecursionTooDeep : public UserError {
 public:
  RecursionTooDeep(const std::string& message, int64_t calls, Loc loc = {}) : UserError(message, loc), calls_(calls) {}
  /// Calls of recursive functions that ran when it was given up.
  int64_t calls() const { return calls_; }

 private:
  int64_t calls_;
};

}  // namespace weft
