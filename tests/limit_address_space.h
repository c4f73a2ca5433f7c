#pragma once
#include <sys/resource.h>

namespace weft {

/// This process can have so many bytes of addresses. Sanitized ones can have any number: their shadow memory is larger than all limits.
inline void limit_address_space([[maybe_unused]] rlim_t bytes) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_HAS_SHADOW_MEMORY
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(WEFT_HAS_SHADOW_MEMORY)
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace weft
