// Programs that take more and more memory.
#pragma once

namespace weft::julia {

/// From here on the process gets no more memory than the system has to give: what asks for more is an OutOfMemoryError, where the system would
/// kill the process.
void limit_memory();
/// Memory that is kept for what an exception needs when there is no other; called before one is made.
void release_reserved_memory();

}  // namespace weft::julia
