#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other_library.h"
#include "weft_rt.h"
#include "weft_rt_convolution.h"

// Types and constants only: every function is looked up. Version 3 has other functions and types.
#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR == 2

static const char* const kNames[] = {"libdnnl.so.2", NULL};
static weft_rt_other_library onednn = {"WEFT_ONEDNN", kNames, NULL};

#define FUNCTIONS(X)                            \
  X(dnnl_version)                               \
  X(dnnl_engine_create)                         \
  X(dnnl_stream_create)                         \
  X(dnnl_stream_wait)                           \
  X(dnnl_memory_desc_init_by_strides)           \
  X(dnnl_memory_desc_init_by_tag)               \
  X(dnnl_memory_desc_equal)                     \
  X(dnnl_memory_desc_get_size)                  \
  X(dnnl_memory_create)                         \
  X(dnnl_memory_set_data_handle)                \
  X(dnnl_dilated_convolution_forward_desc_init) \
  X(dnnl_primitive_desc_create)                 \
  X(dnnl_primitive_desc_query_md)               \
  X(dnnl_primitive_desc_destroy)                \
  X(dnnl_reorder_primitive_desc_create)         \
  X(dnnl_primitive_create)                      \
  X(dnnl_primitive_execute)

static struct {
#define DECLARE(name) __typeof__(&name) name;
  FUNCTIONS(DECLARE)
#undef DECLARE
} lib;

static dnnl_engine_t engine;
static dnnl_stream_t stream;
// OpenMP's functions among what libdnnl needs; absent when it has threads of another kind.
static int (*get_threads)(void);
static void (*set_threads)(int);

enum { kSrc, kWeights, kDst, kSides };

// One side of a convolution: where it is, and how the primitive wants it.
typedef struct side {
  dnnl_memory_t user, wanted;  // the same where they are alike
  dnnl_primitive_t reorder;    // NULL then
} side;

// Sections take turns, and library calls stand outside of parallel parts: one set of objects serves all calls.
struct weft_rt_convolution_plan {
  side sides[kSides];
  dnnl_primitive_t primitive;
  int is_packed;  // the weights, which are constant
};

static int find_functions(char* message, size_t bytes) {
#define FIND(name)                                                     \
  {                                                                    \
    void* found = dlsym(onednn.handle, #name);                         \
    if (!found) {                                                      \
      snprintf(message, bytes, "the oneDNN library has no %s", #name); \
      return 1;                                                        \
    }                                                                  \
    memcpy(&lib.name, &found, sizeof found);                           \
  }
  FUNCTIONS(FIND)
#undef FIND
  const int major = lib.dnnl_version()->major;
  if (major != 2) {
    snprintf(message, bytes, "convolutions need version 2 of the oneDNN library: got %d", major);
    return 1;
  }
  void *get = dlsym(onednn.handle, "omp_get_max_threads"), *set = dlsym(onednn.handle, "omp_set_num_threads");
  memcpy(&get_threads, &get, sizeof get);
  memcpy(&set_threads, &set, sizeof set);
  return 0;
}

// Its threads are as many as ours; what there were before.
static int begin_threads(void) {
  const int before = get_threads && set_threads ? get_threads() : 0;
  if (before) set_threads(weft_rt_thread_count());
  return before;
}
static void end_threads(int before) {
  if (before) set_threads(before);
}

static int make_side(side* s, int which, const dnnl_memory_desc_t* user, const dnnl_memory_desc_t* wanted) {
  if (lib.dnnl_memory_create(&s->user, user, engine, DNNL_MEMORY_NONE)) return 1;
  s->wanted = s->user;
  s->reorder = NULL;
  if (lib.dnnl_memory_desc_equal(user, wanted)) return 0;
  const size_t size = (lib.dnnl_memory_desc_get_size(wanted) + 63) & ~(size_t)63;
  void* room = aligned_alloc(64, size ? size : 64);
  if (!room || lib.dnnl_memory_create(&s->wanted, wanted, engine, room)) return 1;
  dnnl_primitive_desc_t desc;
  const dnnl_memory_desc_t* from = which == kDst ? wanted : user;
  const dnnl_memory_desc_t* to = which == kDst ? user : wanted;
  if (lib.dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL)) return 1;
  const dnnl_status_t status = lib.dnnl_primitive_create(&s->reorder, desc);
  lib.dnnl_primitive_desc_destroy(desc);
  return status != dnnl_success;
}

static int make_plan(weft_rt_convolution* c) {
  struct weft_rt_convolution_plan* plan = calloc(1, sizeof *plan);
  if (!plan) return 1;
  dnnl_memory_desc_t user[kSides], any[kSides];
  const int ranks[] = {c->rank, c->weights_rank, c->rank};
  const int64_t* const dims[] = {c->src, c->weights, c->dst};
  const int64_t* const strides[] = {c->src_strides, c->weights_strides, c->dst_strides};
  for (int s = 0; s < kSides; ++s) {
    if (lib.dnnl_memory_desc_init_by_strides(&user[s], ranks[s], dims[s], dnnl_f32, strides[s])) return 1;
    if (lib.dnnl_memory_desc_init_by_tag(&any[s], ranks[s], dims[s], dnnl_f32, dnnl_format_tag_any)) return 1;
  }
  // Images with channels last are taken as they lie: reordering them would cost more than it wins.
  for (int s = 0; s < kSides; s += 2) {
    if (strides[s][1] == 1) any[s] = user[s];
  }
  dnnl_convolution_desc_t desc;
  if (lib.dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct, &any[kSrc],
                                                     &any[kWeights], NULL, &any[kDst], c->stride, c->dilation, c->low,
                                                     c->high))
    return 1;
  dnnl_primitive_desc_t made;
  if (lib.dnnl_primitive_desc_create(&made, &desc, NULL, engine, NULL)) return 1;
  const dnnl_query_t queries[] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
  int failed = 0;
  for (int s = 0; s < kSides && !failed; ++s)
    failed = make_side(&plan->sides[s], s, &user[s], lib.dnnl_primitive_desc_query_md(made, queries[s], 0));
  if (!failed) failed = lib.dnnl_primitive_create(&plan->primitive, made) != dnnl_success;
  lib.dnnl_primitive_desc_destroy(made);
  if (!failed) c->plan = plan;
  return failed;
}

int weft_rt_convolutions_open(weft_rt_convolution* convolutions, int32_t count, char* message, size_t bytes) {
  if (!onednn.handle && weft_rt_other_library_open(&onednn, message, bytes)) return 1;
  if (!engine) {
    if (find_functions(message, bytes)) return 1;
    if (lib.dnnl_engine_create(&engine, dnnl_cpu, 0) ||
        lib.dnnl_stream_create(&stream, engine, dnnl_stream_default_flags)) {
      snprintf(message, bytes, "the oneDNN library has no engine for this CPU");
      return 1;
    }
  }
  const int entered = weft_rt_section_enter();
  const int before = begin_threads();
  int failed = 0;
  for (int32_t k = 0; k < count && !failed; ++k) failed = !convolutions[k].plan && make_plan(&convolutions[k]);
  end_threads(before);
  weft_rt_section_leave(entered);
  if (failed) snprintf(message, bytes, "the oneDNN library cannot make a convolution of the program");
  return failed;
}

static int reorder(const side* s, int which) {
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, which == kDst ? s->wanted : s->user},
                                  {DNNL_ARG_TO, which == kDst ? s->user : s->wanted}};
  return s->reorder && lib.dnnl_primitive_execute(s->reorder, stream, 2, args);
}

int weft_rt_convolution_run(const weft_rt_convolution* c, void* const* buffers) {
  struct weft_rt_convolution_plan* p = c->plan;
  void* const places[] = {buffers[c->is_swapped ? 1 : 0], buffers[c->is_swapped ? 0 : 1], buffers[2]};
  const int entered = weft_rt_section_enter();
  const int before = begin_threads();
  int failed = 0;
  for (int s = 0; s < kSides; ++s) failed |= lib.dnnl_memory_set_data_handle(p->sides[s].user, places[s]) != 0;
  failed |= reorder(&p->sides[kSrc], kSrc);
  if (!c->has_constant_weights || !p->is_packed) failed |= reorder(&p->sides[kWeights], kWeights);
  p->is_packed = 1;
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, p->sides[kSrc].wanted},
                                  {DNNL_ARG_WEIGHTS, p->sides[kWeights].wanted},
                                  {DNNL_ARG_DST, p->sides[kDst].wanted}};
  if (!failed) failed = lib.dnnl_primitive_execute(p->primitive, stream, kSides, args) != dnnl_success;
  if (!failed) failed = reorder(&p->sides[kDst], kDst);
  failed |= lib.dnnl_stream_wait(stream) != dnnl_success;
  end_threads(before);
  weft_rt_section_leave(entered);
  return failed;
}

#else

int weft_rt_convolutions_open(weft_rt_convolution* convolutions, int32_t count, char* message, size_t bytes) {
  (void)convolutions;
  if (count == 0) return 0;
  snprintf(message, bytes,
           "this build of Weft has no convolutions by oneDNN: it was built beside another version than 2");
  return 1;
}

int weft_rt_convolution_run(const weft_rt_convolution* c, void* const* buffers) {
  (void)c;
  (void)buffers;
  return 1;
}

#endif
