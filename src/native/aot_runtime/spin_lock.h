// A lock for critical sections of a few instructions, on a plain int32_t so that structures shared with C++ and
// generated code need no atomic types. Yields when the holder does not run.
#ifndef WEFT_RT_SPIN_LOCK_H
#define WEFT_RT_SPIN_LOCK_H

#include <sched.h>
#include <stdint.h>

static inline void weft_rt_cpu_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

static inline void weft_rt_spin_lock(int32_t* lock) {
  for (int tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); ++tries) {
    if (tries < 64) weft_rt_cpu_pause();
    else sched_yield();
  }
}

static inline void weft_rt_spin_unlock(int32_t* lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

#endif
