// Places in the arena for the buffers of a memory plan.
#pragma once
#include "native/schedule/memory.h"

namespace weft::native {

/// Offsets by lifetime: buffers in order of their beginning, each in the smallest free gap that fits.
void pack(MemoryPlan& plan);

/// Every buffer on pages of its own, its end at their end, with pages between them that nothing may touch (MemoryPlan::guards).
void pack_guarded(MemoryPlan& plan);

}  // namespace weft::native
