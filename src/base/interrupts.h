// How often calls were asked to end (weft/interrupt.h): a call ends when the count differs from the one at its beginning.
#pragma once
#include <cstdint>

namespace weft {

/// Changed by atomic stores; generated code reads it in place.
uint32_t* interrupt_count() noexcept;

}  // namespace weft
