#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "other_library.h"
#include "weft_rt.h"
#include "weft_rt_gemm.h"

// dnnl_sgemm is the same in all versions since 1.0.
typedef int (*sgemm_fn)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*, int64_t,
                        float, float*, int64_t);

static const char* const kNames[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so.1", NULL};
static weft_rt_other_library onednn = {"WEFT_ONEDNN", kNames, NULL};

// OpenMP's functions among what libdnnl needs; absent when it has threads of another kind.
static sgemm_fn sgemm;
static int (*get_threads)(void);
static void (*set_threads)(int);

static void* find(const char* name) { return dlsym(onednn.handle, name); }

int weft_rt_gemm_open(char* message, size_t bytes) {
  if (__atomic_load_n(&sgemm, __ATOMIC_ACQUIRE)) return 0;
  if (weft_rt_other_library_open(&onednn, message, bytes)) return 1;
  void *run = find("dnnl_sgemm"), *get = find("omp_get_max_threads"), *set = find("omp_set_num_threads");
  if (!run) {
    snprintf(message, bytes, "the oneDNN library has no dnnl_sgemm");
    return 1;
  }
  memcpy(&get_threads, &get, sizeof get);
  memcpy(&set_threads, &set, sizeof set);
  sgemm_fn made;
  memcpy(&made, &run, sizeof run);
  __atomic_store_n(&sgemm, made, __ATOMIC_RELEASE);
  return 0;
}

int weft_rt_gemm_run(const weft_rt_gemm* g, void* const* buffers) {
  const float* a = buffers[g->is_swapped ? 1 : 0];
  const float* b = buffers[g->is_swapped ? 0 : 1];
  float* c = buffers[2];
  int64_t count = 1;
  for (int32_t d = 0; d < g->batch_rank; ++d) count *= g->batch[4 * d];
  // Its threads and ours do not run at the same time, and are as many.
  const int entered = weft_rt_section_enter();
  const int before = get_threads && set_threads ? get_threads() : 0;
  if (before) set_threads(weft_rt_thread_count());
  int status = 0;
  for (int64_t i = 0; i < count && status == 0; ++i) {
    int64_t rest = i, at[3] = {0, 0, 0};
    for (int32_t d = g->batch_rank; d-- > 0;) {
      const int64_t* dimension = g->batch + 4 * d;
      const int64_t index = rest % dimension[0];
      rest /= dimension[0];
      for (int side = 0; side < 3; ++side) at[side] += index * dimension[1 + side];
    }
    status = sgemm(g->a_side, g->b_side, g->m, g->n, g->k, 1.0f, a + at[0], g->a_step, b + at[1], g->b_step, 0.0f,
                   c + at[2], g->c_step);
  }
  if (before) set_threads(before);
  weft_rt_section_leave(entered);
  return status != 0;
}
