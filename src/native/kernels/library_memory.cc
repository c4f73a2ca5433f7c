#include "native/kernels/library_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace weft::native {

// A sanitizer stands in the place of operator new itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_MEMORY__)

LibraryMemory::LibraryMemory() : before_(-1) {}
LibraryMemory::~LibraryMemory() = default;

}  // namespace weft::native

#else

namespace {

constexpr int kSlots = 64;
constexpr size_t kSlotBytes = 8192, kLargest = 1024;

// One slot serves one scope at a time. `live` counts its objects and, while a scope has it, the scope itself: at 0 it is free.
alignas(64) std::byte slot_bytes[kSlots][kSlotBytes];
std::atomic<uint32_t> live[kSlots];
thread_local int current_slot = -1;
thread_local size_t used = 0;

int acquire() {
  for (int i = 0; i < kSlots; ++i) {
    uint32_t expected = 0;
    if (live[i].compare_exchange_strong(expected, 1, std::memory_order_acquire)) return i;
  }
  return -1;  // all taken: the heap serves
}

/// Null when the heap has to serve.
void* reserve(size_t bytes) noexcept {
  if (current_slot < 0 || bytes > kLargest) return nullptr;
  const size_t rounded = (bytes + 15) / 16 * 16;
  if (live[current_slot].load(std::memory_order_acquire) == 1) used = 0;  // nothing but the scope is left in it
  if (used + rounded > kSlotBytes) return nullptr;
  live[current_slot].fetch_add(1, std::memory_order_relaxed);
  void* p = slot_bytes[current_slot] + used;
  used += rounded;
  return p;
}

/// False when the heap served it.
bool give_back(void* p) noexcept {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(&slot_bytes[0][0]);
  if (offset >= sizeof slot_bytes) return false;
  live[offset / kSlotBytes].fetch_sub(1, std::memory_order_release);
  return true;
}

}  // namespace

LibraryMemory::LibraryMemory() : before_(current_slot) {
  if (current_slot >= 0) return;
  current_slot = acquire();
  used = 0;
}

LibraryMemory::~LibraryMemory() {
  if (before_ >= 0 || current_slot < 0) return;
  live[current_slot].fetch_sub(1, std::memory_order_release);
  current_slot = -1;
}

}  // namespace weft::native

// A replacement as the standard allows it; outside of a scope it does what the standard library's own does. A program that
// replaces these itself keeps its own, and oneDNN then uses them.
void* operator new(size_t bytes) {
  if (void* p = weft::native::reserve(bytes)) return p;
  for (;;) {
    if (void* p = std::malloc(bytes ? bytes : 1)) return p;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* p) noexcept {
  if (p != nullptr && !weft::native::give_back(p)) std::free(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }

#endif
