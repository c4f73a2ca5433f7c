// Generated elementwise functions against the C library in long double: float arguments of all magnitudes and signs at a stride
// through their bit patterns, random doubles, every 16-bit float; special values exactly.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

using Unary = long double (*)(long double);

struct Function1 {
  const char* op;
  Unary truth;
  double bound_f32 = 2, bound_f64 = 2;      // ulp
  double low = -INFINITY, high = INFINITY;  // arguments tried, the ends included
};

/// By bisection and Newton's method on erf, on erfc near one.
long double true_erf_inv(long double x) {
  const long double size = std::abs(x);
  if (!(size < 1)) return size == 1 ? std::copysign(static_cast<long double>(INFINITY), x) : NAN;
  if (x == 0) return x;
  long double low = 0, high = 7, y = size < 0.5L ? size * 0.9L : 1;
  for (int i = 0; i < 200; ++i) {
    const long double error = size < 0.5L ? std::erf(y) - size : (1 - size) - std::erfc(y);
    (error > 0 ? high : low) = y;
    const long double next = y - error * std::exp(y * y) * 0.886226925452758013649083741670572591L;
    const long double step = next > low && next < high ? next : (low + high) / 2;
    if (std::abs(step - y) <= y * 1e-19L) break;
    y = step;
  }
  return std::copysign(y, x);
}

const Function1 kFunctions[] = {
    {"stablehlo.exponential", [](long double x) { return std::exp(x); }},
    {"stablehlo.exponential_minus_one", [](long double x) { return std::expm1(x); }},
    {"stablehlo.log", [](long double x) { return std::log(x); }},
    {"stablehlo.log_plus_one", [](long double x) { return std::log1p(x); }},
    {"stablehlo.tanh", [](long double x) { return std::tanh(x); }},
    {"stablehlo.logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {"stablehlo.sine", [](long double x) { return std::sin(x); }},
    {"stablehlo.cosine", [](long double x) { return std::cos(x); }},
    {"stablehlo.tan", [](long double x) { return std::tan(x); }, 1, 3},
    {"stablehlo.cbrt", [](long double x) { return std::cbrt(x); }},
    {"stablehlo.sqrt", [](long double x) { return std::sqrt(x); }, 0.5, 0.5},
    {"stablehlo.rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
    {"chlo.erf", [](long double x) { return std::erf(x); }},
    {"chlo.erfc", [](long double x) { return std::erfc(x); }, 1, 8},
    {"chlo.erf_inv", true_erf_inv, 4, 8},
    {"chlo.asin", [](long double x) { return std::asin(x); }, 1, 3},
    {"chlo.acos", [](long double x) { return std::acos(x); }, 1, 3},
    {"chlo.atan", [](long double x) { return std::atan(x); }},
    {"chlo.sinh", [](long double x) { return std::sinh(x); }, 1, 3},
    {"chlo.cosh", [](long double x) { return std::cosh(x); }, 1, 3},
    {"chlo.asinh", [](long double x) { return std::asinh(x); }, 1, 2},
    {"chlo.acosh", [](long double x) { return std::acosh(x); }, 1, 2},
    {"chlo.atanh", [](long double x) { return std::atanh(x); }, 1, 2},
};

template <class T>
long double ulps(T got, long double truth) {
  const T rounded = static_cast<T>(truth);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) == std::isnan(got) ? 0 : INFINITY;
  if (rounded == got)
    return std::isinf(got) ? 0
           : std::signbit(rounded) == std::signbit(got)
               ? std::abs(got - truth) / (std::nextafter(std::abs(rounded), T(INFINITY)) - std::abs(rounded))
               : INFINITY;
  const T largest = std::numeric_limits<T>::max();
  if (std::isinf(rounded) || std::isinf(got)) {
    // Overflow at the very edge counts from the largest number.
    const T finite = std::isinf(got) ? rounded : got;
    return std::signbit(rounded) == std::signbit(got) &&
                   std::abs(finite) >= std::nextafter(std::nextafter(largest, T(0)), T(0))
               ? 1
               : INFINITY;
  }
  const T magnitude = std::abs(rounded);
  const long double unit = magnitude == largest ? largest - std::nextafter(largest, T(0))
                                                : std::nextafter(magnitude, T(INFINITY)) - magnitude;
  return std::abs(got - truth) / unit;
}

template <class T>
std::vector<T> special_values() {
  std::vector<T> out;
  for (double s : {0.0,
                   1.0,
                   0.5,
                   2.0,
                   3.0,
                   1e-310,
                   5e-324,
                   1e-45,
                   1e-40,
                   1e30,
                   1e308,
                   88.72,
                   88.73,
                   103.97,
                   709.78,
                   709.79,
                   745.13,
                   HUGE_VAL,
                   1.5707963267948966,
                   3.141592653589793,
                   22.0,
                   1e22}) {
    out.push_back(static_cast<T>(s));
    out.push_back(static_cast<T>(-s));
  }
  out.push_back(std::numeric_limits<T>::max());
  out.push_back(std::numeric_limits<T>::min());
  out.push_back(std::numeric_limits<T>::quiet_NaN());
  out.push_back(-std::numeric_limits<T>::quiet_NaN());
  return out;
}

template <class T>
std::vector<T> arguments(double low, double high) {
  std::vector<T> x = special_values<T>();
  std::mt19937_64 random(11);
  if constexpr (sizeof(T) == 4) {
    constexpr uint64_t kStride = 9973;
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStride)
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  } else {
    for (int i = 0; i < 60000; ++i) x.push_back(std::bit_cast<double>(random()));
  }
  std::normal_distribution<double> normal;
  for (int i = 0; i < 60000; ++i) x.push_back(static_cast<T>(normal(random) * (i % 3 == 0 ? 20 : 1)));
  std::erase_if(x, [&](T v) { return v < static_cast<T>(low) || v > static_cast<T>(high); });
  return x;
}

template <class T>
Tensor tensor_of(const std::vector<T>& x) {
  Tensor t(element_type_of<T>, {static_cast<int64_t>(x.size())});
  std::copy(x.begin(), x.end(), t.mutable_data<T>());
  return t;
}

std::string program(const std::string& op, const std::string& type, int operands) {
  std::string params, names, types;
  for (int i = 0; i < operands; ++i) {
    const std::string n = "%x" + std::to_string(i);
    params += (i == 0 ? "" : ", ") + n + ": " + type;
    names += (i == 0 ? "" : ", ") + n;
    types += (i == 0 ? "" : ", ") + type;
  }
  return "func.func @main(" + params + ") -> " + type + " {\n  %y = \"" + op + "\"(" + names + ") : (" + types +
         ") -> " + type + "\n  return %y : " + type + "\n}\n";
}

template <class T>
void check(const Function1& f, double bound) {
  const std::vector<T> x = arguments<T>(f.low, f.high);
  const std::string type = "tensor<" + std::to_string(x.size()) + (sizeof(T) == 4 ? "xf32>" : "xf64>");
  const auto executable = native_target().compile(parse_module(program(f.op, type, 1), f.op), "main");
  const Tensor y = executable->run(std::vector<Tensor>{tensor_of(x)})[0];
  long double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double e = ulps<T>(y.data<T>()[i], f.truth(x[i]));
    if (!(e <= worst)) {
      worst = e;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << f.op << (sizeof(T) == 4 ? " f32" : " f64") << " at " << std::hexfloat << x[at] << ": got "
                          << y.data<T>()[at] << ", expected " << static_cast<T>(f.truth(x[at]));
  ::testing::Test::RecordProperty(sizeof(T) == 4 ? "f32" : "f64", std::to_string(static_cast<double>(worst)));
}

class Accuracy : public ::testing::TestWithParam<Function1> {};
TEST_P(Accuracy, F32) { check<float>(GetParam(), GetParam().bound_f32); }
TEST_P(Accuracy, F64) { check<double>(GetParam(), GetParam().bound_f64); }
INSTANTIATE_TEST_SUITE_P(Unary, Accuracy, ::testing::ValuesIn(kFunctions), [](const auto& info) {
  const std::string op = info.param.op;
  return op.substr(op.find('.') + 1);
});

template <class T>
void check_binary(const char* op, long double (*truth)(long double, long double), double bound) {
  std::vector<T> x, y;
  const std::vector<T> special = special_values<T>();
  for (T a : special) {
    for (T b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    if constexpr (sizeof(T) == 4) {
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    } else {
      x.push_back(std::bit_cast<double>(bits));
    }
    y.push_back(static_cast<T>(normal(random)));
    x.push_back(static_cast<T>(std::exp(normal(random))));
    y.push_back(static_cast<T>(10 * normal(random)));
  }
  const std::string type = "tensor<" + std::to_string(x.size()) + (sizeof(T) == 4 ? "xf32>" : "xf64>");
  const auto executable = native_target().compile(parse_module(program(op, type, 2), op), "main");
  const Tensor r = executable->run(std::vector<Tensor>{tensor_of(x), tensor_of(y)})[0];
  long double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double e = ulps<T>(r.data<T>()[i], truth(x[i], y[i]));
    if (!(e <= worst)) {
      worst = e;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << op << (sizeof(T) == 4 ? " f32" : " f64") << " at " << std::hexfloat << x[at] << ", "
                          << y[at] << ": got " << r.data<T>()[at] << ", expected "
                          << static_cast<T>(truth(x[at], y[at]));
}

TEST(AccuracyOfTwo, Power) {
  const auto truth = [](long double a, long double b) { return std::pow(a, b); };
  check_binary<float>("stablehlo.power", truth, 1);
  check_binary<double>("stablehlo.power", truth, 2);
}

TEST(AccuracyOfTwo, Atan2) {
  const auto truth = [](long double a, long double b) { return std::atan2(a, b); };
  check_binary<float>("stablehlo.atan2", truth, 1);
  check_binary<double>("stablehlo.atan2", truth, 2);
}

// 16-bit floats compute in f32 and round once: within a unit of the nearest, for every number there is.
template <class T>
void check_narrow(const std::string& element) {
  Tensor x(element_type_of<T>, {65536});
  for (uint32_t bits = 0; bits < 65536; ++bits) x.mutable_data<T>()[bits].bits = static_cast<uint16_t>(bits);
  for (const Function1& f : kFunctions) {
    const std::string type = "tensor<65536x" + element + ">";
    const auto executable = native_target().compile(parse_module(program(f.op, type, 1), f.op), "main");
    const Tensor y = executable->run(std::vector<Tensor>{x})[0];
    for (size_t i = 0; i < 65536; ++i) {
      const auto got = static_cast<float>(y.data<T>()[i]);
      const auto nearest = static_cast<float>(T(static_cast<float>(f.truth(static_cast<float>(x.data<T>()[i])))));
      if (std::isnan(nearest)) {
        ASSERT_TRUE(std::isnan(got)) << f.op << " " << element << " of bits " << i << ": got " << got;
        continue;
      }
      // The neighbours of the nearest.
      const T n(nearest);
      T above = n, below = n;
      ++above.bits;
      --below.bits;
      const bool is_near = got == nearest || got == static_cast<float>(above) || got == static_cast<float>(below) ||
                           (nearest == 0 && std::abs(got) <= 1e-7);
      ASSERT_TRUE(is_near && (got != 0 || std::signbit(got) == std::signbit(nearest)))
          << f.op << " " << element << " of " << static_cast<float>(x.data<T>()[i]) << ": got " << got << ", nearest "
          << nearest;
    }
  }
}

TEST(AccuracyOfNarrowFloats, BF16) { check_narrow<bf16>("bf16"); }
TEST(AccuracyOfNarrowFloats, F16) { check_narrow<f16>("f16"); }

}  // namespace
}  // namespace weft
