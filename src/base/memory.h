// What the machine's memory can hold.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/// Throws UserError "out of memory: WHAT needs 4.0 TiB, 12.3 GiB are available" for a request that memory and swap space, or the
/// cgroup, cannot hold now. The system promises more than it has and ends the process when the promise is called in, so large
/// requests ask here first; small ones pass unasked.
void expect_memory(size_t bytes, const std::string& what);

/// The limit that the user set: `given` unless it is 0, else the environment variable WEFT_MEMORY_LIMIT; 0: none.
size_t memory_limit(size_t given);

/// "4.0 TiB"; exact bytes where that is short.
std::string memory_text(size_t bytes);

/// Bytes of "1000", "64K", "500M", "2G" or "1T" (also KiB, MB, …; powers of 1024). Throws UserError that names `what` otherwise.
size_t parse_memory_size(std::string_view text, const std::string& what);

}  // namespace weft
