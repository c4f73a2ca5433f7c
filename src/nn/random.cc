// Random numbers drawn on the host, and the first weights of layers.
#include <cmath>
#include <numbers>

#include "weft/nn.h"

namespace weft::nn {
namespace {

/// One block of Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).
void philox(const uint32_t counter[4], uint64_t key, uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c0, p1 = uint64_t{0xCD9E8D57} * c2;
    const uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0, n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

}  // namespace

uint32_t Random::bits() {
  if (used_ == 4) {
    const uint32_t counter[4] = {static_cast<uint32_t>(counter_), static_cast<uint32_t>(counter_ >> 32),
                                 static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)};
    philox(counter, seed_, block_);
    ++counter_;
    used_ = 0;
  }
  return block_[used_++];
}

float Random::uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

float Random::normal() {
  const double u = (static_cast<double>(bits()) + 0.5) * 0x1p-32, v = static_cast<double>(bits()) * 0x1p-32;
  return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

uint32_t Random::below(uint32_t n) {
  if (n == 0) throw UserError("[random] a choice among nothing: got 0, expected 1 or more");
  // The lowest products are drawn again: they would favour some of the numbers.
  const uint32_t unfair = -n % n;
  for (;;) {
    const uint64_t product = uint64_t{bits()} * n;
    if (static_cast<uint32_t>(product) >= unfair) return static_cast<uint32_t>(product >> 32);
  }
}

void Random::shuffle(std::span<int32_t> order) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(static_cast<uint32_t>(i))]);
}

Tensor he_normal(Shape shape, int64_t fan_in, Random& random) {
  Tensor t(ElementType::kF32, std::move(shape));
  const float deviation = std::sqrt(2.0f / static_cast<float>(std::max<int64_t>(fan_in, 1)));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = deviation * random.normal();
  return t;
}

Tensor glorot_uniform(Shape shape, int64_t fan_in, int64_t fan_out, Random& random) {
  Tensor t(ElementType::kF32, std::move(shape));
  const float limit = std::sqrt(6.0f / static_cast<float>(std::max<int64_t>(fan_in + fan_out, 1)));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = limit * (2 * random.uniform() - 1);
  return t;
}

}  // namespace weft::nn
