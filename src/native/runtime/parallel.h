// Parallel sections for C++ code of the native target; the meaning is weft_rt_parallel's (aot_runtime/weft_rt.h).
#pragma once
#include <cstdint>
#include <type_traits>

#include "native/aot_runtime/weft_rt.h"

namespace weft::rt {

/// Runs fn(ctx, p, parts) for each p in [0, parts). `parts` is the compile option `partitions` or less, never the thread count.
inline void parallel(weft_rt_part_fn fn, void* ctx, int64_t parts) { weft_rt_parallel(fn, ctx, parts); }

/// The same for a callable body(part, parts), which must not throw. No allocation.
template <class Body>
void parallel(int64_t parts, Body&& body) {
  using Callable = std::remove_reference_t<Body>;
  weft_rt_parallel([](void* ctx, int64_t part, int64_t of) noexcept { (*static_cast<Callable*>(ctx))(part, of); },
                   const_cast<void*>(static_cast<const void*>(&body)), parts);
}

/// Keeps other parallel sections out while a library runs its own threads. Does nothing inside a section.
class SectionLock {
 public:
  SectionLock() : entered_(weft_rt_section_enter()) {}
  ~SectionLock() { weft_rt_section_leave(entered_); }
  SectionLock(const SectionLock&) = delete;
  SectionLock& operator=(const SectionLock&) = delete;

 private:
  int entered_;
};

inline int cpu_count() { return weft_rt_cpu_count(); }
inline int thread_count() { return weft_rt_thread_count(); }

}  // namespace weft::rt
