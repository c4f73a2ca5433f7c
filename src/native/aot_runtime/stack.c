#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "spin_lock.h"
#include "stack_release.h"
#include "weft_rt.h"

_Static_assert(offsetof(weft_rt_stack, cur) == 0 && offsetof(weft_rt_stack, begin) == 8 &&
                   offsetof(weft_rt_stack, end) == 16 && offsetof(weft_rt_stack, stride) == 24 &&
                   offsetof(weft_rt_stack, elem_bytes) == 32,
               "the fast paths of weft_rt.h rest on these offsets");

// A chunk is a power of two of bytes, this header included, so that a free list per power serves every element size.
typedef struct weft_rt_chunk {
  struct weft_rt_chunk* below;  // the next older chunk of the stack, or the next of the free list
  int32_t size_class;
  char padding[WEFT_RT_ALIGNMENT - 12];
} weft_rt_chunk;

_Static_assert(sizeof(weft_rt_chunk) == WEFT_RT_ALIGNMENT, "elements start aligned");

// Chunks double from 256 bytes (many lanes may have a stack each) to 16 MiB (past that, doubling only wastes), but
// always hold an element.
enum { kSmallestClass = 8, kLargestGrowth = 24, kClasses = 63 };

static struct {
  int32_t lock;
  weft_rt_chunk* chunks[kClasses];
  weft_rt_stack* stacks;  // linked by next
  size_t cached_bytes;
} cache;

static weft_rt_chunk* take_chunk(int size_class) {
  weft_rt_spin_lock(&cache.lock);
  weft_rt_chunk* chunk = cache.chunks[size_class];
  if (chunk) {
    cache.chunks[size_class] = chunk->below;
    cache.cached_bytes -= (size_t)1 << size_class;
  }
  weft_rt_spin_unlock(&cache.lock);
  if (!chunk) {
    chunk = aligned_alloc(WEFT_RT_ALIGNMENT, (size_t)1 << size_class);
    if (chunk) chunk->size_class = size_class;
  }
  return chunk;
}

// With the lock of the cache held.
static void put_chunks(weft_rt_chunk* chunk) {
  while (chunk) {
    weft_rt_chunk* below = chunk->below;
    chunk->below = cache.chunks[chunk->size_class];
    cache.chunks[chunk->size_class] = chunk;
    cache.cached_bytes += (size_t)1 << chunk->size_class;
    chunk = below;
  }
}

static void put_stack(weft_rt_stack* stack) {
  put_chunks(stack->chunk);
  if (stack->spare) {
    stack->spare->below = NULL;
    put_chunks(stack->spare);
  }
  stack->next = cache.stacks;
  cache.stacks = stack;
}

static void enter_chunk(weft_rt_stack* stack, weft_rt_chunk* chunk) {
  stack->chunk = chunk;
  size_t room = ((size_t)1 << chunk->size_class) - sizeof *chunk;
  stack->begin = (char*)chunk + sizeof *chunk;
  stack->end = stack->begin + room / (size_t)stack->stride * (size_t)stack->stride;
}

weft_rt_stack* weft_rt_stack_new(weft_rt_context* context, int64_t elem_bytes, int32_t is_nested) {
  weft_rt_spin_lock(&cache.lock);
  weft_rt_stack* stack = cache.stacks;
  if (stack) cache.stacks = stack->next;
  weft_rt_spin_unlock(&cache.lock);
  if (!stack) stack = malloc(sizeof *stack);
  if (!stack || elem_bytes < 0 || elem_bytes > INT64_MAX / 4) {
    free(stack);
    weft_rt_fail(context, WEFT_RT_OUT_OF_MEMORY, INT64_MIN, -1, NULL, 0);
    return NULL;
  }
  memset(stack, 0, sizeof *stack);
  stack->elem_bytes = elem_bytes;
  // Large elements start on cache lines, so that kernels may write into the slot with aligned vectors.
  stack->stride = elem_bytes > 32 ? (elem_bytes + 63) / 64 * 64 : elem_bytes > 0 ? elem_bytes : 1;
  stack->is_nested = is_nested;
  stack->context = context;
  weft_rt_spin_lock(&context->lock);  // lanes of a parallel section make their own stacks
  stack->next = context->stacks;
  if (context->stacks) context->stacks->previous = stack;
  context->stacks = stack;
  weft_rt_spin_unlock(&context->lock);
  return stack;
}

static int is_empty(const weft_rt_stack* stack) {
  return stack->cur == stack->begin && (!stack->chunk || !stack->chunk->below);
}

void weft_rt_stack_drop(weft_rt_stack* stack) {
  if (!stack) return;
  if (stack->is_nested) {
    while (!is_empty(stack)) {
      weft_rt_stack* inner;
      weft_rt_stack_pop(stack, &inner);
      weft_rt_stack_drop(inner);
    }
  }
  weft_rt_context* context = stack->context;
  weft_rt_spin_lock(&context->lock);
  if (stack->previous) stack->previous->next = stack->next;
  else context->stacks = stack->next;
  if (stack->next) stack->next->previous = stack->previous;
  weft_rt_spin_unlock(&context->lock);
  weft_rt_spin_lock(&cache.lock);
  put_stack(stack);
  weft_rt_spin_unlock(&cache.lock);
}

void weft_rt_release_stacks(weft_rt_context* context) {
  weft_rt_spin_lock(&cache.lock);
  for (weft_rt_stack* stack = context->stacks; stack;) {
    weft_rt_stack* next = stack->next;
    put_stack(stack);
    stack = next;
  }
  weft_rt_spin_unlock(&cache.lock);
  context->stacks = NULL;
}

static int class_for(const weft_rt_stack* stack) {
  int size_class = stack->chunk ? stack->chunk->size_class + 1 : kSmallestClass;
  if (size_class > kLargestGrowth) size_class = kLargestGrowth;
  // Four elements at least in the first chunk, as long as they are small.
  int64_t need = (int64_t)sizeof(weft_rt_chunk) + (stack->stride < 1 << 16 ? 4 * stack->stride : stack->stride);
  while (((int64_t)1 << size_class) < need) ++size_class;
  return size_class;
}

static int grow(weft_rt_stack* stack) {
  weft_rt_chunk* chunk = stack->spare;
  if (chunk) stack->spare = NULL;
  else chunk = take_chunk(class_for(stack));
  if (!chunk) {
    weft_rt_fail(stack->context, WEFT_RT_OUT_OF_MEMORY, INT64_MIN, -1, NULL, 0);
    return 0;
  }
  chunk->below = stack->chunk;
  enter_chunk(stack, chunk);
  stack->cur = stack->begin;
  return 1;
}

// The current chunk is empty and there is one below: go down to its last element.
static void shrink(weft_rt_stack* stack) {
  weft_rt_chunk* emptied = stack->chunk;
  enter_chunk(stack, emptied->below);
  stack->cur = stack->end;
  if (stack->spare) {
    stack->spare->below = NULL;
    weft_rt_spin_lock(&cache.lock);
    put_chunks(stack->spare);
    weft_rt_spin_unlock(&cache.lock);
  }
  stack->spare = emptied;
}

void* weft_rt_stack_push_slot(weft_rt_stack* stack) {
  if (stack->cur == stack->end && !grow(stack)) return NULL;
  char* slot = stack->cur;
  stack->cur += stack->stride;
  return slot;
}

const void* weft_rt_stack_pop_slot(weft_rt_stack* stack) {
  if (stack->cur == stack->begin) {
    if (is_empty(stack)) {
      weft_rt_fail(stack->context, WEFT_RT_STACK_EMPTY, INT64_MIN, -1, NULL, 0);
      return NULL;
    }
    shrink(stack);
  }
  return stack->cur -= stack->stride;
}

int32_t weft_rt_stack_push(weft_rt_stack* stack, const void* element) {
  void* slot = weft_rt_stack_push_slot(stack);
  if (!slot) return WEFT_RT_OUT_OF_MEMORY;
  if (stack->elem_bytes) memcpy(slot, element, (size_t)stack->elem_bytes);
  return WEFT_RT_OK;
}

int32_t weft_rt_stack_try_pop(weft_rt_stack* stack, void* element) {
  if (stack->cur == stack->begin) {
    if (is_empty(stack)) return WEFT_RT_STACK_EMPTY;
    shrink(stack);
  }
  stack->cur -= stack->stride;
  if (stack->elem_bytes) memcpy(element, stack->cur, (size_t)stack->elem_bytes);
  return WEFT_RT_OK;
}

int32_t weft_rt_stack_pop(weft_rt_stack* stack, void* element) {
  const void* slot = weft_rt_stack_pop_slot(stack);
  if (!slot) return WEFT_RT_STACK_EMPTY;
  if (stack->elem_bytes) memcpy(element, slot, (size_t)stack->elem_bytes);
  return WEFT_RT_OK;
}

int64_t weft_rt_stack_size(const weft_rt_stack* stack) {
  if (!stack->chunk) return 0;
  int64_t size = (stack->cur - stack->begin) / stack->stride;
  for (const weft_rt_chunk* chunk = stack->chunk->below; chunk; chunk = chunk->below)
    size += (int64_t)((((size_t)1 << chunk->size_class) - sizeof *chunk) / (size_t)stack->stride);
  return size;
}

size_t weft_rt_stack_cached_bytes(void) {
  weft_rt_spin_lock(&cache.lock);
  size_t bytes = cache.cached_bytes;
  weft_rt_spin_unlock(&cache.lock);
  return bytes;
}

void weft_rt_stack_trim(void) {
  for (int size_class = 0; size_class < kClasses; ++size_class) {
    weft_rt_spin_lock(&cache.lock);
    weft_rt_chunk* chunk = cache.chunks[size_class];
    cache.chunks[size_class] = NULL;
    for (weft_rt_chunk* each = chunk; each; each = each->below) cache.cached_bytes -= (size_t)1 << size_class;
    weft_rt_spin_unlock(&cache.lock);
    while (chunk) {
      weft_rt_chunk* below = chunk->below;
      free(chunk);
      chunk = below;
    }
  }
}
