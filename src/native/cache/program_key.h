// What tells compiled programs apart: 128 bits over everything that generated code depends on.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/function.h"

namespace weft::native {

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
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add(Type type);
  Hash value() const;

 private:
  Hash state_ = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
  std::unordered_map<Type, uint64_t> types_;
};

/// Ops, values, types and attributes with the contents of constants; not the source places.
void add_function(Hasher& h, const Function& f);

/// Of the library that this code is in: changes with every build of other code. Empty when it is not known.
const std::string& build_id();

}  // namespace weft::native
