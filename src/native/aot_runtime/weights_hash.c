#include <string.h>

#include "weft_rt_weights.h"

const char weft_rt_weights_magic[8] = "WEFTWTS";

static const uint64_t kFactor = 0x9e3779b97f4a7c15u;

static uint64_t mixed(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * kFactor;
  return lane ^ lane >> 29;
}

void weft_rt_hash_begin(weft_rt_hash* hash) {
  for (int i = 0; i < 4; ++i) hash->lanes[i] = kFactor * (uint64_t)(i + 1);
  hash->bytes = 0;
}

void weft_rt_hash_add(weft_rt_hash* hash, const void* data, size_t bytes) {
  const char* at = data;
  hash->bytes += bytes;
  for (; bytes >= 32; bytes -= 32, at += 32) {
    uint64_t words[4];
    memcpy(words, at, 32);
    for (int i = 0; i < 4; ++i) hash->lanes[i] = mixed(hash->lanes[i], words[i]);
  }
  if (bytes) {
    uint64_t words[4] = {0};
    memcpy(words, at, bytes);
    for (int i = 0; i < 4; ++i) hash->lanes[i] = mixed(hash->lanes[i], words[i]);
  }
}

void weft_rt_hash_end(const weft_rt_hash* hash, uint64_t out[2]) {
  for (int j = 0; j < 2; ++j) {
    uint64_t h = hash->bytes + (uint64_t)j;
    for (int i = 0; i < 4; ++i) h = mixed(h, hash->lanes[(i + j) % 4] + h);
    out[j] = h;
  }
}
