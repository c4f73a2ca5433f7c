#include "julia/intrinsics/sha256.h"

#include <bit>
#include <cmath>
#include <vector>

namespace weft::julia {
namespace {

struct Constants {
  std::array<uint32_t, 64> round;
  std::array<uint32_t, 8> start;
};

/// The first 32 bits of the fractional part of a root of a prime, found by search in integers.
uint32_t root_fraction(unsigned prime, int power) {
  // The largest r with (r / 2^32)^power <= prime.
  unsigned __int128 low = 0, high = static_cast<unsigned __int128>(32) << 32;
  while (high - low > 1) {
    const unsigned __int128 middle = (low + high) / 2;
    // Of a cube the lowest 32 bits of the square do not matter: the cube root is irrational.
    const unsigned __int128 square = middle * middle;
    const bool fits = power == 2 ? square <= static_cast<unsigned __int128>(prime) << 64
                                 : (square >> 32) * middle + (((square & 0xffffffffU) * middle) >> 32) <
                                       static_cast<unsigned __int128>(prime) << 64;
    (fits ? low : high) = middle;
  }
  return static_cast<uint32_t>(low);
}

const Constants& constants() {
  static const Constants c = [] {
    Constants out{};
    size_t found = 0;
    for (unsigned n = 2; found < 64; ++n) {
      bool is_prime = true;
      for (unsigned d = 2; d * d <= n; ++d) is_prime = is_prime && n % d != 0;
      if (!is_prime) continue;
      out.round[found] = root_fraction(n, 3);
      if (found < 8) out.start[found] = root_fraction(n, 2);
      ++found;
    }
    return out;
  }();
  return c;
}

void add_block(std::array<uint32_t, 8>& state, const uint8_t* block) {
  const auto& k = constants().round;
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<uint32_t>(block[4 * i]) << 24 | static_cast<uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<uint32_t>(block[4 * i + 2]) << 8 | static_cast<uint32_t>(block[4 * i + 3]);
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
    const uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += sum[i];
}

}  // namespace

const std::array<uint32_t, 64>& sha256_rounds() { return constants().round; }

std::array<uint8_t, 32> sha256(std::span<const uint8_t> message) {
  std::vector<uint8_t> padded(message.begin(), message.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  const uint64_t bits = message.size() * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<uint8_t>(bits >> shift));
  std::array<uint32_t, 8> state = constants().start;
  for (size_t at = 0; at < padded.size(); at += 64) add_block(state, padded.data() + at);
  std::array<uint8_t, 32> out{};
  for (size_t i = 0; i < 32; ++i) out[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

}  // namespace weft::julia
