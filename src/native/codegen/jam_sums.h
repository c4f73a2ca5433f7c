// Loops around sums of floats, side by side.
#pragma once
#include <llvm/Analysis/LoopInfo.h>

namespace weft::codegen {

/// A sum in the program's order waits for each addition. Of a loop around it several iterations can run side by side in the inner loop, as vectors, unless
/// they depend on each other: LoopUnrollAndJamPass sees to that for the loops that are marked here. Whether there are some.
bool mark_ordered_sums(const llvm::LoopInfo& loops);

}  // namespace weft::codegen
