// Ending calls before they are done.
#pragma once

namespace weft {

/// Makes the compiled calls that run now, on all threads, end with UserError "interrupted" at their next kernel or turn of a loop.
/// Calls that begin later are not concerned. Results, and variables that the call updates, then hold unspecified values; everything
/// stays usable. Safe in a signal handler.
void interrupt() noexcept;

}  // namespace weft
