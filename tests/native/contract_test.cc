// A product and a sum round each on its own, and once together where the caller allows it.
#include <gtest/gtest.h>

#include <cmath>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

const char* const kElementwise =
    R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %p = stablehlo.multiply %a, %b : tensor<4xf32>
  %s = stablehlo.add %p, %c : tensor<4xf32>
  return %s : tensor<4xf32>
})";

// The same in a loop that a machine loop of scalars becomes.
const char* const kLoop = R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %k = stablehlo.add %i, %one : tensor<i32>
    %p = stablehlo.multiply %x, %b : tensor<f32>
    %s = stablehlo.subtract %p, %c : tensor<f32>
    stablehlo.return %k, %s : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
})";

// 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, whose last bit a product in f32 loses.
constexpr float kFactor = 1 + 0x1p-12f;

std::vector<Tensor> run(const char* text, const std::vector<Tensor>& args, bool contract) {
  CompileOptions options;
  options.contract = contract;
  options.cache = "off";
  return native_target().compile(parse_module(text, "contract"), "main", options)->run(args);
}

Tensor of_four(float x) {
  Tensor t(ElementType::kF32, {4});
  for (size_t i = 0; i < 4; ++i) t.mutable_data<float>()[i] = x;
  return t;
}

TEST(Contract, EachOpRoundsUnlessTheCallerAllowsOneRounding) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no fused multiply-add";
#endif
  const float c = -(1 + 0x1p-11f);
  const std::vector<Tensor> args = {of_four(kFactor), of_four(kFactor), of_four(c)};
  const Tensor strict = run(kElementwise, args, false)[0], once = run(kElementwise, args, true)[0];
  for (float x : strict.data<float>()) EXPECT_EQ(x, 0.0f);
  for (float x : once.data<float>()) EXPECT_EQ(x, 0x1p-24f);
}

TEST(Contract, LoopsOfScalarsFollow) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no fused multiply-add";
#endif
  const float b = kFactor, c = 1 + 0x1p-11f;
  float strict = kFactor, once = kFactor;
  for (int i = 0; i < 2; ++i) {
    volatile float product = strict * b;
    strict = product - c;
    once = std::fma(once, b, -c);
  }
  ASSERT_NE(strict, once);
  const std::vector<Tensor> args = {Tensor::scalar_of(kFactor), Tensor::scalar_of(b), Tensor::scalar_of(c)};
  EXPECT_EQ(run(kLoop, args, false)[0].scalar<float>(), strict);
  EXPECT_EQ(run(kLoop, args, true)[0].scalar<float>(), once);
}

// The inside of a function is what its accuracy was proved for.
TEST(Contract, FunctionsKeepTheirBits) {
  const char* text = R"(func.func @main(%a: tensor<1000xf64>) -> tensor<1000xf64> {
  %s = stablehlo.sine %a : tensor<1000xf64>
  %e = stablehlo.exponential %s : tensor<1000xf64>
  return %e : tensor<1000xf64>
})";
  Tensor a(ElementType::kF64, {1000});
  for (size_t i = 0; i < 1000; ++i) a.mutable_data<double>()[i] = 0.37 * static_cast<double>(i) - 150;
  const std::vector<Tensor> strict = run(text, {a}, false), contracted = run(text, {a}, true);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(strict[0].data<double>()[i], contracted[0].data<double>()[i]) << i;
}

}  // namespace
}  // namespace weft
