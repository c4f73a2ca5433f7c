// Files with a program's large constants. Little-endian:
//   0   8 bytes  "WEFTWTS" and a 0
//   8   u32      version, 1
//   12  u32      0
//   16  u64      bytes of the file
//   24  u64      number of constants
//   32  2 × u64  weft_rt_hash of everything from byte 4096 on
//   48           zeros
//   4096         the constants, dense and row-major, each at a multiple of 64 with zeros before it
// Where each lies stands in the library.
#ifndef WEFT_RT_WEIGHTS_H
#define WEFT_RT_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_RT_WEIGHTS_VERSION = 1, WEFT_RT_WEIGHTS_BEGIN = 4096, WEFT_RT_WEIGHTS_ALIGNMENT = 64 };

typedef struct weft_rt_weights_header {
  char magic[8];
  uint32_t version, reserved;
  uint64_t file_bytes, count, hash[2];
} weft_rt_weights_header;

extern const char weft_rt_weights_magic[8];

// 128 bits over bytes that come in pieces, each but the last a multiple of 32. Against accidents, not against those who look for
// collisions.
typedef struct weft_rt_hash {
  uint64_t lanes[4], bytes;
} weft_rt_hash;
void weft_rt_hash_begin(weft_rt_hash* hash);
void weft_rt_hash_add(weft_rt_hash* hash, const void* data, size_t bytes);
void weft_rt_hash_end(const weft_rt_hash* hash, uint64_t out[2]);

#ifdef __cplusplus
}
#endif
#endif
