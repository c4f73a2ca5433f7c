#include "call.h"

#include "host.h"

#include <stdio.h>

// Generated sources declare the pool as four 64-bit words.
_Static_assert(sizeof(weft_rt_arena_pool) <= 32, "the pool of generated libraries is too small");

int weft_rt_call(weft_rt_entry_fn entry, const void* const* args, void* const* results, void* workspace,
                 size_t workspace_bytes, weft_rt_arena_pool* pool, const weft_rt_site* sites,
                 weft_rt_handlers* handlers, char* message, size_t message_bytes) {
  weft_rt_arena* arena = NULL;
  if (workspace == NULL && workspace_bytes != 0) {
    arena = weft_rt_arena_lease(pool, workspace_bytes);
    if (arena == NULL) {
      snprintf(message, message_bytes, "out of memory: no workspace of %zu bytes", workspace_bytes);
      return WEFT_RT_OUT_OF_MEMORY;
    }
    workspace = arena->base;
  }
  weft_rt_context context;
  weft_rt_context_begin(&context);
  weft_rt_host host = {sites, handlers, message, message_bytes, 0, 0};
  const int status = entry(args, results, workspace, &context, &host);
  if (host.has_message) {
    // Written where it failed.
  } else if (status == WEFT_RT_CHECK_FAILED || status == WEFT_RT_TOO_DEEP)
    weft_rt_check_message(&sites[context.site], context.values, context.value_count, message, message_bytes);
  else if (status == WEFT_RT_OUT_OF_MEMORY) snprintf(message, message_bytes, "out of memory while the program ran");
  else if (status != WEFT_RT_OK) snprintf(message, message_bytes, "the program left with status %d", status);
  weft_rt_context_end(&context);
  if (arena != NULL) weft_rt_arena_return(pool, arena);
  return status;
}
