// Runs cases in children of a process that has loaded the library: a crash or a loop without end is the failure of one case.
#pragma once
#include <functional>
#include <vector>

#include "tests/julia/score/case.h"

namespace weft::julia::score {

struct Limits {
  int jobs = 2;
  int seconds = 5;    // of CPU time, for one case
  size_t batch = 32;  // cases that a child runs one after another in one session
};

/// One verdict for each case, in order. A case that ends its child is run again alone, in a fresh session.
std::vector<Verdict> run_cases(const std::vector<const Case*>& cases, Session& session, const Limits& limits);

}  // namespace weft::julia::score
