// Replaces operator new and delete of the program it is linked into: small blocks are kept in free lists, first of the
// thread, then of the process, and never go back to malloc.
//
// For programs that promise not to allocate in their steady state. oneDNN makes and drops a few hash nodes each time a
// primitive runs; with these lists they come from memory that the program holds already. libweft.so does not contain this
// file: which allocator a program has is its own decision.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr size_t kGrain = 32, kClasses = 16;  // blocks of 32, 64, ... 512 bytes
constexpr size_t kSlabBytes = 16384;
constexpr uint32_t kKeptByThread = 256;

// Stands before each block and says where it belongs; kClasses: malloc's.
struct alignas(16) Header {
  uint64_t size_class;
};

struct Block {
  Block* next;
};

struct Shared {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  Block* lists[kClasses] = {};
};
Shared shared;

class SharedLock {
 public:
  SharedLock() {
    while (shared.lock.test_and_set(std::memory_order_acquire)) {}
  }
  ~SharedLock() { shared.lock.clear(std::memory_order_release); }
};

// Outlives the thread's destructors: blocks that they free go to the shared lists.
thread_local bool is_thread_ending = false;

struct ThreadLists {
  Block* lists[kClasses] = {};
  uint32_t counts[kClasses] = {};

  void give_away(size_t size_class, uint32_t keep) {
    SharedLock lock;
    while (counts[size_class] > keep) {
      Block* block = lists[size_class];
      lists[size_class] = block->next;
      block->next = shared.lists[size_class];
      shared.lists[size_class] = block;
      --counts[size_class];
    }
  }
  ~ThreadLists() {
    is_thread_ending = true;
    for (size_t size_class = 0; size_class < kClasses; ++size_class) give_away(size_class, 0);
  }
};
thread_local ThreadLists mine;

Block* take_shared(size_t size_class) {
  SharedLock lock;
  Block* block = shared.lists[size_class];
  if (block) shared.lists[size_class] = block->next;
  return block;
}

size_t stride_of(size_t size_class) { return sizeof(Header) + (size_class + 1) * kGrain; }

// Cuts a slab into blocks: one is returned, the others go to the shared list.
Block* cut_slab(size_t size_class) {
  auto* slab = static_cast<char*>(std::malloc(kSlabBytes));
  if (!slab) return nullptr;
  const size_t stride = stride_of(size_class);
  Block* first = nullptr;
  SharedLock lock;
  for (size_t at = 0; at + stride <= kSlabBytes; at += stride) {
    new (slab + at) Header{size_class};
    auto* block = reinterpret_cast<Block*>(slab + at + sizeof(Header));
    if (first == nullptr) {
      first = block;
      continue;
    }
    block->next = shared.lists[size_class];
    shared.lists[size_class] = block;
  }
  return first;
}

void* allocate(size_t bytes) noexcept {
  const size_t size_class = bytes == 0 ? 0 : (bytes - 1) / kGrain;
  if (size_class >= kClasses) {
    if (bytes > SIZE_MAX - sizeof(Header)) return nullptr;
    auto* memory = static_cast<char*>(std::malloc(sizeof(Header) + bytes));
    if (!memory) return nullptr;
    new (memory) Header{kClasses};
    return memory + sizeof(Header);
  }
  if (!is_thread_ending) {
    if (Block* block = mine.lists[size_class]) {
      mine.lists[size_class] = block->next;
      --mine.counts[size_class];
      return block;
    }
  }
  Block* block = take_shared(size_class);
  return block ? block : cut_slab(size_class);
}

void release(void* memory) noexcept {
  if (!memory) return;
  auto* header = reinterpret_cast<Header*>(static_cast<char*>(memory) - sizeof(Header));
  const size_t size_class = header->size_class;
  if (size_class == kClasses) return std::free(header);
  auto* block = static_cast<Block*>(memory);
  if (is_thread_ending) {
    SharedLock lock;
    block->next = shared.lists[size_class];
    shared.lists[size_class] = block;
    return;
  }
  block->next = mine.lists[size_class];
  mine.lists[size_class] = block;
  if (++mine.counts[size_class] > kKeptByThread) mine.give_away(size_class, kKeptByThread / 2);
}

}  // namespace

void* operator new(size_t bytes) {
  for (;;) {
    if (void* memory = allocate(bytes)) return memory;
    std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }

#endif
