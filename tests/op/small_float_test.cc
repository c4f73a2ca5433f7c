// Small floats as scalar programs, which every target's code comes from: all patterns and a dense set of numbers, against the formats.
#include "ops/scalar/small_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "base/float_format.h"
#include "ops/scalar/special_functions.h"

namespace weft::test {
namespace {

using enum ElementType;

constexpr ElementType kSmall[] = {kF4E2M1FN,   kF6E2M3FN,      kF6E3M2FN, kF8E3M4,     kF8E4M3,   kF8E4M3FN,
                                  kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2,   kF8E5M2FNUZ, kF8E8M0FNU};

/// A rule of one argument, run by the plain meaning of its nodes.
class Rule {
 public:
  template <class F>
  Rule(ElementType from, F f) : result_(f(SExpr::arg(program_, 0, from)).id()) {}
  uint64_t operator()(uint64_t bits) const { return run_scalar(program_, result_, &bits); }
  float number(uint64_t bits) const { return std::bit_cast<float>(static_cast<uint32_t>((*this)(bits))); }

 private:
  ScalarProgram program_;
  int result_;
};

Rule decoder(ElementType t) {
  return {kU8, [t](SExpr x) { return decode_small_float(x, t); }};
}
Rule rounder(ElementType t) {
  return {kF32, [t](SExpr x) { return encode_small_float(round_to_small_float(x, t), t); }};
}

TEST(SmallFloatProgram, DecodesEveryPatternAndEncodesItBack) {
  for (ElementType t : kSmall) {
    SCOPED_TRACE(name(t));
    const Rule decode = decoder(t);
    const Rule back(kU8, [t](SExpr x) { return encode_small_float(decode_small_float(x, t), t); });
    for (uint64_t bits = 0; bits < uint64_t{1} << bit_width(t); ++bits) {
      const double want = decode_float(t, bits);
      const float got = decode.number(bits);
      ASSERT_EQ(std::isnan(got), std::isnan(want)) << bits;
      if (!std::isnan(want)) {
        ASSERT_EQ(got, want) << bits;
        ASSERT_EQ(std::signbit(got), std::signbit(want)) << bits;
        ASSERT_EQ(back(bits), bits);
      } else {
        ASSERT_TRUE(std::isnan(decode_float(t, back(bits)))) << bits;
      }
    }
  }
}

TEST(SmallFloatProgram, RoundsNumbersMiddlesAndTheirNeighbours) {
  for (ElementType t : kSmall) {
    SCOPED_TRACE(name(t));
    const Rule encode = rounder(t);
    std::vector<float> values = {0.0f, INFINITY, NAN, 1e-45f, 3.4e38f, 0x1p-127f, 0x1.8p-127f, 0x1p-126f};
    std::vector<double> numbers;
    for (uint64_t bits = 0; bits < uint64_t{1} << bit_width(t); ++bits) {
      const double v = std::fabs(decode_float(t, bits));
      if (std::isfinite(v)) numbers.push_back(v);
    }
    std::ranges::sort(numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (double v : {numbers[i], i == 0 ? numbers[i] / 2 : (numbers[i - 1] + numbers[i]) / 2, numbers[i] * 1.0625}) {
        const auto f = static_cast<float>(v);
        for (float x : {f, std::nextafter(f, 0.0f), std::nextafter(f, INFINITY)}) values.push_back(x);
      }
    }
    for (float magnitude : values) {
      for (float x : {magnitude, -magnitude}) {
        ASSERT_EQ(encode(std::bit_cast<uint32_t>(x)), encode_float(t, x)) << std::hexfloat << x;
      }
    }
  }
}

TEST(SmallFloatProgram, RoundsRandomPatterns) {
  std::mt19937 rng(3);
  for (ElementType t : kSmall) {
    const Rule encode = rounder(t);
    for (int i = 0; i < 20000; ++i) {
      const uint32_t bits = static_cast<uint32_t>(rng());
      ASSERT_EQ(encode(bits), encode_float(t, std::bit_cast<float>(bits))) << name(t) << " " << bits;
    }
  }
}

/// 1.125 of f8E4M3FN has three fraction bits; with one of them it lies in the middle of 1 and 1.5 … and 1.25 goes to the even 1.
TEST(ReducePrecision, OfSmallFloatsRoundsTheirOwnBits) {
  const auto reduced = [](double x, int64_t exponent_bits, int64_t mantissa_bits) {
    const Rule rule(kU8, [&](SExpr bits) {
      const SExpr r = reduce_precision(decode_small_float(bits, kF8E4M3FN), kF8E4M3FN, exponent_bits, mantissa_bits);
      return encode_small_float(r, kF8E4M3FN);
    });
    return decode_float(kF8E4M3FN, rule(encode_float(kF8E4M3FN, x)));
  };
  EXPECT_EQ(reduced(1.125, 4, 1), 1);
  EXPECT_EQ(reduced(1.25, 4, 1), 1);
  EXPECT_EQ(reduced(1.375, 4, 1), 1.5);
  EXPECT_EQ(reduced(1.75, 4, 1), 2);
  EXPECT_EQ(reduced(-1.75, 4, 3), -1.75);
  EXPECT_EQ(reduced(0.25, 3, 3), 0.25);        // 2^-2, the least exponent of 3 bits
  EXPECT_EQ(reduced(0.125, 3, 3), 0);          // below it
  EXPECT_TRUE(std::isnan(reduced(16, 3, 3)));  // above 2^3: the format has no infinity
}

}  // namespace
}  // namespace weft::test
