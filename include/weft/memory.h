// What compiled functions keep between calls.
#pragma once
#include <cstddef>

namespace weft {

/// Gives the working memory that compiled functions hold for their next call back to the system; returns its bytes. Calls that run
/// now, and bound calls, keep theirs. The next call of a function allocates anew.
size_t release_idle_memory();

}  // namespace weft
