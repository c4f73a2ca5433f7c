// Random choices and values: the same for the same seed, on every machine.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "ir/type.h"

namespace weft::reduce {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  size_t below(size_t n) { return n < 2 ? 0 : static_cast<size_t>(engine_() % n); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < p; }
  template <class List>
  auto& pick(List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Which numbers a tensor gets. kSpecial: NaN, infinities, signed zeros, the largest and smallest, integer extremes.
enum class Numbers : uint8_t { kPlain, kSpecial, kMixed };
Tensor random_tensor(Random& random, Type type, Numbers numbers);

}  // namespace weft::reduce
