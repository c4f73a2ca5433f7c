// Records run in processes of their own, so that a crash or a hang is one failed record.
#pragma once
#include <functional>
#include <vector>

#include "cli/test_record.h"

namespace weft::cli {

/// Calls `run` for 0 … count-1 in `jobs` child processes; `seconds` is the limit of one call. `report` is called here, in order of completion.
void run_in_workers(size_t count, int jobs, int seconds, const std::function<Outcome(size_t)>& run,
                    const std::function<void(size_t, const Outcome&)>& report);

}  // namespace weft::cli
