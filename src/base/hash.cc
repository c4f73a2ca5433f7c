#include "base/hash.h"

#include <cstring>

namespace weft {

void Hasher::add(std::span<const std::byte> bytes) {
  add(static_cast<uint64_t>(bytes.size()));
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    add(word);
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    add(word);
  }
}

Hash Hasher::value() const {
  Hasher last = *this;
  last.add(state_[1]);
  last.add(state_[0]);
  return last.state_;
}

std::string hash_text(const Hash& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (uint64_t word : hash) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 15];
  }
  return text;
}

}  // namespace weft
