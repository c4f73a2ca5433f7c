#include "julia/intrinsics/mersenne.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::julia {
namespace {

// Parameters of dSFMT with the period 2^19937 - 1.
constexpr int kPosition = 117;
constexpr int kShift = 19;
constexpr uint64_t kMask1 = 0x000ffafffffffb3fU, kMask2 = 0x000ffdfffc90fffdU;
constexpr uint64_t kFix1 = 0x90014964b32f4329U, kFix2 = 0x3b8d12ac548a7c7aU;
constexpr uint64_t kParity1 = 0x3d84e1ac0dc82880U, kParity2 = 1;
constexpr uint64_t kLowMask = 0x000fffffffffffffU, kOne = 0x3ff0000000000000U;

using Word = std::array<uint64_t, 2>;

void recur(Word& out, const Word& b, Word& carry) {
  const Word a = out, before = carry;
  carry[0] = (a[0] << kShift) ^ (before[1] >> 32) ^ (before[1] << 32) ^ b[0];
  carry[1] = (a[1] << kShift) ^ (before[0] >> 32) ^ (before[0] << 32) ^ b[1];
  out[0] = (carry[0] >> 12) ^ (carry[0] & kMask1) ^ a[0];
  out[1] = (carry[1] >> 12) ^ (carry[1] & kMask2) ^ a[1];
}

uint32_t mix1(uint32_t x) { return (x ^ (x >> 27)) * 1664525U; }
uint32_t mix2(uint32_t x) { return (x ^ (x >> 27)) * 1566083941U; }

}  // namespace

void Mersenne::seed(std::span<const uint32_t> key) {
  constexpr uint32_t kSize = (kWords + 1) * 4, kLag = 11, kMiddle = (kSize - kLag) / 2;
  std::vector<uint32_t> p(kSize, 0x8b8b8b8bU);
  const auto length = static_cast<uint32_t>(key.size());
  uint32_t count = std::max(length + 1, kSize);
  uint32_t r = mix1(p[0] ^ p[kMiddle % kSize] ^ p[kSize - 1]);
  p[kMiddle % kSize] += r;
  r += length;
  p[(kMiddle + kLag) % kSize] += r;
  p[0] = r;
  --count;
  uint32_t i = 1;
  for (uint32_t j = 0; j < count; ++j) {
    r = mix1(p[i] ^ p[(i + kMiddle) % kSize] ^ p[(i + kSize - 1) % kSize]);
    p[(i + kMiddle) % kSize] += r;
    r += i + (j < length ? key[j] : 0);
    p[(i + kMiddle + kLag) % kSize] += r;
    p[i] = r;
    i = (i + 1) % kSize;
  }
  for (uint32_t j = 0; j < kSize; ++j) {
    r = mix2(p[i] + p[(i + kMiddle) % kSize] + p[(i + kSize - 1) % kSize]);
    p[(i + kMiddle) % kSize] ^= r;
    r -= i;
    p[(i + kMiddle + kLag) % kSize] ^= r;
    p[i] = r;
    i = (i + 1) % kSize;
  }
  std::memcpy(state_.data(), p.data(), sizeof state_);
  for (size_t k = 0; k < kWords; ++k) {
    for (uint64_t& x : state_[k]) x = (x & kLowMask) | kOne;
  }
  // The state must lie on the long orbit.
  const uint64_t inner = ((state_[kWords][0] ^ kFix1) & kParity1) ^ ((state_[kWords][1] ^ kFix2) & kParity2);
  if (std::popcount(inner) % 2 == 0) state_[kWords][1] ^= 1;
  used_ = 2 * kWords;
  next_float_ = kFloats;
  bytes_left_ = 0;
  std::ranges::fill(floats_, 0.0);
  std::ranges::fill(integers_, 0);
}

void Mersenne::generate() {
  Word carry = state_[kWords];
  for (size_t i = 0; i < kWords; ++i) recur(state_[i], state_[(i + kPosition) % kWords], carry);
  state_[kWords] = carry;
  used_ = 0;
}

double Mersenne::next_raw() {
  if (used_ == 2 * kWords) generate();
  const auto i = static_cast<size_t>(used_++);
  return std::bit_cast<double>(state_[i / 2][i % 2]);
}

double Mersenne::close1_open2() {
  if (next_float_ == kFloats) {
    for (double& x : floats_) x = next_raw();
    next_float_ = 0;
  }
  return floats_[next_float_++];
}

void Mersenne::fill(std::span<double> out) {
  const size_t n = out.size();
  const size_t direct = n < 2 ? 0 : (n - 2) / 2 * 2;
  size_t i = 0;
  if (direct >= static_cast<size_t>(kMinimalArray)) {
    for (; i < direct; ++i) out[i] = next_raw() - 1;
  }
  for (; i < n; ++i) out[i] = close1_open2() - 1;
}

// 52 of 64 bits are random in each number: the twelve others of four are taken from a fifth.
void Mersenne::refill_integers() {
  std::vector<unsigned __int128> raw(kIntegers + 126);
  for (auto& x : raw) {
    const auto low = std::bit_cast<uint64_t>(next_raw());
    x = static_cast<unsigned __int128>(std::bit_cast<uint64_t>(next_raw())) << 64 | low;
  }
  size_t k = kIntegers, n = 0;
  while (n != 500) {
    const unsigned __int128 u = raw[k++];
    for (int shift = 48; shift >= 12; shift -= 12) raw[n++] ^= u << shift;
  }
  raw[500] ^= raw[k] << 48;
  std::copy_n(raw.begin(), kIntegers, integers_.begin());
  bytes_left_ = kIntegers * 16;
}

unsigned __int128 Mersenne::integer(int bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (bytes_left_ < size) refill_integers();
  if (size == 16) {
    const size_t index = bytes_left_ / 16;
    bytes_left_ = index * 16 - 16;
    return integers_[index - 1];
  }
  bytes_left_ -= size;
  return integers_[bytes_left_ / 16] >> (bytes_left_ % 16 / size * size * 8);
}

void Mersenne::fill(std::span<unsigned __int128> out) {
  size_t n = out.size(), i = n;
  const auto raw = [&](size_t count) {
    std::vector<double> values(2 * count);
    fill(values);
    for (size_t k = 0; k < count; ++k) {
      const auto low = std::bit_cast<uint64_t>(values[2 * k] + 1),
                 high = std::bit_cast<uint64_t>(values[2 * k + 1] + 1);
      out[k] = static_cast<unsigned __int128>(high) << 64 | low;
    }
  };
  for (;;) {
    raw(i);
    if (n < 5) break;
    i = 0;
    while (n - i >= 5) {
      const unsigned __int128 u = out[i++];
      for (int shift = 48; shift >= 12; shift -= 12) out[--n] ^= u << shift;
    }
  }
  if (n == 0) return;
  const auto first = std::bit_cast<uint64_t>(close1_open2());
  const unsigned __int128 u = static_cast<unsigned __int128>(first) << 64 | std::bit_cast<uint64_t>(close1_open2());
  for (size_t k = 0; k < n; ++k) out[k] ^= u << (12 * (k + 1));
}

}  // namespace weft::julia
