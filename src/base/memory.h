// What the machine's memory can hold.
#pragma once
#include <cstddef>
#include <string>

namespace weft {

/// Throws UserError "out of memory: WHAT needs 4.0 TiB, 12.3 GiB are available" for a request that memory and swap space cannot
/// hold now. The system promises more than it has and ends the process when the promise is called in, so large requests ask
/// here first; small ones pass unasked.
void expect_memory(size_t bytes, const std::string& what);

}  // namespace weft
