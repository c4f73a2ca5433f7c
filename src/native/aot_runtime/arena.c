#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "spin_lock.h"
#include "weft_rt.h"

static const size_t kHugePage = (size_t)2 << 20, kPage = 4096;

// Huge blocks come from mmap with room to cut them to a huge-page border, as neither malloc nor mmap aligns so far.
static void* map_huge(size_t bytes) {
  if (bytes > SIZE_MAX - kHugePage) return NULL;
  char* start = mmap(NULL, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  char* base = (char*)(((uintptr_t)start + kHugePage - 1) & ~(uintptr_t)(kHugePage - 1));
  if (base != start) munmap(start, (size_t)(base - start));
  size_t tail = (size_t)(start + kHugePage - base);
  if (tail) munmap(base + bytes, tail);
  madvise(base, bytes, MADV_HUGEPAGE);  // only a wish
  return base;
}

static void unmap(weft_rt_arena* arena) {
  if (arena->capacity >= kHugePage) munmap(arena->base, arena->capacity);
  else free(arena->base);
  free(arena);
}

static weft_rt_arena* new_arena(size_t bytes) {
  weft_rt_arena* arena = malloc(sizeof *arena);
  if (!arena) return NULL;
  size_t unit = bytes >= kHugePage ? kHugePage : kPage;
  if (bytes > SIZE_MAX - unit) {
    free(arena);
    return NULL;
  }
  arena->capacity = bytes ? (bytes + unit - 1) / unit * unit : unit;
  arena->base = arena->capacity >= kHugePage ? map_huge(arena->capacity) : aligned_alloc(kPage, arena->capacity);
  if (!arena->base) {
    free(arena);
    return NULL;
  }
  // Page faults belong to the first call, not into the middle of its kernels.
  for (size_t at = 0; at < arena->capacity; at += kPage) ((volatile char*)arena->base)[at] = 0;
  arena->next = NULL;
  return arena;
}

weft_rt_arena* weft_rt_arena_lease(weft_rt_arena_pool* pool, size_t bytes) {
  // The last one returned is the warmest; one that is too small (extents are symbolic) makes way for a larger one, so
  // the pool never holds more arenas than there were concurrent calls.
  weft_rt_spin_lock(&pool->lock);
  weft_rt_arena** place = &pool->free_list;
  while (*place && (*place)->capacity < bytes) place = &(*place)->next;
  if (!*place) place = &pool->free_list;
  weft_rt_arena* arena = *place;
  if (arena) {
    *place = arena->next;
    --pool->idle;
  }
  weft_rt_spin_unlock(&pool->lock);
  if (arena && arena->capacity >= bytes) return arena;
  if (arena) unmap(arena);
  return new_arena(bytes);
}

void weft_rt_arena_return(weft_rt_arena_pool* pool, weft_rt_arena* arena) {
  if (!arena) return;
  weft_rt_spin_lock(&pool->lock);
  const int is_kept = pool->idle < WEFT_RT_MAX_IDLE_ARENAS;
  if (is_kept) {
    arena->next = pool->free_list;
    pool->free_list = arena;
    ++pool->idle;
  }
  weft_rt_spin_unlock(&pool->lock);
  if (!is_kept) unmap(arena);
}

size_t weft_rt_arena_pool_clear(weft_rt_arena_pool* pool) {
  weft_rt_spin_lock(&pool->lock);
  weft_rt_arena* arena = pool->free_list;
  pool->free_list = NULL;
  pool->idle = 0;
  weft_rt_spin_unlock(&pool->lock);
  size_t freed = 0;
  while (arena) {
    weft_rt_arena* next = arena->next;
    freed += arena->capacity;
    unmap(arena);
    arena = next;
  }
  return freed;
}
