#ifdef WEFT_RT_OPENMP
#include <omp.h>

#include "section.h"

int weft_rt_in_foreign_team(void) { return omp_in_parallel(); }

// libgomp's entry, called by name so that every compiler gets the pool that oneDNN and OpenBLAS use, without -fopenmp.
void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags);

typedef struct {
  weft_rt_part_fn fn;
  void* ctx;
  int64_t parts;
} section;

static void work_on(void* data) {
  const section* work = data;
  int before = weft_rt_thread_in_section;
  weft_rt_thread_in_section = 1;
  // A thread keeps its parts from section to section, so that what it wrote is in its own cache.
  int64_t me = omp_get_thread_num(), team = omp_get_num_threads(), each = work->parts / team, more = work->parts % team;
  int64_t first = each * me + (me < more ? me : more);
  int64_t last = first + each + (me < more);
  for (int64_t part = first; part < last; ++part) work->fn(work->ctx, part, work->parts);
  weft_rt_thread_in_section = before;
}

void weft_rt_run_section(weft_rt_part_fn fn, void* ctx, int64_t parts, int threads) {
  section work = {fn, ctx, parts};
  GOMP_parallel(work_on, &work, (unsigned)threads, 0);
}
#endif
