#ifndef WEFT_RT_STACK_RELEASE_H
#define WEFT_RT_STACK_RELEASE_H

#include "weft_rt.h"

// Returns all stacks of the context to the free lists and empties its list.
void weft_rt_release_stacks(weft_rt_context* context);

#endif
