// Functions of complex<f32> in vectors: to the last place of long double computations, and alike whatever else is in the vector.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <random>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

using Wide = std::complex<long double>;
constexpr int64_t kCount = 4000;

Tensor operand(unsigned seed, bool with_special) {
  Tensor t(ElementType::kC64, {kCount});
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  auto* p = static_cast<float*>(t.raw());
  for (int64_t i = 0; i < 2 * kCount; ++i) {
    p[i] = normal(random) * (i % 6 < 2 ? 1.0f : i % 6 < 4 ? 20.0f : 1e-3f);
    // Close to the unit circle.
    if (i % 20 == 1) p[i] = std::sqrt(std::max(0.0f, 1 - p[i - 1] * p[i - 1])) * (1 + 1e-6f * normal(random));
    // Every vector has one in which nothing is finite.
    if (with_special && i % 16 == 0) p[i] = INFINITY;
  }
  return t;
}

struct Case {
  const char* name;
  std::function<Wide(Wide, Wide)> f;
  bool is_binary = false;
};

TEST(ComplexLanes, AreRightToTheLastPlaces) {
  const Case cases[] = {
      {"divide", [](Wide a, Wide b) { return a / b; }, true},
      {"exponential", [](Wide a, Wide) { return std::exp(a); }},
      {"log", [](Wide a, Wide) { return std::log(a); }},
      {"sqrt", [](Wide a, Wide) { return std::sqrt(a); }},
      {"rsqrt", [](Wide a, Wide) { return Wide(1) / std::sqrt(a); }},
      {"tanh", [](Wide a, Wide) { return std::tanh(a); }},
      {"tan", [](Wide a, Wide) { return std::tan(a); }},
      {"sine", [](Wide a, Wide) { return std::sin(a); }},
      {"cosine", [](Wide a, Wide) { return std::cos(a); }},
      {"logistic", [](Wide a, Wide) { return Wide(1) / (Wide(1) + std::exp(-a)); }},
      {"power", [](Wide a, Wide b) { return std::exp(b * std::log(a)); }, true},
  };
  const std::string type = "tensor<" + std::to_string(kCount) + "xcomplex<f32>>";
  const Tensor b = operand(2, false);
  for (const Case& c : cases) {
    const std::string text = "func.func @main(%a: " + type + ", %b: " + type + ") -> " + type +
                             " {\n  %r = stablehlo." + c.name + (c.is_binary ? " %a, %b : " : " %a : ") + type +
                             "\n  return %r : " + type + "\n}";
    const auto executable = native_target().compile(parse_module(text, "test"), "main");
    const Tensor a = operand(1, false), mixed = operand(1, true);
    const Tensor got = executable->run(std::vector<Tensor>{a, b})[0],
                 beside = executable->run(std::vector<Tensor>{mixed, b})[0];
    const auto number = [](const Tensor& t, int64_t i) { return static_cast<const float*>(t.raw())[i]; };
    for (int64_t i = 0; i < kCount; ++i) {
      const auto wide = [&](const Tensor& t) { return Wide(number(t, 2 * i), number(t, 2 * i + 1)); };
      const Wide want = c.f(wide(a), wide(b));
      const long double parts[] = {want.real(), want.imag()};
      for (int64_t k = 0; k < 2; ++k) {
        const auto w = static_cast<float>(parts[k]);
        const float g = number(got, 2 * i + k);
        if (!std::isfinite(w)) continue;
        EXPECT_LE(std::abs(g - parts[k]), std::max<long double>(std::abs(parts[k]) * 1.2e-7L, 1.5e-45L))
            << c.name << " of " << wide(a) << ", " << wide(b) << ": got " << g << ", expected " << w;
        if (i % 8 == 0) continue;
        const float h = number(beside, 2 * i + k);
        EXPECT_LE(std::abs(g - h), std::abs(w) * 1.2e-7F) << c.name << " beside infinities";
      }
    }
  }
}

}  // namespace
}  // namespace weft
