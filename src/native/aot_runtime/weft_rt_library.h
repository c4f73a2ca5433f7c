// What the generated C source of an ahead-of-time library lays down, and the functions behind those that it exports. This text stands in
// that source, behind weft_rt_host.h's.
#ifndef WEFT_RT_LIBRARY_H
#define WEFT_RT_LIBRARY_H

// An argument or a result.
typedef struct weft_rt_place {
  const char* type;
  size_t bytes;  // 0: there is nothing to point to
  size_t alignment;
} weft_rt_place;

// A file with the program's large constants.
typedef struct weft_rt_weights {
  const char* file;                     // its name, looked for beside the library
  const char* variable;                 // environment variable with its path
  uint64_t file_bytes, hash[2], count;  // as in its header
  size_t num_constants;
  const uint64_t* offsets;  // of the program's constants in the file
  const void** constants;   // filled
  const void* data;         // the file in memory, once it is there
} weft_rt_weights;

typedef struct weft_rt_library {
  const char *name, *cpu;
  const char* const* features;  // of the CPU; the last is 0
  int (*entry)(const void* const*, void* const*, void*, struct weft_rt_context*, void*);
  size_t workspace_bytes;
  int32_t num_args, num_results;
  const weft_rt_place* places;  // arguments, then results
  const weft_rt_site* sites;
  const void* const* constants;
  weft_rt_weights* weights;                            // NULL: constants are in the library
  int (*const* openers)(char* message, size_t bytes);  // of other libraries that the program calls; the last is 0
  // What changes; zero at the beginning.
  weft_rt_handlers handlers;
  int64_t pool[4];  // weft_rt_arena_pool
  int32_t is_loaded, lock;
} weft_rt_library;

int weft_rt_library_load(weft_rt_library* library, const char* weights);
int weft_rt_library_call(weft_rt_library* library, const void* const* args, void* const* results, void* workspace);
int weft_rt_library_check_weights(weft_rt_library* library);
const char* weft_rt_library_error(void);

void weft_rt_set_thread_count(int threads);
int weft_rt_thread_count(void);
void weft_rt_interrupt(void);

#endif
