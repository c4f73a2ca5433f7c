// Programs that check values, where checks cannot run: they return the values, and the checks run elsewhere.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

struct SplitChecks {
  /// The module, its entry without the checks of its body: after its own results it returns each value that they look at.
  std::shared_ptr<const Module> program;
  /// A module with the function "checks" of these values, which returns nothing. Null when the entry checks nothing.
  std::shared_ptr<const Module> checks;
  size_t num_results = 0;  // the program's own
};

/// The ops check.* and custom calls of such names in the body of `entry`; those within loops, branches and callees stay. `weft_checks`:
/// weft.check too, also within loops and branches (transform/first_failure.h): the first that fails is the one that the checks find, and
/// loops end there. What a check gives is true where it was.
SplitChecks split_checks(const Module& module, const std::string& entry, bool weft_checks);

}  // namespace weft
