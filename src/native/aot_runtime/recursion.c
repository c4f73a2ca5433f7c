#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include "spin_lock.h"
#include "weft_rt.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define WEFT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define WEFT_ASAN 1
#endif
#endif

// Kept by a region that nobody uses, at each end; what recursion used beyond goes back to the system.
static const size_t kKept = (size_t)2 << 20;
static const size_t kLeast = (size_t)4 << 20;
// Words beyond what is kept, in pages that follow each other: while they stand, recursion has not got there.
static const size_t kMarks = 16, kPage = 4096;
static const uint64_t kMark = 0x9e3779b97f4a7c15u;

// A region's header lies at its end, above the machine stack.
typedef struct region {
  char* base;
  size_t bytes;
  struct region* next;
} region;

static struct {
  int32_t lock;
  region* free_list;
} pool;

static size_t machine_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
  FILE* limit = fopen("/sys/fs/cgroup/memory.max", "r");
  if (limit != NULL) {
    unsigned long long most;
    if (fscanf(limit, "%llu", &most) == 1 && most < bytes) bytes = (size_t)most;
    fclose(limit);
  }
  return bytes;
}

size_t weft_rt_recursion_bytes(void) {
  static size_t known;
  size_t bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (bytes != 0) return bytes;
  bytes = machine_memory() / 4;
  if (bytes > (size_t)1 << 30) bytes = (size_t)1 << 30;
  const char* given = getenv("WEFT_RECURSION_MIB");
  if (given != NULL) {
    const unsigned long long mib = strtoull(given, NULL, 10);
    if (mib > 0 && mib < (unsigned long long)1 << 24) bytes = (size_t)mib << 20;
  }
  if (bytes < kLeast) bytes = kLeast;
  __atomic_store_n(&known, bytes, __ATOMIC_RELAXED);
  return bytes;
}

static uint64_t* mark(const region* r, size_t i, int of_stack) {
  const size_t beyond = kKept + i * kPage + (i & 7) * 64;
  return (uint64_t*)(of_stack ? r->base + r->bytes - beyond - sizeof(uint64_t) : r->base + beyond);
}

static int is_long(const region* r) { return r->bytes > 2 * (kKept + kMarks * kPage); }

static void set_marks(const region* r) {
  for (size_t i = 0; is_long(r) && i < kMarks; ++i) *mark(r, i, 0) = *mark(r, i, 1) = kMark;
}

static int marks_stand(const region* r) {
  int stand = is_long(r);
  for (size_t i = 0; stand && i < kMarks; ++i) stand = *mark(r, i, 0) == kMark && *mark(r, i, 1) == kMark;
  return stand;
}

static region* take_region(void) {
  weft_rt_spin_lock(&pool.lock);
  region* found = pool.free_list;
  if (found) pool.free_list = found->next;
  weft_rt_spin_unlock(&pool.lock);
  if (found) return found;
  const size_t bytes = weft_rt_recursion_bytes();
  char* base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  found = (region*)(base + bytes - WEFT_RT_ALIGNMENT);
  found->base = base;
  found->bytes = bytes;
  set_marks(found);
  return found;
}

static void put_region(region* r) {
  if (r->bytes > 2 * kKept && !marks_stand(r)) {
    madvise(r->base + kKept, r->bytes - 2 * kKept, MADV_DONTNEED);
    set_marks(r);
  }
  weft_rt_spin_lock(&pool.lock);
  r->next = pool.free_list;
  pool.free_list = r;
  weft_rt_spin_unlock(&pool.lock);
}

typedef struct {
  weft_rt_recursive_fn entry;
  const void* const* args;
  void* const* results;
  void* workspace;
  weft_rt_context* context;
  void* host;
  void* frames;
  int32_t status;
#ifdef WEFT_ASAN
  const void* outer_stack;
  size_t outer_bytes;
#endif
} job;

static void run(job* j) {
#ifdef WEFT_ASAN
  __sanitizer_finish_switch_fiber(NULL, &j->outer_stack, &j->outer_bytes);
#endif
  j->status = j->entry(j->args, j->results, j->workspace, j->context, j->host, j->frames);
#ifdef WEFT_ASAN
  __sanitizer_start_switch_fiber(NULL, j->outer_stack, j->outer_bytes);
#endif
}

#if defined(__x86_64__)
// Calls run(j) on another stack. Nothing is thrown across, and the signal mask stays as it is: no context has to be kept.
static void run_on(region* r, job* j) {
  char* stack_end = r->base + r->bytes - WEFT_RT_ALIGNMENT;
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[stack], %%rsp\n\t"
      "callq *%[run]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(j)
      : [stack] "r"((uintptr_t)stack_end & ~(uintptr_t)63), [run] "r"(&run)
      : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
static void run_halves(unsigned low, unsigned high) { run((job*)((uintptr_t)low | (uintptr_t)((uint64_t)high << 32))); }

static void run_on(region* r, job* j) {
  ucontext_t outer, inner;
  if (getcontext(&inner) != 0) {
    weft_rt_fail(j->context, WEFT_RT_OUT_OF_MEMORY, INT64_MIN, -1, NULL, 0);
    return;
  }
  inner.uc_stack.ss_sp = r->base;
  inner.uc_stack.ss_size = r->bytes - WEFT_RT_ALIGNMENT;
  inner.uc_link = &outer;
  const uintptr_t address = (uintptr_t)j;
  makecontext(&inner, (void (*)(void))run_halves, 2, (unsigned)address, (unsigned)((uint64_t)address >> 32));
  swapcontext(&outer, &inner);
}
#endif

int32_t weft_rt_run_recursive(weft_rt_recursive_fn entry, const void* const* args, void* const* results,
                              void* workspace, weft_rt_context* context, void* host) {
  region* r = take_region();
  if (r == NULL) {
    weft_rt_fail(context, WEFT_RT_OUT_OF_MEMORY, INT64_MIN, -1, NULL, 0);
    return WEFT_RT_OUT_OF_MEMORY;
  }
  job j = {.entry = entry,
           .args = args,
           .results = results,
           .workspace = workspace,
           .context = context,
           .host = host,
           .frames = r->base,
           .status = WEFT_RT_OUT_OF_MEMORY};
#ifdef WEFT_ASAN
  void* fake_stack;
  __sanitizer_start_switch_fiber(&fake_stack, r->base, r->bytes - WEFT_RT_ALIGNMENT);
#endif
  run_on(r, &j);
#ifdef WEFT_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
  put_region(r);
  return j.status;
}
