// Where random bits come from: Julia's generators behind one interface.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "julia/host/array.h"
#include "julia/run/intrinsics.h"

namespace weft::julia {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual uint64_t next() = 0;
  virtual unsigned __int128 next128() {
    const uint64_t high = next();
    return static_cast<unsigned __int128>(high) << 64 | next();
  }
  /// For integers of 8, 16 and 32 bits and Bool.
  virtual uint32_t small(int bits) { return static_cast<uint32_t>(next() >> (64 - bits)); }
  virtual uint64_t bits52() { return next() >> 12; }
  /// In [0, 1).
  virtual double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  virtual float unit32() { return static_cast<float>(small(32) >> 8) * 0x1p-24F; }
  virtual float unit16() { return static_cast<float>(small(16) >> 5) * 0x1p-11F; }

  enum class Fill : uint8_t { kBits, kBool, kFloat32, kFloat64 };
  /// A whole array at once, which draws other numbers than one after another. False: this source has no such way for what
  /// follows the first `filled` bytes.
  virtual bool fill(std::span<std::byte> out, Fill what) { return false; }
  virtual size_t filled() const { return 0; }
  /// Whether arrays of normal and exponential numbers start from an array of bits.
  virtual bool fills_bits() const { return false; }
};

/// Xoshiro256++ (Blackman and Vigna).
class Xoshiro256 final : public RandomSource {
 public:
  std::array<uint64_t, 4> state{};
  uint64_t next() override;
  bool fill(std::span<std::byte> out, Fill what) override;
  bool fills_bits() const override { return true; }
};

/// Runs f on the generator that an AbstractRNG stands for, and keeps its state. Generators of the program are asked by
/// `rand(rng, UInt64)`.
void with_source(Evaluator& evaluator, const Value& rng, const std::function<void(RandomSource&)>& f);

/// seed!(rng, seed): seed is an integer, a vector of UInt32 or UInt64, a string, or nothing for entropy of the system.
void seed_source(const Value& rng, const Value& seed);

/// The words of the task's generator, to and from an object of type Xoshiro: compiled code has it for an argument.
void show_task_state(const Value& xoshiro);
void take_task_state(const Value& xoshiro);

/// The normal and exponential number that 52 random bits begin.
double normal(RandomSource& source, uint64_t bits);
double exponential(RandomSource& source, uint64_t bits);

/// Lemire's way to a number below `count` (0: any number).
uint64_t below64(RandomSource& source, uint64_t count);
uint32_t below32(RandomSource& source, uint32_t count);
/// At most `last`, by masking and trying again.
uint64_t masked52(RandomSource& source, uint64_t last, uint64_t mask);
unsigned __int128 masked128(RandomSource& source, unsigned __int128 last);

}  // namespace weft::julia
