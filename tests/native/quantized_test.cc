// The native target refuses quantized types, wherever in the program they stand: kernels would compute on the stored integers.
#include <gtest/gtest.h>

#include "ir/target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

void expect_refused(const std::string& text, const std::string& words) {
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  try {
    get_target("native").compile(module, "main");
    FAIL() << "compiled";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(NativeQuantized, IsRefused) {
  expect_refused(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>\n"
      "  %r = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>\n"
      "  return %r : tensor<2xf32>\n}\n",
      "[stablehlo.uniform_quantize] the native target runs no quantized types yet");
}

TEST(NativeQuantized, IsRefusedInArguments) {
  expect_refused(
      "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {\n"
      "  return %x : tensor<2x!quant.uniform<i8:f32, 0.5>>\n}\n",
      "quantized types yet");
}

TEST(NativeQuantized, IsRefusedInCallees) {
  expect_refused(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %r = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n"
      "func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>\n"
      "  %r = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>\n"
      "  return %r : tensor<2xf32>\n}\n",
      "quantized types yet");
}

}  // namespace
}  // namespace weft::test
