// Front of parallel sections: partition count, nesting and the lock. The threads are parallel_pthread.c's in AOT
// libraries and under ThreadSanitizer (which knows nothing of libgomp's barriers), parallel_openmp.c's in the JIT's
// process, where oneDNN and OpenBLAS use libgomp too and a second spinning pool would cost them 2-8x.
#include <pthread.h>

#include "section.h"

_Thread_local int weft_rt_thread_in_section;

// Eight callers with a team each would make regions of 38 us out of 1 us; taking turns is faster for all of them.
static pthread_mutex_t section_lock = PTHREAD_MUTEX_INITIALIZER;

int weft_rt_in_section(void) { return weft_rt_thread_in_section; }

int weft_rt_section_enter(void) {
  if (weft_rt_thread_in_section || weft_rt_in_foreign_team()) return 0;
  pthread_mutex_lock(&section_lock);
  weft_rt_thread_in_section = 1;
  return 1;
}

void weft_rt_section_leave(int entered) {
  if (!entered) return;
  weft_rt_thread_in_section = 0;
  pthread_mutex_unlock(&section_lock);
}

void weft_rt_section_after_fork(void) {
  if (!weft_rt_thread_in_section) pthread_mutex_init(&section_lock, NULL);
}

static void run_serially(weft_rt_part_fn fn, void* ctx, int64_t parts) {
  for (int64_t part = 0; part < parts; ++part) fn(ctx, part, parts);
}

void weft_rt_parallel(weft_rt_part_fn fn, void* ctx, int64_t parts) {
  if (parts == 1) {
    fn(ctx, 0, 1);
    return;
  }
  int threads = weft_rt_thread_count();
  if (threads > parts) threads = (int)parts;
  // The lock counts sections with threads; without threads there is nothing to take turns for.
  if (threads < 2 || !weft_rt_section_enter()) {
    run_serially(fn, ctx, parts);
    return;
  }
  weft_rt_run_section(fn, ctx, parts, threads);
  weft_rt_section_leave(1);
}
