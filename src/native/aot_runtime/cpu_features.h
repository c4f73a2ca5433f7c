// What the CPU and its operating system can do.
#ifndef WEFT_RT_CPU_FEATURES_H
#define WEFT_RT_CPU_FEATURES_H

#ifdef __cplusplus
extern "C" {
#endif

// The first of `names` (ends with NULL) that this CPU or its operating system lacks, or NULL. Names are LLVM's. The environment variable
// WEFT_CPU (x86-64, x86-64-v2, -v3, -v4) hides what its level does not have.
const char* weft_rt_missing_feature(const char* const* names);
// Whether weft_rt_missing_feature can tell about this name.
int weft_rt_knows_feature(const char* name);

#ifdef __cplusplus
}
#endif
#endif
