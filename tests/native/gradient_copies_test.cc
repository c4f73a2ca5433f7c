// The gradient of a loop that writes a buffer updates the buffer's cotangent in place: no copy in a trip.
#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "native/native_target.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft {
namespace {

constexpr const char* kChain = R"(
func.func @f(%x: tensor<4xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<64> : tensor<i64>
  %last = stablehlo.constant dense<63> : tensor<i64>
  %z = stablehlo.constant dense<0.0> : tensor<64x4xf64>
  %zs = stablehlo.constant dense<0.0> : tensor<f64>
  %x1 = stablehlo.reshape %x : (tensor<4xf64>) -> tensor<1x4xf64>
  %P0 = stablehlo.dynamic_update_slice %z, %x1, %zero, %zero : (tensor<64x4xf64>, tensor<1x4xf64>, tensor<i64>, tensor<i64>) -> tensor<64x4xf64>
  %0:2 = stablehlo.while(%i = %one, %P = %P0) : tensor<i64>, tensor<64x4xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %k = stablehlo.subtract %i, %one : tensor<i64>
    %s = stablehlo.dynamic_slice %P, %k, %zero, sizes = [1, 4] : (tensor<64x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %t = stablehlo.multiply %s, %s : tensor<1x4xf64>
    %u = stablehlo.sine %t : tensor<1x4xf64>
    %Q = stablehlo.dynamic_update_slice %P, %u, %i, %zero : (tensor<64x4xf64>, tensor<1x4xf64>, tensor<i64>, tensor<i64>) -> tensor<64x4xf64>
    stablehlo.return %j, %Q : tensor<i64>, tensor<64x4xf64>
  }
  %l = stablehlo.dynamic_slice %0#1, %last, %zero, sizes = [1, 4] : (tensor<64x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
  %r = stablehlo.reduce(%l init: %zs) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";

TEST(GradientCopies, ABufferWrittenInALoopIsNeverCopied) {
  std::shared_ptr<Module> module = parse_module(kChain, "chain");
  const size_t args[] = {0};
  gradient(*module, "f", args, "g", true);
  const auto executable = native_target().compile(module, "g");
  EXPECT_EQ(executable->explain().find("copy:"), std::string::npos) << executable->explain();
  const std::vector<Tensor> in = {Tensor::of<double>({1.1, 0.9, 0.7, 1.2}, {4})};
  const std::vector<Tensor> got = executable->run(in), want = evaluate(*module, "g", in);
  for (size_t i = 0; i < 4; ++i) {
    const double expected = want[1].data<double>()[i];
    EXPECT_NEAR(got[1].data<double>()[i], expected, 1e-12 * (1 + std::abs(expected)));
  }
}

}  // namespace
}  // namespace weft
