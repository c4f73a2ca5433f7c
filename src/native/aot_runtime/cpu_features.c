// What the CPU and its operating system can do, asked of the hardware: compilers' run-time libraries know only their own time's names.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>

// Where cpuid tells: leaf, register (0 = eax … 3 = edx), bit; and the state that the system must keep over a task switch.
enum { kNoState, kAvxState = 0x6, kAvx512State = 0xe6, kAmxState = 0x60000 };
typedef struct {
  const char* name;
  unsigned leaf, subleaf;
  int reg, bit;
  unsigned state;
  int level;  // of x86-64 that brings it; 5: none does
} feature;

static const feature features[] = {
    {"sse3", 1, 0, 2, 0, kNoState, 2},
    {"ssse3", 1, 0, 2, 9, kNoState, 2},
    {"sse4.1", 1, 0, 2, 19, kNoState, 2},
    {"sse4.2", 1, 0, 2, 20, kNoState, 2},
    {"popcnt", 1, 0, 2, 23, kNoState, 2},
    {"cx16", 1, 0, 2, 13, kNoState, 2},
    {"movbe", 1, 0, 2, 22, kNoState, 3},
    {"lzcnt", 0x80000001u, 0, 2, 5, kNoState, 3},
    {"avx", 1, 0, 2, 28, kAvxState, 3},
    {"f16c", 1, 0, 2, 29, kAvxState, 3},
    {"fma", 1, 0, 2, 12, kAvxState, 3},
    {"bmi", 7, 0, 1, 3, kNoState, 3},
    {"bmi2", 7, 0, 1, 8, kNoState, 3},
    {"avx2", 7, 0, 1, 5, kAvxState, 3},
    {"avx512f", 7, 0, 1, 16, kAvx512State, 4},
    {"avx512bw", 7, 0, 1, 30, kAvx512State, 4},
    {"avx512cd", 7, 0, 1, 28, kAvx512State, 4},
    {"avx512dq", 7, 0, 1, 17, kAvx512State, 4},
    {"avx512vl", 7, 0, 1, 31, kAvx512State, 4},
    {"avx512ifma", 7, 0, 1, 21, kAvx512State, 5},
    {"avx512vbmi", 7, 0, 2, 1, kAvx512State, 5},
    {"avx512vbmi2", 7, 0, 2, 6, kAvx512State, 5},
    {"avx512vnni", 7, 0, 2, 11, kAvx512State, 5},
    {"avx512bitalg", 7, 0, 2, 12, kAvx512State, 5},
    {"avx512vpopcntdq", 7, 0, 2, 14, kAvx512State, 5},
    {"avx512fp16", 7, 0, 3, 23, kAvx512State, 5},
    {"avx512bf16", 7, 1, 0, 5, kAvx512State, 5},
    {"avxvnni", 7, 1, 0, 4, kAvxState, 5},
    {"gfni", 7, 0, 2, 8, kNoState, 5},
    {"amx-tile", 7, 0, 3, 24, kAmxState, 5},
    {"amx-bf16", 7, 0, 3, 22, kAmxState, 5},
    {"amx-int8", 7, 0, 3, 25, kAmxState, 5},
};

static const feature* find(const char* name) {
  for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
    if (strcmp(features[i].name, name) == 0) return &features[i];
  }
  return NULL;
}

// The state that the system saves, by xgetbv.
static unsigned kept_state(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// WEFT_CPU takes the features above a level away, so that code for lesser CPUs can be tried.
static int allowed_level(void) {
  const char* name = getenv("WEFT_CPU");
  if (!name || strncmp(name, "x86-64", 6) != 0) return 5;
  if (name[6] == 0) return 1;
  return name[6] == '-' && name[7] == 'v' && name[8] >= '2' && name[8] <= '4' && name[9] == 0 ? name[8] - '0' : 5;
}

static int ask(const feature* f) {
  unsigned r[4];
  if (f->level > allowed_level()) return 0;
  if (!__get_cpuid_count(f->leaf, f->subleaf, &r[0], &r[1], &r[2], &r[3])) return 0;
  return (r[f->reg] >> f->bit & 1u) && (kept_state() & f->state) == f->state;
}

// Asked once: cpuid costs microseconds in a virtual machine. 0 = not yet known; threads that ask at once find the same.
static signed char known[sizeof features / sizeof features[0]];

static int has(const feature* f) {
  signed char* answer = &known[f - features];
  signed char now = __atomic_load_n(answer, __ATOMIC_RELAXED);
  if (!now) {
    now = ask(f) ? 1 : -1;
    __atomic_store_n(answer, now, __ATOMIC_RELAXED);
  }
  return now > 0;
}

int weft_rt_knows_feature(const char* name) { return find(name) != NULL; }

const char* weft_rt_missing_feature(const char* const* names) {
  for (; *names; ++names) {
    const feature* f = find(*names);
    if (f && !has(f)) return *names;
  }
  return NULL;
}

#else

// Code for other architectures uses what every CPU of theirs has.
int weft_rt_knows_feature(const char* name) {
  (void)name;
  return 0;
}

const char* weft_rt_missing_feature(const char* const* names) {
  (void)names;
  return NULL;
}

#endif
