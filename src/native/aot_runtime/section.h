// What the two thread back ends of weft_rt_parallel share; see parallel.c.
#ifndef WEFT_RT_SECTION_H
#define WEFT_RT_SECTION_H

#include "weft_rt.h"

// Whether this thread runs a part now (or holds the section lock); nested sections then run serially.
extern _Thread_local int weft_rt_thread_in_section;

// The back end: runs all parts on `threads` >= 2 threads, the caller's included. The section lock is held.
void weft_rt_run_section(weft_rt_part_fn fn, void* ctx, int64_t parts, int threads);

// 1 on a thread that already belongs to a team of the back end's own kind that we did not start.
int weft_rt_in_foreign_team(void);

// Makes the section lock usable in a forked child, where its holder may not exist. Forking inside a section and then
// returning into it is not supported: its other parts are gone.
void weft_rt_section_after_fork(void);

#endif
