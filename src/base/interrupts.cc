#include "base/interrupts.h"

#include "weft/interrupt.h"

namespace weft {
namespace {

uint32_t count = 0;

}  // namespace

uint32_t* interrupt_count() noexcept { return &count; }

void interrupt() noexcept { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

}  // namespace weft
