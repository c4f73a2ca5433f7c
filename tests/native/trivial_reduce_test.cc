// Reductions over axes of extent 1: their body once, and no reason to sum a large tensor on one thread.
#include <gtest/gtest.h>

#include <cmath>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

TEST(TrivialReduce, ApplyTheBodyToTheStartValue) {
  const auto executable =
      native_target().compile(parse_module(R"(func.func @main(%x: tensor<3x1xf32>, %s: tensor<f32>) -> tensor<3xf32> {
  %r = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
})",
                                           "test"),
                              "main");
  Tensor x(ElementType::kF32, {3, 1}), s(ElementType::kF32, {});
  const float numbers[] = {-0.0f, 2.5f, INFINITY};
  for (size_t i = 0; i < 3; ++i) x.mutable_data<float>()[i] = numbers[i];
  for (const float start : {0.0f, 1.0f, -INFINITY}) {
    s.mutable_data<float>()[0] = start;
    const Tensor got = executable->run(std::vector<Tensor>{x, s})[0];
    for (size_t i = 0; i < 3; ++i) {
      const float want = start + numbers[i], g = got.data<float>()[i];
      EXPECT_TRUE((std::isnan(want) && std::isnan(g)) || (want == g && std::signbit(want) == std::signbit(g)))
          << start << " + " << numbers[i] << ": got " << g;
    }
  }
}

TEST(TrivialReduce, BehindALargeSumLeavesItsPartsAlone) {
  const auto executable =
      native_target().compile(parse_module(R"(func.func @main(%x: tensor<8192x64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8192x64xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.reshape %a : (tensor<64xf32>) -> tensor<1x64xf32>
  %r = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
})",
                                           "test"),
                              "main");
  // Parts have partial sums in scratch memory.
  EXPECT_EQ(executable->explain().find("scratch 0 bytes"), std::string::npos) << executable->explain();
  Tensor x(ElementType::kF32, {8192, 64});
  for (int64_t i = 0; i < x.size(); ++i)
    x.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 64 + i / 64 % 3);
  const Tensor got = executable->run(std::vector<Tensor>{x})[0];
  for (int64_t c = 0; c < 64; ++c) {
    // 8192 rows: 2731 times 0, 2731 times 1, 2730 times 2; whole numbers below 2^24 are exact.
    EXPECT_EQ(got.data<float>()[static_cast<size_t>(c)], static_cast<float>(8192 * c + 2731 + 2 * 2730));
  }
}

}  // namespace
}  // namespace weft
