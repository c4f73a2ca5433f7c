// What has no derivative or no lanes is refused with op, place, operand, reason and remedy.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ops/record.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

void differentiate(Module& m) {
  const size_t args[] = {0};
  jvp(m, "f", args, "g");
}
void reverse(Module& m) {
  const size_t args[] = {0};
  vjp(m, "f", args, "g");
}
void over_lanes(Module& m) {
  std::vector<int64_t> axes(m.get("f").args().size(), kUniform);
  axes[0] = 0;
  vectorize(m, "f", axes, 3);
}

/// The op stands in line 2 of the text.
void expect_refusal(const std::string& text, const std::function<void(Module&)>& transform,
                    const std::vector<std::string>& parts) {
  auto m = parse_module(text, "t");
  try {
    transform(*m);
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const Unsupported& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    EXPECT_EQ(error.loc().line, 2u) << message;
  }
}

TEST(Refusal, OfTuples) {
  const std::string text =
      "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  %0 = stablehlo.tuple %x : tuple<tensor<2xf64>>\n"
      "  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf64>>) -> tensor<2xf64>\n"
      "  return %1 : tensor<2xf64>\n}\n";
  expect_refusal(text, differentiate, {"[stablehlo.tuple] derivative by operand 0: ", "--simplify"});
  expect_refusal(text, over_lanes, {"[stablehlo.tuple] lanes of operand 0: ", "--simplify"});
}

TEST(Refusal, OfShapesThatAreNotKnown) {
  const std::string text =
      "func.func @f(%x: tensor<?xf64>, %s: tensor<2xi64>) -> tensor<?x?xf64> {\n"
      "  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf64>, tensor<2xi64>) -> tensor<?x?xf64>\n"
      "  return %0 : tensor<?x?xf64>\n}\n";
  for (const auto transform : {differentiate, reverse})
    expect_refusal(text, transform, {"[stablehlo.dynamic_reshape] derivative by operand 0: ", "--refine"});
}

TEST(Refusal, OfCallsWithoutRules) {
  const std::string text =
      "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  %0 = stablehlo.custom_call @mine(%x) : (tensor<2xf64>) -> tensor<2xf64>\n"
      "  return %0 : tensor<2xf64>\n}\n";
  expect_refusal(text, reverse, {"[stablehlo.custom_call] derivative: @mine", "weft.vjp"});
  expect_refusal(text, over_lanes, {"[stablehlo.custom_call] lanes: @mine", "in a loop"});
}

TEST(Refusal, OfRounding) {
  const std::string text =
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>\n"
      "  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>\n"
      "  return %1 : tensor<2xf32>\n}\n";
  expect_refusal(text, over_lanes, {"[stablehlo.uniform_quantize] lanes", "quantized"});
}

TEST(Refusal, OfBodiesThatNoRuleKnows) {
  expect_refusal(
      "func.func @f(%x: tensor<4xf64>, %i: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {\n"
      "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"
      "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
      "    %m = stablehlo.multiply %a, %b : tensor<f64>\n"
      "    %s = stablehlo.multiply %m, %c : tensor<f64>\n"
      "    stablehlo.return %s : tensor<f64>\n"
      "  }) {dimensions = array<i64: 0>} : (tensor<4xf64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n",
      differentiate, {"[stablehlo.reduce] derivative", "value from outside", "pass it as an operand"});
  expect_refusal(
      "func.func @f(%c: tensor<f64>, %x: tensor<4xf64>, %i: tensor<f64>) -> tensor<f64> {\n"
      "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"
      "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
      "    %m = stablehlo.multiply %a, %b : tensor<f64>\n"
      "    %s = stablehlo.multiply %m, %c : tensor<f64>\n"
      "    stablehlo.return %s : tensor<f64>\n"
      "  }) {dimensions = array<i64: 0>} : (tensor<4xf64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n",
      over_lanes, {"[stablehlo.reduce]", "varies by lane"});
}

TEST(Refusal, OfWholeProgramsOfProcesses) {
  const std::string text =
      "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  %0 = \"interpreter.run_parallel\"(%x) {programs = [[@h]]} : (tensor<2xf64>) -> tensor<2xf64>\n"
      "  return %0 : tensor<2xf64>\n}\n"
      "func.func @h(%x: tensor<2xf64>) -> tensor<2xf64> {\n  return %x : tensor<2xf64>\n}\n";
  expect_refusal(text, differentiate,
                 {"[interpreter.run_parallel] derivative by operand 0: ", "differentiate the functions"});
  expect_refusal(text, over_lanes, {"[interpreter.run_parallel] lanes of operand 0: ", "vectorize the functions"});
}

// Reasons are read by users: each says more than a word.
TEST(Refusal, ReasonsOfFacetsAreSentences) {
  for (const OpRecord* op : all_ops()) {
    const auto ask = [&](std::string_view facet, const auto& f) {
      if (!f.refused()) return;
      EXPECT_GT(std::ranges::count(f.reason(), ' '), 2) << op->mnemonic << " " << facet << ": " << f.reason();
    };
    ask("linearize", op->linearize);
    ask("transpose", op->transpose);
    ask("vectorize", op->vectorize);
    ask("uniformity", op->uniformity);
    ask("samples", op->samples);
  }
}

}  // namespace
}  // namespace weft::test
