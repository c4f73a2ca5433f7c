// A hash of 128 bits: wide enough that equal hashes are taken for equal contents.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft {

using Hash = std::array<uint64_t, 2>;

/// The same in every process. Not made against those who look for collisions.
class Hasher {
 public:
  void add(uint64_t word) {
    state_[0] = (state_[0] ^ word) * 0x9e3779b97f4a7c15u;
    state_[0] ^= state_[0] >> 32;
    state_[1] = (state_[1] + word) * 0xd6e8feb86659fd93u;
    state_[1] = (state_[1] << 29 | state_[1] >> 35) ^ state_[0];
  }
  /// Their number comes first, so that what is added next cannot be taken for a part of them.
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  Hash value() const;

 private:
  Hash state_ = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
};

/// 32 hexadecimal digits.
std::string hash_text(const Hash& hash);

}  // namespace weft
