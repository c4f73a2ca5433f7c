// A proof of a memory plan that knows nothing of how the plan was made: it follows the schedule as the entry runs it and keeps book
// of what each buffer holds.
#pragma once
#include "native/schedule/memory.h"

namespace weft::native {

#if defined(__OPTIMIZE__)
inline constexpr bool kAlwaysCheckMemoryPlan = false;
#else
inline constexpr bool kAlwaysCheckMemoryPlan = true;
#endif

/// Every value that is read must still be where the plan has it, on every path and in every turn of a loop. Where a kernel writes
/// over bytes that it reads, either the kernel updates that input in place, or it reads the input at the index it writes only.
/// Throws InternalError that names the two values otherwise.
void check_memory_plan(const Function& function, const Block& schedule, const MemoryPlan& plan,
                       const MemoryPlanInput& rules);

}  // namespace weft::native
