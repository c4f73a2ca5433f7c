#include "native/runtime/arena.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "weft/memory.h"

namespace weft {
namespace rt {
namespace {

/// All pools of the process, for the release of what is idle.
struct Registry {
  std::mutex mutex;
  std::vector<ArenaPool*> pools;
};

Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

ArenaPool::ArenaPool() {
  const std::lock_guard lock(registry().mutex);
  registry().pools.push_back(this);
}

ArenaPool::~ArenaPool() {
  {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().pools, this);
  }
  release();
}

weft_rt_arena* ArenaPool::Lease::lease_after_release(ArenaPool& pool, size_t bytes) {
  release_idle_memory();
  weft_rt_arena* arena = weft_rt_arena_lease(&pool.pool_, bytes);
  if (arena == nullptr) throw std::bad_alloc();
  return arena;
}

}  // namespace rt

size_t release_idle_memory() {
  rt::Registry& all = rt::registry();
  const std::lock_guard lock(all.mutex);
  size_t freed = weft_rt_stack_cached_bytes();
  weft_rt_stack_trim();
  for (rt::ArenaPool* pool : all.pools) freed += pool->release();
  return freed;
}

}  // namespace weft
