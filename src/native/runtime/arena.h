// Owners for the C structures of a call: arena pool, lease, context. See aot_runtime/weft_rt.h.
#pragma once
#include <cstddef>
#include <new>

#include "native/aot_runtime/weft_rt.h"

namespace weft::rt {

/// The arenas of one executable: one per call that runs at the same time.
class ArenaPool {
 public:
  ArenaPool();
  ~ArenaPool();
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  /// An arena for the time of one call. When memory is short the idle arenas of all pools go first; throws std::bad_alloc when
  /// that does not help.
  class Lease {
   public:
    Lease(ArenaPool& pool, size_t bytes) : pool_(pool), arena_(weft_rt_arena_lease(&pool.pool_, bytes)) {
      if (!arena_) arena_ = lease_after_release(pool, bytes);
    }
    ~Lease() { weft_rt_arena_return(&pool_.pool_, arena_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* data() const { return arena_->base; }
    size_t capacity() const { return arena_->capacity; }

   private:
    static weft_rt_arena* lease_after_release(ArenaPool& pool, size_t bytes);
    ArenaPool& pool_;
    weft_rt_arena* arena_;
  };

  /// Frees the arenas that no call uses; returns their bytes.
  size_t release() { return weft_rt_arena_pool_clear(&pool_); }

 private:
  weft_rt_arena_pool pool_ = {};
};

/// Status and stacks of one call.
class CallContext {
 public:
  CallContext() { weft_rt_context_begin(&context_); }
  ~CallContext() { weft_rt_context_end(&context_); }
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;
  weft_rt_context* get() { return &context_; }
  const weft_rt_context* operator->() const { return &context_; }

 private:
  weft_rt_context context_;
};

}  // namespace weft::rt
