// The expansions of primitives against the C library in long double: bounds in ulp over sampled arguments, special values exactly.
#include "ops/scalar/scalar_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "weft/number.h"

namespace weft {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

/// |got - truth| in units of the last place of truth rounded to T; 0 for equal specials, infinity for a NaN or infinity that should not be.
template <class T>
double ulps(T got, long double truth) {
  const T rounded = static_cast<T>(truth);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (rounded == got) return 0;
    // Overflow at the very edge: measure from the largest finite number.
    return std::signbit(rounded) == std::signbit(got) &&
                   std::abs(std::isinf(got) ? rounded : got) > std::numeric_limits<T>::max() * T(0.9999999)
               ? 1
               : INFINITY;
  }
  const T magnitude = std::abs(rounded);
  const T above = std::nextafter(magnitude, T(INFINITY)), below = std::nextafter(magnitude, T(0));
  const long double unit =
      std::isinf(above) ? static_cast<long double>(magnitude) - below : static_cast<long double>(above) - magnitude;
  return static_cast<double>(std::abs(static_cast<long double>(got) - truth) / unit);
}

using Unary = SExpr (*)(SExpr);
using Binary = SExpr (*)(SExpr, SExpr);
using TruthUnary = long double (*)(long double);
using TruthBinary = long double (*)(long double, long double);

template <class T>
class Runner {
 public:
  explicit Runner(Unary f) : result_(f(SExpr::arg(program_, 0, element_type_of<T>)).id()) {}
  explicit Runner(Binary f)
      : result_(f(SExpr::arg(program_, 0, element_type_of<T>), SExpr::arg(program_, 1, element_type_of<T>)).id()) {}
  T operator()(T x, T y = 0) const {
    const uint64_t args[2] = {std::bit_cast<Bits<T>>(x), std::bit_cast<Bits<T>>(y)};
    return std::bit_cast<T>(static_cast<Bits<T>>(run_scalar(program_, result_, args)));
  }

 private:
  ScalarProgram program_;
  int result_;
};

template <class T>
T from_bits(uint64_t bits) {
  return std::bit_cast<T>(static_cast<Bits<T>>(bits));
}

constexpr int kSamples = 20000;

template <class T>
void check_unary(const char* name, Unary f, TruthUnary truth, double low, double high, double bound) {
  const Runner<T> run(f);
  std::mt19937_64 random(7);
  double worst = 0;
  T worst_at = 0;
  const auto check = [&](T x) {
    const double error = ulps<T>(run(x), truth(x));
    if (error > worst) {
      worst = error;
      worst_at = x;
    }
  };
  std::uniform_real_distribution<double> uniform(low, high);
  for (int i = 0; i < kSamples; ++i) {
    check(static_cast<T>(uniform(random)));
    check(from_bits<T>(random()));  // all exponents, NaN, both signs
    check(static_cast<T>(std::ldexp(uniform(random), -static_cast<int>(random() % 40))));
  }
  for (double s : {0.0, 1.0, 0.5, 2.0, 1e-310, 5e-324, 1e-45, 1e-40, 1e30, 1e308, 88.7, 88.73, 709.7, 709.79, 745.1,
                   103.9, HUGE_VAL}) {
    check(static_cast<T>(s));
    check(static_cast<T>(-s));
  }
  check(std::numeric_limits<T>::max());
  check(std::numeric_limits<T>::min());
  check(std::numeric_limits<T>::quiet_NaN());
  EXPECT_LE(worst, bound) << name << (sizeof(T) == 4 ? " f32" : " f64") << " at " << std::hexfloat << worst_at << ": "
                          << run(worst_at) << " for " << static_cast<T>(truth(worst_at));
  if (truth(0.0L) == 0) {
    EXPECT_TRUE(std::signbit(run(T(-0.0)))) << name << " keeps the sign of zero";
    EXPECT_FALSE(std::signbit(run(T(0.0)))) << name << " keeps the sign of zero";
  }
  ::testing::Test::RecordProperty(std::string(name) + (sizeof(T) == 4 ? "_f32" : "_f64"), std::to_string(worst));
}

struct UnaryCase {
  const char* name;
  Unary f;
  TruthUnary truth;
  double low, high;
  double bound = 2;
};

long double true_logistic(long double x) { return 1 / (1 + std::exp(-x)); }
long double true_rsqrt(long double x) { return 1 / std::sqrt(x); }

const UnaryCase kUnary[] = {
    {"exp", exp, [](long double x) { return std::exp(x); }, -110, 95},
    {"expm1", expm1, [](long double x) { return std::expm1(x); }, -3, 3},
    {"log", log, [](long double x) { return std::log(x); }, 0, 4},
    {"log1p", log1p, [](long double x) { return std::log1p(x); }, -1, 3},
    {"tanh", tanh, [](long double x) { return std::tanh(x); }, -2, 2},
    {"logistic", logistic, true_logistic, -20, 20},
    {"sin", sin, [](long double x) { return std::sin(x); }, -20, 20},
    {"cos", cos, [](long double x) { return std::cos(x); }, -20, 20},
    {"erf", erf, [](long double x) { return std::erf(x); }, -4, 4},
    {"cbrt", cbrt, [](long double x) { return std::cbrt(x); }, -30, 30},
    {"rsqrt", rsqrt, true_rsqrt, 0, 10},
    {"sqrt", sqrt, [](long double x) { return std::sqrt(x); }, 0, 10, 0.5},
    {"floor", floor, [](long double x) { return std::floor(x); }, -10, 10, 0},
    {"round_away", round_away, [](long double x) { return std::round(x); }, -10, 10, 0},
};

class ScalarMath : public ::testing::TestWithParam<UnaryCase> {};
TEST_P(ScalarMath, F32) {
  const UnaryCase& c = GetParam();
  check_unary<float>(c.name, c.f, c.truth, c.low, c.high, c.bound);
}
TEST_P(ScalarMath, F64) {
  const UnaryCase& c = GetParam();
  check_unary<double>(c.name, c.f, c.truth, c.low, c.high, c.bound);
}
INSTANTIATE_TEST_SUITE_P(Unary, ScalarMath, ::testing::ValuesIn(kUnary),
                         [](const auto& info) { return std::string(info.param.name); });

template <class T>
void check_binary(const char* name, Binary f, TruthBinary truth, double low, double high, double bound) {
  const Runner<T> run(f);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(low, high);
  const auto check = [&](T x, T y) {
    const long double t = truth(x, y);
    const double error = ulps<T>(run(x, y), t);
    EXPECT_LE(error, bound) << name << (sizeof(T) == 4 ? " f32" : " f64") << " at " << std::hexfloat << x << ", " << y
                            << ": " << run(x, y) << " for " << static_cast<T>(t);
    if (t == 0) { EXPECT_EQ(std::signbit(run(x, y)), std::signbit(t)) << name << " at " << x << ", " << y; }
    return error <= bound;
  };
  for (int i = 0; i < kSamples; ++i) {
    const T x = static_cast<T>(uniform(random)), y = static_cast<T>(uniform(random) * (i % 3 == 0 ? 30 : 1));
    if (!check(x, y) || !check(from_bits<T>(random()), y) || !check(x, from_bits<T>(random())) ||
        !check(from_bits<T>(random()), from_bits<T>(random())) || !check(T(1) + x * T(1e-4), T(3000) * y)) {
      return;
    }
  }
  const double specials[] = {0.0,    -0.0,  1,        -1,        2,       -2,     3,
                             -3,     0.5,   -0.5,     1e-300,    -1e-300, 5e-324, 1e300,
                             -1e300, 1e308, HUGE_VAL, -HUGE_VAL, NAN,     1e-40,  9007199254740993.0};
  for (double x : specials) {
    for (double y : specials) check(static_cast<T>(x), static_cast<T>(y));
  }
}

long double true_pow(long double x, long double y) { return std::pow(x, y); }
long double true_atan2(long double y, long double x) { return std::atan2(y, x); }
long double true_rem(long double x, long double y) { return std::fmod(x, y); }

TEST(ScalarMathBinary, PowF32) { check_binary<float>("pow", pow, true_pow, -3, 6, 2); }
TEST(ScalarMathBinary, PowF64) { check_binary<double>("pow", pow, true_pow, -3, 6, 2); }
TEST(ScalarMathBinary, Atan2F32) { check_binary<float>("atan2", atan2, true_atan2, -3, 3, 2); }
TEST(ScalarMathBinary, Atan2F64) { check_binary<double>("atan2", atan2, true_atan2, -3, 3, 2); }
TEST(ScalarMathBinary, RemF32) { check_binary<float>("rem", rem, true_rem, -3, 3, 0); }
TEST(ScalarMathBinary, RemF64) { check_binary<double>("rem", rem, true_rem, -3, 3, 0); }

TEST(ScalarMathBinary, IntegerPowerIsExactModuloTheWidth) {
  ScalarProgram program;
  const SExpr r = pow(SExpr::arg(program, 0, ElementType::kI8), SExpr::arg(program, 1, ElementType::kI8));
  for (int x = -128; x < 128; ++x) {
    for (int n = -3; n < 20; ++n) {
      const uint64_t args[2] = {static_cast<uint8_t>(x), static_cast<uint8_t>(n)};
      uint8_t expected = 1;
      for (int i = 0; i < n; ++i) expected = static_cast<uint8_t>(expected * x);
      if (n < 0) expected = x == 1 ? 1 : x == -1 ? static_cast<uint8_t>(n % 2 != 0 ? -1 : 1) : 0;
      ASSERT_EQ(run_scalar(program, r.id(), args), expected) << x << " to the power of " << n;
    }
  }
}

TEST(ScalarConvert, RoundsOnceToSixteenBits) {
  // A value just above the midpoint of two bf16 numbers: through f32 it would first fall onto the midpoint.
  for (ElementType to : {ElementType::kBF16, ElementType::kF16}) {
    ScalarProgram program;
    const SExpr r = convert(SExpr::arg(program, 0, ElementType::kF64), ElementType::kF64, to);
    const double fraction = to == ElementType::kBF16 ? 0x1p-8 : 0x1p-11;
    for (double sign : {1.0, -1.0}) {
      for (double nudge : {-0x1p-40, 0.0, 0x1p-40}) {
        const double x = sign * (1 + fraction + nudge);
        const uint64_t args[1] = {std::bit_cast<uint64_t>(x)};
        const float f = std::bit_cast<float>(static_cast<uint32_t>(run_scalar(program, r.id(), args)));
        const double got = to == ElementType::kBF16 ? static_cast<float>(bf16(f)) : static_cast<float>(f16(f));
        EXPECT_EQ(got, sign * (nudge > 0 ? 1 + 2 * fraction : 1)) << name(to) << " " << std::hexfloat << x;
      }
    }
  }
}

TEST(ScalarProgram, MakesEqualNodesOnce) {
  ScalarProgram program;
  const SExpr x = SExpr::arg(program, 0, ElementType::kF32);
  EXPECT_EQ((x + 1.0).id(), (x + 1.0).id());
  EXPECT_NE((x + 1.0).id(), (x - 1.0).id());
  EXPECT_NE((x + 0.0).id(), (x + -0.0).id());
}

}  // namespace
}  // namespace weft
