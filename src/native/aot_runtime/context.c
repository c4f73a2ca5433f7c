#include <stddef.h>
#include <string.h>

#include "spin_lock.h"
#include "stack_release.h"
#include "weft_rt.h"

_Static_assert(offsetof(weft_rt_context, status) == 0, "generated code tests the status at offset 0");
_Static_assert(offsetof(weft_rt_context, site) == 8 && offsetof(weft_rt_context, values) == 24,
               "generated code may read the report");

static uint32_t interrupt_count;

void weft_rt_interrupt(void) { __atomic_fetch_add(&interrupt_count, 1, __ATOMIC_RELAXED); }

void weft_rt_context_begin(weft_rt_context* context) {
  context->status = WEFT_RT_OK;
  context->value_count = 0;
  context->site = -1;
  context->rank = INT64_MAX;
  context->stacks = NULL;
  context->lock = 0;
  context->depth = 0;
  context->interrupts = &interrupt_count;
  context->interrupts_before = __atomic_load_n(&interrupt_count, __ATOMIC_RELAXED);
  context->constants = NULL;
}

void weft_rt_context_end(weft_rt_context* context) {
  if (context->stacks) weft_rt_release_stacks(context);
}

void weft_rt_fail(weft_rt_context* context, int32_t status, int64_t rank, int64_t site, const uint64_t* values,
                  int32_t value_count) {
  if (value_count > WEFT_RT_MAX_CHECK_VALUES) value_count = WEFT_RT_MAX_CHECK_VALUES;
  if (value_count < 0) value_count = 0;
  weft_rt_spin_lock(&context->lock);
  if (context->status == WEFT_RT_OK || rank < context->rank) {
    context->rank = rank;
    context->site = site;
    context->value_count = value_count;
    if (value_count) memcpy(context->values, values, (size_t)value_count * sizeof *values);
    // Other parts of a parallel kernel may test the status while this one reports.
    __atomic_store_n(&context->status, status, __ATOMIC_RELAXED);
  }
  weft_rt_spin_unlock(&context->lock);
}
