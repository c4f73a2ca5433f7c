// Owners for the C structures of a call: arena pool, lease, context. See aot_runtime/weft_rt.h.
#pragma once
#include <cstddef>
#include <new>

#include "native/aot_runtime/weft_rt.h"

namespace weft::rt {

/// The arenas of one executable: one per call that runs at the same time.
class ArenaPool {
 public:
  ArenaPool() = default;
  ~ArenaPool() { weft_rt_arena_pool_clear(&pool_); }
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  /// An arena for the time of one call. Throws std::bad_alloc when memory is short.
  class Lease {
   public:
    Lease(ArenaPool& pool, size_t bytes) : pool_(pool), arena_(weft_rt_arena_lease(&pool.pool_, bytes)) {
      if (!arena_) throw std::bad_alloc();
    }
    ~Lease() { weft_rt_arena_return(&pool_.pool_, arena_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* data() const { return arena_->base; }
    size_t capacity() const { return arena_->capacity; }

   private:
    ArenaPool& pool_;
    weft_rt_arena* arena_;
  };

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
