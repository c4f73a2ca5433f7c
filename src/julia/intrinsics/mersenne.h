// MersenneTwister: dSFMT-19937 (Saito and Matsumoto) behind the caches that Julia keeps in front of it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::julia {

class Mersenne {
 public:
  /// The shortest array that is filled past the cache.
  static constexpr int64_t kMinimalArray = 382;

  void seed(std::span<const uint32_t> key);
  /// In [1, 2), from the cache.
  double close1_open2();
  /// 1, 2, 4, 8 or 16 bytes from the cache of whole random bits.
  unsigned __int128 integer(int bytes);
  void fill(std::span<double> out);
  /// Whole random bits.
  void fill(std::span<unsigned __int128> out);
  friend bool operator==(const Mersenne&, const Mersenne&) = default;

 private:
  double next_raw();
  void generate();
  void refill_integers();

  static constexpr int kWords = 191;  // of 128 bits, and one more that the recursion carries
  std::array<std::array<uint64_t, 2>, kWords + 1> state_{};
  int used_ = 2 * kWords;  // of the numbers in state_
  static constexpr size_t kFloats = 1002, kIntegers = 501;
  std::vector<double> floats_ = std::vector<double>(kFloats);
  size_t next_float_ = kFloats;
  std::vector<unsigned __int128> integers_ = std::vector<unsigned __int128>(kIntegers);
  size_t bytes_left_ = 0;
};

}  // namespace weft::julia
