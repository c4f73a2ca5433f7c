// Loops that are compiled twice: for every CPU, and for wide vectors where the CPU has them. Without fused operations, which the
// tree is compiled without, both give the same bits.
#ifndef WEFT_RT_WIDE_H
#define WEFT_RT_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WEFT_RT_WIDE __attribute__((target("avx2")))
#define WEFT_RT_HAS_WIDE() weft_rt::has_wide()

#include "cpu_features.h"

namespace weft_rt {
static inline bool has_wide() {
  static const char* const kNames[] = {"avx2", nullptr};
  return weft_rt_missing_feature(kNames) == nullptr;
}
}  // namespace weft_rt

#else
#define WEFT_RT_WIDE
#define WEFT_RT_HAS_WIDE() false
#endif
#define WEFT_RT_INLINE __attribute__((always_inline)) inline

#endif
