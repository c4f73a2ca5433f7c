// Functions of which reverse mode keeps nothing inside, by the compiled program's own figures.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ir/target.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft {
namespace {

constexpr int kLayers = 8, kSteps = 6, kSize = 4096;

/// `kLayers` calls of a function of `kSteps` sines whose arguments are products, so that no kernel holds two of them.
std::string layers_text(const std::string& attributes) {
  const std::string t = "tensor<64x64xf64>";
  std::string body, last = "%x";
  for (int i = 0; i < kSteps; ++i) {
    const std::string k = std::to_string(i);
    body += "  %d" + k + " = stablehlo.dot_general " + last + ", %w, contracting_dims = [1] x [0] : (" + t + ", " + t +
            ") -> " + t + "\n  %s" + k + " = stablehlo.sine %d" + k + " : " + t + "\n";
    last = "%s" + k;
  }
  std::string text = "func.func private @layer(%x: " + t + ", %w: " + t + ") -> " + t + attributes + " {\n" + body +
                     "  return " + last + " : " + t + "\n}\nfunc.func @main(%x: " + t + ", %w: " + t +
                     ") -> tensor<f64> {\n";
  last = "%x";
  for (int i = 0; i < kLayers; ++i) {
    const std::string y = "%y" + std::to_string(i);
    text += "  " + y + " = call @layer(" + last + ", %w) : (" + t + ", " + t + ") -> " + t + "\n";
    last = y;
  }
  return text + "  %z = stablehlo.constant dense<0.0> : tensor<f64>\n  %r = stablehlo.reduce(" + last +
         " init: %z) applies stablehlo.add across dimensions = [0, 1] : (" + t +
         ", tensor<f64>) -> tensor<f64>\n  return %r : tensor<f64>\n}\n";
}

struct Outcome {
  size_t arena;
  std::vector<double> gradient;
};

Outcome outcome(const std::string& attributes) {
  std::shared_ptr<Module> module = parse_module(layers_text(attributes), "layers");
  const size_t by[] = {0};
  gradient(*module, "main", by, "main");
  const auto executable = get_target("native").compile(module, "main");
  std::vector<double> x(kSize), w(kSize);
  for (size_t i = 0; i < kSize; ++i) {
    x[i] = std::sin(static_cast<double>(i));
    w[i] = 0.1 * std::cos(3 * static_cast<double>(i));
  }
  const std::vector<Tensor> args = {Tensor::of<double>(x, {64, 64}), Tensor::of<double>(w, {64, 64})};
  const Tensor g = executable->run(args)[0];
  return {executable->memory_use().arena, {g.data<double>().begin(), g.data<double>().end()}};
}

TEST(CheckpointMemory, KeepsArgumentsOnly) {
  constexpr size_t kValue = kSize * sizeof(double);
  const Outcome kept = outcome(""), again = outcome(" attributes {weft.checkpoint}");
  EXPECT_GT(kept.arena, kLayers * kSteps * kValue);
  // An argument of each layer, the inside of one, and what one step needs.
  EXPECT_LT(again.arena, (kLayers + 2 * kSteps + 4) * kValue);
  ASSERT_EQ(kept.gradient.size(), again.gradient.size());
  for (size_t i = 0; i < kept.gradient.size(); ++i)
    EXPECT_NEAR(kept.gradient[i], again.gradient[i], 1e-12 * (1 + std::fabs(kept.gradient[i])));
}

}  // namespace
}  // namespace weft
