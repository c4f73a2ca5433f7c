// What a call needs of memory at its peak, and whether it may.
#pragma once
#include "native/schedule/memory.h"

namespace weft::native {

/// Adds what a function needs: the entry all of it; another one its constants, since its workspace is part of its callers' scratch.
void add_memory_use(const Function& function, const Block& schedule, const MemoryPlan& plan,
                    const MemoryPlanInput& rules, size_t scratch_bytes, bool is_entry, MemoryUse& out);

/// Throws UserError, with both numbers, for a call that needs more than the limit that was set (CompileOptions::memory_limit), or
/// whose workspace is more than the machine has left.
void expect_within_limit(const Function& function, const MemoryUse& use, size_t limit);

}  // namespace weft::native
