// A hash wide enough that equal hashes are taken for equal contents.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::codegen {

/// Two independent 64-bit accumulations over a stream of words.
struct Hash128 {
  uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344;
  void add(uint64_t x) {
    a = (a ^ x) * 0x9e3779b97f4a7c15;
    a ^= a >> 29;
    b = (b + x) * 0xd6e8feb86659fd93;
    b ^= b >> 32;
  }
  void add(std::string_view s) {
    add(s.size());
    for (char c : s) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  void add_bytes(const std::byte* p, size_t n) {
    add(n);
    for (size_t i = 0; i < n; ++i) add(static_cast<uint64_t>(p[i]));
  }
  /// 32 hexadecimal digits.
  std::string text() const;
};

}  // namespace weft::codegen
