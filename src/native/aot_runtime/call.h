// One call of an ahead-of-time entry: workspace, status, message. What the generated C source of a library calls, so that it
// needs no header of this folder.
#ifndef WEFT_RT_CALL_H
#define WEFT_RT_CALL_H

#include "weft/custom_call.h"
#include "weft_rt.h"
#include "weft_rt_host.h"

typedef int32_t (*weft_rt_entry_fn)(const void* const* args, void* const* results, void* workspace,
                                    weft_rt_context* context, void* host);

// Runs the entry. `workspace` NULL: leased from `pool` (a zero-initialised weft_rt_arena_pool). On failure writes what went
// wrong to message; returns the status. `sites`: what the program asks for; `handlers`: those of its library.
int weft_rt_call(weft_rt_entry_fn entry, const void* const* args, void* const* results, void* workspace,
                 size_t workspace_bytes, weft_rt_arena_pool* pool, const weft_rt_site* sites,
                 weft_rt_handlers* handlers, char* message, size_t message_bytes);

#endif
