// Loops that are compiled twice: for every CPU, and for wide vectors where the CPU has them. Without fused operations, which the
// tree is compiled without, both give the same bits.
#ifndef WEFT_RT_WIDE_H
#define WEFT_RT_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WEFT_RT_WIDE __attribute__((target("avx2")))
#define WEFT_RT_HAS_WIDE() (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0)
#else
#define WEFT_RT_WIDE
#define WEFT_RT_HAS_WIDE() false
#endif
#define WEFT_RT_INLINE __attribute__((always_inline)) inline

#endif
