#include "library.h"

#include <stdio.h>

#include "cpu_features.h"
#include "host.h"
#include "spin_lock.h"
#include "weft_status.h"

// Generated sources declare the pool as four 64-bit words.
_Static_assert(sizeof(weft_rt_arena_pool) <= 32, "the pool of generated libraries is too small");
_Static_assert((int)WEFT_FAILED == WEFT_RT_CHECK_FAILED && (int)WEFT_OUT_OF_MEMORY == WEFT_RT_OUT_OF_MEMORY &&
                   (int)WEFT_FAULT == WEFT_RT_STACK_EMPTY && (int)WEFT_CALL_FAILED == WEFT_RT_LIBRARY_FAILED &&
                   (int)WEFT_WRONG_CPU == WEFT_RT_WRONG_ISA && (int)WEFT_TOO_DEEP == WEFT_RT_TOO_DEEP &&
                   (int)WEFT_INTERRUPTED == WEFT_RT_INTERRUPTED && (int)WEFT_BAD_ADDRESS == WEFT_RT_BAD_ADDRESS &&
                   (int)WEFT_NO_WEIGHTS == WEFT_RT_NO_WEIGHTS,
               "what libraries return is what generated code returns");

static _Thread_local char message[WEFT_RT_MESSAGE_BYTES];

char* weft_rt_library_message(void) { return message; }

const char* weft_rt_library_error(void) { return message; }

static int check_cpu(const weft_rt_library* l) {
  const char* missing = weft_rt_missing_feature(l->features);
  if (!missing) return WEFT_OK;
  snprintf(message, sizeof message, "%s was compiled for %s and needs %s, which this CPU lacks", l->name, l->cpu,
           missing);
  return WEFT_WRONG_CPU;
}

static int open_libraries(const weft_rt_library* l) {
  char why[WEFT_RT_MESSAGE_BYTES - 64];
  for (int (*const* open)(char*, size_t) = l->openers; *open; ++open) {
    if ((*open)(why, sizeof why) == 0) continue;
    snprintf(message, sizeof message, "%.60s: %s", l->name, why);
    return WEFT_NO_LIBRARY;
  }
  return WEFT_OK;
}

int weft_rt_library_load(weft_rt_library* l, const char* weights) {
  if (__atomic_load_n(&l->is_loaded, __ATOMIC_ACQUIRE)) return WEFT_OK;
  weft_rt_spin_lock(&l->lock);
  int status = WEFT_OK;
  if (!l->is_loaded) {
    status = check_cpu(l);
    if (status == WEFT_OK) status = weft_rt_load_weights(l, weights);
    if (status == WEFT_OK) status = open_libraries(l);
    if (status == WEFT_OK) __atomic_store_n(&l->is_loaded, 1, __ATOMIC_RELEASE);
  }
  weft_rt_spin_unlock(&l->lock);
  return status;
}

int weft_rt_bad_address(const weft_rt_library* l, const char* what, int32_t index, const char* type, const void* got,
                        size_t alignment) {
  char name[40] = "";
  if (index >= 0) snprintf(name, sizeof name, " %d", (int)index);
  if (!got) {
    snprintf(message, sizeof message, "%s: %s%s%s%s is NULL", l->name, what, name, *type ? ", " : "", type);
  } else {
    snprintf(message, sizeof message, "%s: %s%s%s%s is not aligned: got address %p, expected a multiple of %zu",
             l->name, what, name, *type ? ", " : "", type, got, alignment);
  }
  return WEFT_BAD_ADDRESS;
}

static int check_places(const weft_rt_library* l, const char* what, const void* const* given, int32_t count,
                        const weft_rt_place* places) {
  if (!given) return count == 0 ? WEFT_OK : weft_rt_bad_address(l, *what == 'a' ? "args" : "results", -1, "", NULL, 0);
  for (int32_t i = 0; i < count; ++i) {
    const weft_rt_place* place = &places[i];
    if (place->bytes && (!given[i] || (uintptr_t)given[i] & (place->alignment - 1)))
      return weft_rt_bad_address(l, what, i, place->type, given[i], place->alignment);
  }
  return WEFT_OK;
}

void weft_rt_write_reason(const weft_rt_library* l, int status, const weft_rt_context* context) {
  switch (status) {
    case WEFT_FAILED:
    case WEFT_TOO_DEEP:
      weft_rt_check_message(&l->sites[context->site], context->values, context->value_count, message, sizeof message);
      break;
    case WEFT_CALL_FAILED:
      snprintf(message, sizeof message, "%s%s: a function of another library failed", l->sites[context->site].place,
               l->name);
      break;
    case WEFT_OUT_OF_MEMORY: snprintf(message, sizeof message, "%s: out of memory while it ran", l->name); break;
    case WEFT_INTERRUPTED: snprintf(message, sizeof message, "%s: interrupted before it was done", l->name); break;
    default: snprintf(message, sizeof message, "%s: the program left with status %d", l->name, status); break;
  }
}

int weft_rt_library_call(weft_rt_library* l, const void* const* args, void* const* results, void* workspace) {
  int status = weft_rt_library_load(l, NULL);
  if (status == WEFT_OK) status = check_places(l, "argument", args, l->num_args, l->places);
  if (status == WEFT_OK)
    status = check_places(l, "result", (const void* const*)results, l->num_results, l->places + l->num_args);
  if (status == WEFT_OK && (uintptr_t)workspace & (WEFT_RT_ALIGNMENT - 1))
    status = weft_rt_bad_address(l, "workspace", -1, "", workspace, WEFT_RT_ALIGNMENT);
  if (status != WEFT_OK) return status;

  weft_rt_arena_pool* pool = (weft_rt_arena_pool*)l->pool;
  weft_rt_arena* arena = NULL;
  if (!workspace && l->workspace_bytes) {
    arena = weft_rt_arena_lease(pool, l->workspace_bytes);
    if (!arena) {
      snprintf(message, sizeof message, "%s: out of memory: no workspace of %zu bytes", l->name, l->workspace_bytes);
      return WEFT_OUT_OF_MEMORY;
    }
    workspace = arena->base;
  }
  weft_rt_context context;
  weft_rt_context_begin(&context);
  context.constants = l->weights ? l->weights->constants : l->constants;
  weft_rt_host host = {l->sites, &l->handlers, message, sizeof message, 0, 0};
  status = l->entry(args, results, workspace, &context, &host);
  if (status != WEFT_OK && !host.has_message) weft_rt_write_reason(l, status, &context);
  weft_rt_context_end(&context);
  if (arena) weft_rt_arena_return(pool, arena);
  return status;
}
