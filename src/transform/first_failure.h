// Checks within loops and branches, where checks cannot run: the first that fails is carried out as a value.
#pragma once
#include <vector>

#include "ir/clone.h"
#include "ops/builder.h"

namespace weft {

/// The first weft.check within an op that did not hold, as values of the copy.
struct FirstFailure {
  std::vector<OpId> sites;  // the checks within, in program order
  Value site;               // i32: k + 1 when sites[k] failed first, 0 when all held, -1 when an earlier one had failed
  std::vector<Value>
      reports;  // what each check reports, one check after the other: as it was when that one failed, else zeros
};

/// Whether checks are within while, if, case or weft.lane_while, nested or not: those that can be carried out.
bool has_inner_checks(const Function& f, OpId op);
/// Whether the op is, or has within, a while whose number of iterations depends on data: after a failed check it may not end.
bool may_not_end(const Function& f, OpId op);

/// Copies the op to where `b` writes. Its results are mapped. A loop ends at the first failure, and is not entered when `earlier` (i32) is -1
/// rather than 0. Of lanes, the first one's failure counts.
FirstFailure copy_with_failures(const Function& f, OpId op, OpBuilder& b, ValueMap& map, Value earlier);

/// Whether all elements hold (i1).
Value all_hold(OpBuilder& b, Value pred);

}  // namespace weft
