// Ahead-of-time libraries of programs with open extents: what their generated source lays down beside weft_rt_library.h's, behind whose text
// this one stands there.
#ifndef WEFT_RT_OPEN_H
#define WEFT_RT_OPEN_H

// A number that holds names: coefficient times the values of `count` names from `first` on in the list of factors.
typedef struct weft_rt_number {
  int64_t coefficient;
  int32_t first, count;
} weft_rt_number;

// An argument or a result. Its extents are `rank` numbers from `first` on; element_bytes 0: nothing in memory.
typedef struct weft_rt_open_place {
  const char* type;
  int32_t first, rank;
  size_t element_bytes, alignment;
} weft_rt_open_place;

// Buffers of one size, which is a number of bytes, one behind the other.
typedef struct weft_rt_open_pool {
  int32_t unit;
  int64_t count;
} weft_rt_open_pool;

enum { WEFT_RT_OPEN_SORT = 1, WEFT_RT_OPEN_FFT = 2 };

// A sort or transform: words of its plan, which are numbers.
typedef struct weft_rt_open_step {
  int64_t site;
  int32_t kind, first, count;
  int32_t is_double;
  const void* table;  // of a transform
  int32_t (*less)(const void* const*, int64_t, int64_t);
} weft_rt_open_step;

typedef struct weft_rt_open {
  weft_rt_library* library;
  // (names given, shape arguments) -> (names, constants): fails by a site of its own where extents do not go together.
  int (*extents)(const void* const*, void* const*, void*, struct weft_rt_context*, void*);
  const weft_rt_site* extents_sites;
  size_t extents_workspace;
  int32_t num_given, num_names, num_shape_args, num_constants;
  const int32_t* shape_args;
  const size_t* constant_bytes;
  const weft_rt_number* numbers;
  const int32_t* factors;
  const weft_rt_open_place* places;  // arguments, then results
  const weft_rt_open_pool* pools;
  int32_t num_pools, num_steps;
  const weft_rt_open_step* steps;
  size_t header_bytes, scratch_bytes;
} weft_rt_open;

int weft_rt_open_call(const weft_rt_open* open, const int64_t* extents, const void* const* args, void* const* results,
                      void* workspace);
// SIZE_MAX, with a message, where the extents do not go together.
size_t weft_rt_open_workspace_bytes(const weft_rt_open* open, const int64_t* extents, const void* const* args);
// The extents of all results, one after the other.
int weft_rt_open_result_shapes(const weft_rt_open* open, const int64_t* extents, const void* const* args,
                               int64_t* shapes);

// What generated code asks the host for; `names`: their values.
int weft_rt_open_host(const weft_rt_open* open, void* host, struct weft_rt_context* context, const int64_t* names,
                      int64_t site, void* const* buffers);

#endif
