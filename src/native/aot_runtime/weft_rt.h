// The run-time library of compiled programs, as a C ABI: what JIT code calls in this process and what AOT libraries link
// from libweft_rt.a. Needs libc, libm and libpthread only; nothing here throws or unwinds.
//
// Structures whose fields are documented here are part of the contract with native/codegen, which may emit the marked
// fast paths inline; offsets are checked in context.c and stack.c.
#ifndef WEFT_RT_H
#define WEFT_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Threads ------------------------------------------------------------------------------------------------------

// One part of a parallel section: does part `part` of `parts` (0 <= part < parts) and must not unwind.
typedef void (*weft_rt_part_fn)(void* ctx, int64_t part, int64_t parts);

// Runs fn(ctx, p, parts) once for each p in [0, parts) and returns when all have returned. `parts` is what the program
// was compiled for, so results never depend on how many threads run it. Sections of concurrent callers run one after
// the other; a call from inside a section, and parts == 1, run on the caller. Writes made before the call are seen by
// all parts, and theirs by the caller afterwards. parts <= 0 does nothing.
void weft_rt_parallel(weft_rt_part_fn fn, void* ctx, int64_t parts);

// Holds the lock of parallel sections around a library call that starts threads of its own (oneDNN, OpenBLAS).
// Returns 0 without locking when the caller is already inside a section; pass the result to weft_rt_section_leave.
int weft_rt_section_enter(void);
void weft_rt_section_leave(int entered);

// 1 on a thread that is inside a parallel section.
int weft_rt_in_section(void);

// CPUs that this process may use: scheduler affinity, limited by the cgroup's CPU quota (versions 1 and 2), rounded up.
int weft_rt_cpu_count(void);

// Threads that run parallel sections: weft_rt_cpu_count(), lowered by the environment variable WEFT_NUM_THREADS, unless
// set by weft_rt_set_thread_count. At least 1.
int weft_rt_thread_count(void);

// Sets the number of threads of later sections, at least 1 and at most WEFT_RT_MAX_THREADS; 0 restores the default.
enum { WEFT_RT_MAX_THREADS = 1024 };
void weft_rt_set_thread_count(int threads);

// ---- Arenas -------------------------------------------------------------------------------------------------------

enum { WEFT_RT_ALIGNMENT = 64 };

// A block of memory that one call uses at a time. Large blocks are aligned to huge pages, and every page is touched
// before the first use.
typedef struct weft_rt_arena {
  void* base;       // aligned to WEFT_RT_ALIGNMENT, to 2 MiB for blocks of that size and more
  size_t capacity;  // bytes at base
  struct weft_rt_arena* next;
} weft_rt_arena;

// The free list of one compiled program. Zero-initialised is empty and ready; it may live in static storage.
typedef struct weft_rt_arena_pool {
  weft_rt_arena* free_list;
  int32_t lock;
  int32_t idle;  // arenas in the free list; at most WEFT_RT_MAX_IDLE_ARENAS stay when a burst of calls is over
} weft_rt_arena_pool;
enum { WEFT_RT_MAX_IDLE_ARENAS = 64 };

// Leases an arena of at least `bytes` bytes; NULL when memory is short. Steady state calls neither malloc nor mmap.
weft_rt_arena* weft_rt_arena_lease(weft_rt_arena_pool* pool, size_t bytes);
void weft_rt_arena_return(weft_rt_arena_pool* pool, weft_rt_arena* arena);

// Frees the arenas that are not leased; returns their bytes.
size_t weft_rt_arena_pool_clear(weft_rt_arena_pool* pool);

// ---- Call context and status --------------------------------------------------------------------------------------

enum {
  WEFT_RT_OK = 0,
  WEFT_RT_CHECK_FAILED = 1,  // a weft.check of the program; site and values say which
  WEFT_RT_OUT_OF_MEMORY = 2,
  WEFT_RT_STACK_EMPTY = 3,     // pop without push: a fault of the compiler
  WEFT_RT_LIBRARY_FAILED = 4,  // a library kernel or custom call reported an error; site says which
  WEFT_RT_WRONG_ISA = 5,       // the code needs instructions that this CPU lacks
  WEFT_RT_TOO_DEEP = 6,  // recursion that its stack does not hold; site lies in the function, depth says how many calls
  WEFT_RT_INTERRUPTED = 7,  // the call was asked to end before it was done
  WEFT_RT_BAD_ADDRESS = 8,  // an argument, result or workspace is missing or not aligned
  WEFT_RT_NO_WEIGHTS = 9    // the file of the constants is missing or another one
};

enum { WEFT_RT_MAX_CHECK_VALUES = 8 };

struct weft_rt_stack;

// State of one call of an entry. Lives on the caller's stack frame; begin and end cost a few stores.
typedef struct weft_rt_context {
  int32_t status;  // offset 0: WEFT_RT_OK or the reason to leave; generated code tests it where it may leave
  int32_t value_count;
  int64_t site;                               // index of the failing check or library call in the program's site table
  int64_t rank;                               // program order of the report kept so far
  uint64_t values[WEFT_RT_MAX_CHECK_VALUES];  // bit patterns, zero-extended; their types stand in the site table
  struct weft_rt_stack* stacks;               // all live stacks of the call
  int32_t lock;
  int32_t depth;                 // calls of recursive functions that a failure has left so far
  const uint32_t* interrupts;    // the call is to leave when this count has changed
  const void* const* constants;  // large constants, which the code does not hold
  uint32_t interrupts_before;    // *interrupts when the call began
  uint32_t reserved;
} weft_rt_context;

// An empty report; no constants; interrupted by weft_rt_interrupt.
void weft_rt_context_begin(weft_rt_context* context);

// Makes the calls that run now, on all threads, leave with WEFT_RT_INTERRUPTED at their next kernel or turn of a loop. Safe in a
// signal handler.
void weft_rt_interrupt(void);

// Returns every stack of the call to the free lists. To be called on every way out.
void weft_rt_context_end(weft_rt_context* context);

// Records a failure. Among reports before the code leaves (those of one parallel or vectorised kernel), the one with
// the lowest rank stays, and of equal ranks the first; ranks are the places in program order, lane or iteration
// included, which the code generator hands out within one kernel. At most WEFT_RT_MAX_CHECK_VALUES values are kept.
void weft_rt_fail(weft_rt_context* context, int32_t status, int64_t rank, int64_t site, const uint64_t* values,
                  int32_t value_count);

// ---- Recursion ----------------------------------------------------------------------------------------------------

// Room that a recursive function leaves on the machine stack for what it calls: kernels, libraries, callbacks.
enum { WEFT_RT_STACK_RESERVE = 1 << 20 };

// An entry that calls recursive functions, with memory for their frames.
typedef int32_t (*weft_rt_recursive_fn)(const void* const* args, void* const* results, void* workspace,
                                        weft_rt_context* context, void* host, void* frames);

// Runs the entry on a stack of its own: one block of memory, in which the machine stack grows downwards from the end and the
// frames of recursive functions (what they keep in memory) upwards from the beginning, so that one limit holds for both. Its
// size is weft_rt_recursion_bytes(). Returns the entry's status; WEFT_RT_OUT_OF_MEMORY when there is no such block.
int32_t weft_rt_run_recursive(weft_rt_recursive_fn entry, const void* const* args, void* const* results,
                              void* workspace, weft_rt_context* context, void* host);

// 1 GiB, or a quarter of the memory of the machine or its cgroup where that is less; the environment variable
// WEFT_RECURSION_MIB says otherwise. Pages are used as recursion reaches them.
size_t weft_rt_recursion_bytes(void);

// ---- Stacks: the values of !weft.stack<T> -------------------------------------------------------------------------

struct weft_rt_chunk;

// A stack of equal elements in chunks that double in size, outside the arena. A handle is a pointer to this header;
// it has one owner at a time (linear use), so no operation locks it. Fast paths that generated code may emit inline:
//   push: if (cur != end)   { copy elem_bytes to cur; cur += stride; }   else weft_rt_stack_push
//   pop:  if (cur != begin) { cur -= stride; copy elem_bytes from cur; } else weft_rt_stack_pop
typedef struct weft_rt_stack {
  char* cur;           // offset 0: where the next element goes in the current chunk
  char* begin;         // offset 8: first element of the current chunk
  char* end;           // offset 16: end of its last element
  int64_t stride;      // offset 24: bytes from element to element, at least 1; a multiple of 64 for elem_bytes > 32
  int64_t elem_bytes;  // offset 32
  struct weft_rt_chunk* chunk;
  struct weft_rt_chunk* spare;  // the chunk above, kept so that a push and pop at the border do not thrash
  weft_rt_context* context;
  struct weft_rt_stack* previous;
  struct weft_rt_stack* next;
  int32_t is_nested;
  int32_t reserved;
} weft_rt_stack;

// New empty stack of elements of elem_bytes (>= 0) bytes, owned by the call. is_nested = 1: the elements are handles
// of stacks (8 bytes), which the stack owns while they are in it. NULL when memory is short, with the status set.
weft_rt_stack* weft_rt_stack_new(weft_rt_context* context, int64_t elem_bytes, int32_t is_nested);

// Gives the stack and those inside it back before the end of the call: the value is dead.
void weft_rt_stack_drop(weft_rt_stack* stack);

// Push and pop by copy. They return WEFT_RT_OK, or WEFT_RT_OUT_OF_MEMORY / WEFT_RT_STACK_EMPTY with the status of the
// context set and nothing else changed.
int32_t weft_rt_stack_push(weft_rt_stack* stack, const void* element);
int32_t weft_rt_stack_pop(weft_rt_stack* stack, void* element);

// As weft_rt_stack_pop, but an empty stack is no fault: WEFT_RT_STACK_EMPTY is returned and nothing else happens.
int32_t weft_rt_stack_try_pop(weft_rt_stack* stack, void* element);

// The same without the copy: the place of the new element, to be written by the caller, and the place of the popped
// one, valid until the next operation on the stack. NULL on failure, with the status set.
void* weft_rt_stack_push_slot(weft_rt_stack* stack);
const void* weft_rt_stack_pop_slot(weft_rt_stack* stack);

// Number of elements. Walks the chunks: for tests and reports.
int64_t weft_rt_stack_size(const weft_rt_stack* stack);

// Bytes in the process-wide free lists of chunks, and their release to the C library.
size_t weft_rt_stack_cached_bytes(void);
void weft_rt_stack_trim(void);

// ---- Complex functions --------------------------------------------------------------------------------------------

// Elements of a function of complex<f32> or complex<f64> (its number: ops/scalar/complex_function.h), computed in wider numbers and rounded
// once. operands: `count` real parts, as many imaginary parts, then those of the second operand where there is one. results: real
// parts, then imaginary parts.
void weft_rt_complex_f32(int32_t function, int64_t count, const float* operands, float* results);
void weft_rt_complex_f64(int32_t function, int64_t count, const double* operands, double* results);

#ifdef __cplusplus
}
#endif
#endif
