// Quantized programs natively: the evaluator's integers, bit for bit; and the types that callers see.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "eval/evaluator.h"
#include "ir/target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

Tensor random_argument(Type t, std::mt19937& rng) {
  Tensor out = Tensor::zeros(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  for (int64_t i = 0; i < out.size(); ++i) {
    if (t.element_type() == ElementType::kF32) {
      out.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(static_cast<int>(rng() % 801) - 400) / 64;
    } else if (t.element_type() == ElementType::kI8) {
      out.mutable_data<int8_t>()[static_cast<size_t>(i)] = static_cast<int8_t>(rng());
    } else if (t.element_type() == ElementType::kI32) {
      out.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(rng() % 3);
    } else {
      ADD_FAILURE() << t.str();
    }
  }
  return out;
}

/// How often the executable's own account says something.
size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

std::unique_ptr<Executable> check(const std::string& text) {
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  const Function& f = module->get("main");
  std::mt19937 rng(5);
  std::vector<Tensor> args;
  for (Type t : f.arg_types()) args.push_back(random_argument(t, rng));
  const std::vector<Tensor> want = evaluate(*module, "main", args);
  std::unique_ptr<Executable> executable = get_target("native").compile(module, "main");
  EXPECT_TRUE(std::ranges::equal(executable->arg_types(), f.arg_types()));
  EXPECT_TRUE(std::ranges::equal(executable->result_types(), f.result_types()));
  const std::vector<Tensor> got = executable->run(args);
  EXPECT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].element_type(), want[i].element_type());
    EXPECT_EQ(got[i].shape(), want[i].shape());
    EXPECT_EQ(0, std::memcmp(got[i].raw(), want[i].raw(), want[i].size_bytes())) << text << executable->explain();
  }
  return executable;
}

TEST(NativeQuantized, QuantizesRoundingToEvenWithinTheRange) {
  const std::shared_ptr<const Module> module = parse_module(
      "func.func @main(%x: tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:3>> {\n"
      "  %q = stablehlo.uniform_quantize %x : (tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:3>>\n"
      "  return %q : tensor<8x!quant.uniform<i8:f32, 0.5:3>>\n}\n",
      "test");
  const std::vector<Tensor> args = {Tensor::of<float>({0, 0.25f, 0.75f, -0.25f, 1000, -1000, INFINITY, NAN}, {8})};
  const std::vector<Tensor> got = get_target("native").compile(module, "main")->run(args);
  // x / 0.5 + 3, halves to even, from -128 to 127; NaN is stored as 0.
  const std::vector<int8_t> want = {3, 4, 4, 2, 127, -128, 127, 0};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[0].data<int8_t>()[i], want[i]) << i;
}

TEST(NativeQuantized, AChainOfOpsIsOneKernel) {
  const auto executable = check(
      "!q = !quant.uniform<i8:f32, 0.05:-3>\n"
      "func.func @main(%x: tensor<7x9x!q>, %y: tensor<7x9x!q>) -> tensor<7x9x!q> {\n"
      "  %a = stablehlo.add %x, %y : tensor<7x9x!q>\n  %b = stablehlo.tanh %a : tensor<7x9x!q>\n"
      "  %c = stablehlo.multiply %b, %x : tensor<7x9x!q>\n  %d = stablehlo.maximum %c, %y : tensor<7x9x!q>\n"
      "  return %d : tensor<7x9x!q>\n}\n");
  EXPECT_EQ(count(executable->explain(), "\n1 kernels,"), 1u) << executable->explain();
}

TEST(NativeQuantized, PerAxis) {
  check(
      "!q = !quant.uniform<i8:f32:1, {0.5:3,0.25:-2,2.0}>\n!p = !quant.uniform<i8:f32:0, {0.5:3,0.25:-2,2.0}>\n"
      "func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3x!q>) -> (tensor<2x3xf32>, tensor<3x2x!p>) {\n"
      "  %a = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!q>\n"
      "  %b = stablehlo.add %a, %y : (tensor<2x3x!q>, tensor<2x3x!q>) -> tensor<2x3x!q>\n"
      "  %c = stablehlo.uniform_dequantize %b : (tensor<2x3x!q>) -> tensor<2x3xf32>\n"
      "  %d = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!p>\n"
      "  return %c, %d : tensor<2x3xf32>, tensor<3x2x!p>\n}\n");
}

TEST(NativeQuantized, WideStorageAndNarrowRanges) {
  for (const char* q :
       {"!quant.uniform<i32:f32, 0.001:7>", "!quant.uniform<u16:f32, 0.01:100>", "!quant.uniform<i4:f32, 0.5>",
        "!quant.uniform<i8<-100:100>:f32, 0.1:5>", "!quant.uniform<u8<3:200>:f32, 0.1:5>",
        "!quant.uniform<i8:f16, 0.1:5>", "!quant.uniform<i8:bf16, 0.3:-9>"}) {
    const std::string type = std::string("tensor<64x") + q + ">";
    const std::string expressed = std::string(q).find("bf16") != std::string::npos   ? "bf16"
                                  : std::string(q).find("f16,") != std::string::npos ? "f16"
                                                                                     : "f32";
    check("func.func @main(%x: tensor<64xf32>) -> " + type +
          " {\n  %c = stablehlo.convert %x : (tensor<64xf32>) -> tensor<64x" + expressed +
          ">\n  %a = stablehlo.uniform_quantize %c : (tensor<64x" + expressed + ">) -> " + type +
          "\n  %b = stablehlo.negate %a : " + type + "\n  return %b : " + type + "\n}\n");
  }
}

TEST(NativeQuantized, RegionsLoopsAndCalls) {
  check(
      "!q = !quant.uniform<i8:f32, 0.1:5>\n"
      "func.func @main(%x: tensor<6x5x!q>) -> (tensor<6x!q>, tensor<6x5x!q>, tensor<6x5xi1>) {\n"
      "  %z = \"stablehlo.constant\"() <{value = dense<5> : tensor<i8>}> : () -> tensor<!q>\n"
      "  %r = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<6x5x!q>, tensor<!q>) -> tensor<6x!q>\n"
      "    reducer(%a: tensor<!q>, %b: tensor<!q>) {\n    %s = stablehlo.add %a, %b : tensor<!q>\n"
      "    stablehlo.return %s : tensor<!q>\n  }\n"
      "  %i0 = stablehlo.constant dense<0> : tensor<i32>\n  %n = stablehlo.constant dense<3> : tensor<i32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %w:2 = stablehlo.while(%i = %i0, %v = %x) : tensor<i32>, tensor<6x5x!q> cond {\n"
      "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n  } do {\n    %j = stablehlo.add %i, %one : tensor<i32>\n"
      "    %d = func.call @twice(%v) : (tensor<6x5x!q>) -> tensor<6x5x!q>\n"
      "    stablehlo.return %j, %d : tensor<i32>, tensor<6x5x!q>\n  }\n"
      "  %l = stablehlo.compare LT, %w#1, %x : (tensor<6x5x!q>, tensor<6x5x!q>) -> tensor<6x5xi1>\n"
      "  return %r, %w#1, %l : tensor<6x!q>, tensor<6x5x!q>, tensor<6x5xi1>\n}\n"
      "func.func private @twice(%x: tensor<6x5x!quant.uniform<i8:f32, 0.1:5>>) -> tensor<6x5x!quant.uniform<i8:f32, "
      "0.1:5>> {\n"
      "  %r = stablehlo.add %x, %x : tensor<6x5x!quant.uniform<i8:f32, 0.1:5>>\n"
      "  return %r : tensor<6x5x!quant.uniform<i8:f32, 0.1:5>>\n}\n");
}

TEST(NativeQuantized, ContractionsComputeOnNumbers) {
  check(
      "func.func @main(%x: tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<6x3x!quant.uniform<i8:f32:1, "
      "{0.25,0.5,1.0}>>) -> "
      "tensor<4x3x!quant.uniform<i32:f32, 0.125>> {\n"
      "  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>, "
      "tensor<6x3x!quant.uniform<i8:f32:1, {0.25,0.5,1.0}>>) -> tensor<4x3x!quant.uniform<i32:f32, 0.125>>\n"
      "  return %r : tensor<4x3x!quant.uniform<i32:f32, 0.125>>\n}\n");
}

TEST(NativeQuantized, OpsWithoutQuantizedMeaningAreRefused) {
  const std::string text =
      "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {\n"
      "  %r = stablehlo.custom_call @f(%x) : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
      "tensor<2x!quant.uniform<i8:f32, 0.5>>\n"
      "  return %r : tensor<2x!quant.uniform<i8:f32, 0.5>>\n}\n";
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  try {
    get_target("native").compile(module, "main");
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("custom_call"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::test
