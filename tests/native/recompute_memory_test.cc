// What gradients of scans keep, by the compiled program's own figures: with recomputation it does not grow with the number of trips.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ir/target.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft {
namespace {

/// s ← tanh(s + x[t]) over `trips` rows of 64, then the sum of squares.
std::string recurrent_text(int64_t trips, const std::string& step) {
  const std::string t = std::to_string(trips);
  return "func.func @main(%xs: tensor<" + t + R"(x64xf64>, %s0: tensor<64xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<)" +
         t + R"(> : tensor<i32>
  %fz = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %s = %s0) : tensor<i32>, tensor<64xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %xi = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 64] : (tensor<)" +
         t + R"(x64xf64>, tensor<i32>, tensor<i32>) -> tensor<1x64xf64>
    %x = stablehlo.reshape %xi : (tensor<1x64xf64>) -> tensor<64xf64>
    )" + step +
         R"(
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<64xf64>
  }
  %sq = stablehlo.multiply %0#1, %0#1 : tensor<64xf64>
  %r = stablehlo.reduce(%sq init: %fz) applies stablehlo.add across dimensions = [0] : (tensor<64xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";
}

const char* kTanh = R"(%u = stablehlo.add %s, %x : tensor<64xf64>
    %t = stablehlo.tanh %u : tensor<64xf64>)";
const char* kSine = R"(%u = stablehlo.sine %x : tensor<64xf64>
    %m = stablehlo.multiply %u, %x : tensor<64xf64>
    %t = stablehlo.add %s, %m : tensor<64xf64>)";

/// Bytes of the gradient by both besides arguments and results; that by s0 is compared with the closed form.
size_t memory(int64_t trips, const char* step, const ReverseOptions& options) {
  std::shared_ptr<Module> module = parse_module(recurrent_text(trips, step), "scan");
  const size_t by[] = {0, 1};
  gradient(*module, "main", by, "main", false, options);
  const auto executable = get_target("native").compile(module, "main");
  std::vector<double> x(static_cast<size_t>(trips) * 64), s(64);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.01 * std::sin(static_cast<double>(i));
  for (size_t i = 0; i < 64; ++i) s[i] = 0.1 + 0.001 * static_cast<double>(i);
  const std::vector<Tensor> args = {Tensor::of<double>(x, {trips, 64}), Tensor::of<double>(s, {64})};
  const std::vector<Tensor> result = executable->run(args);
  for (size_t i = 0; i < 64; i += 9) {
    double value = s[i], slope = 1;
    for (size_t t = 0; t < static_cast<size_t>(trips); ++t) {
      const double in = x[t * 64 + i];
      if (step == kTanh) {
        value = std::tanh(value + in);
        slope *= 1 - value * value;
      } else {
        value += std::sin(in) * in;
      }
    }
    EXPECT_NEAR(result[1].data<double>()[i], 2 * value * slope, 1e-9 * (1 + std::fabs(2 * value * slope))) << trips;
  }
  return executable->memory_use().total() - executable->memory_use().arguments - executable->memory_use().results;
}

TEST(RecomputeMemory, AScanOfWhatItReadsKeepsNothing) { EXPECT_EQ(memory(100, kSine, {}), memory(3000, kSine, {})); }

TEST(RecomputeMemory, ARecurrentScanKeepsSoManyTrips) {
  const size_t slots = memory(100, kTanh, {.recompute = 16});
  EXPECT_EQ(slots, memory(3000, kTanh, {.recompute = 16}));
  // A state is 64 numbers; the arrays of slots are not copied.
  EXPECT_LT(slots, size_t{17 + 8} * 64 * 8);
  EXPECT_GT(memory(3000, kTanh, {}), size_t{3000} * 64 * 8);
}

TEST(RecomputeMemory, ABudgetKeepsAllThatFits) {
  constexpr size_t kBudget = 20 * 64 * 8;
  // Ten trips fit, a thousand do not.
  EXPECT_EQ(memory(10, kTanh, {.memory = kBudget}), memory(10, kTanh, {}));
  EXPECT_LT(memory(1000, kTanh, {.memory = kBudget}), kBudget + size_t{8} * 64 * 8);
}

}  // namespace
}  // namespace weft
