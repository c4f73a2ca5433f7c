// Derivatives where a dependence goes through values that have no tangent: refused by the op that hides it, never silently zero.
#include "derivative_check.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

std::string refusal(const std::string& body) {
  auto m = parse_module("func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n" + body + "}", "t");
  const size_t args[] = {0};
  try {
    jvp(*m, "f", args, "g");
  } catch (const Unsupported& error) { return error.what(); }
  return "accepted";
}

TEST(OpaqueGradient, IsRefusedByTheOpThatHidesIt) {
  EXPECT_EQ(refusal("  %0 = \"a.b\"(%x) : (tensor<2xf64>) -> tensor<2xf64>\n  return %0 : tensor<2xf64>\n"),
            "[a.b] derivative by operand 0: not an op that Weft knows");
  EXPECT_EQ(refusal("  %0 = \"a.b\"(%x) : (tensor<2xf64>) -> tensor<2xi32>\n"
                    "  %1 = stablehlo.convert %0 : (tensor<2xi32>) -> tensor<2xf64>\n  return %1 : tensor<2xf64>\n"),
            "[a.b] derivative by operand 0: not an op that Weft knows");
  EXPECT_EQ(refusal("  %0 = \"a.b\"(%x) : (tensor<2xf64>) -> memref<2xf64>\n"
                    "  %1 = \"a.c\"(%0) : (memref<2xf64>) -> tensor<2xf64>\n  return %1 : tensor<2xf64>\n"),
            "[a.b] derivative by operand 0: not an op that Weft knows");
  EXPECT_EQ(refusal("  %0 = stablehlo.tuple %x : tuple<tensor<2xf64>>\n"
                    "  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf64>>) -> tensor<2xf64>\n"
                    "  return %1 : tensor<2xf64>\n")
                .substr(0, 28),
            "[stablehlo.tuple] derivative");
  // What does not depend on the argument needs no derivative.
  EXPECT_EQ(refusal("  %0 = \"a.b\"() : () -> tensor<2xf64>\n  %1 = stablehlo.add %0, %x : tensor<2xf64>\n"
                    "  return %1 : tensor<2xf64>\n"),
            "accepted");
}

TEST(OpaqueGradient, ValuesOfForeignTypesAreLeftAlone) {
  const std::string text =
      "module {\n"
      "  func.func @f(%arg0: tensor<*xf32>, %arg1: i32, %arg2: tensor<2xf32>) -> (tensor<*xf32>, i32) {\n"
      "    %0 = chlo.broadcast_add %arg0, %arg0 : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>\n"
      "    %1 = chlo.tan %0 : tensor<*xf32> -> tensor<*xf32>\n"
      "    return %1, %arg1 : tensor<*xf32>, i32\n"
      "  }\n"
      "}\n";
  auto m = parse_module(text, "t");
  simplify(*m);
  EXPECT_EQ(print_module(*m), text);
  // The i32 that comes back would need lanes.
  const int64_t axes[] = {kUniform, kUniform, 0};
  EXPECT_THROW(vectorize(*m, "f", axes, 2), Unsupported);
}

// Nothing is known of what a foreign op does with its regions: they stay.
TEST(OpaqueGradient, RegionsOfForeignOpsStay) {
  const std::string text =
      "module {\n"
      "  func.func @f(%arg0: tensor<2xf32>) {\n"
      "    \"a.b\"() ({\n"
      "      %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n"
      "      \"a.c\"(%0) : (tensor<2xf32>) -> ()\n"
      "    }, {\n"
      "    }) : () -> ()\n"
      "    return\n"
      "  }\n"
      "}\n";
  auto m = parse_module(text, "t");
  simplify(*m);
  EXPECT_EQ(print_module(*m), text);
}

// carry = c·x0·x1·x2 from the last to the first, so ∂carry/∂xi = carry / xi and ∂carry/∂c = x0·x1·x2.
TEST(OpaqueGradient, ScansHaveTheDerivativeOfTheirLoop) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<3xf64>, %c: tensor<f64>) -> tensor<f64> {
  %0:2 = chlo.scan(%x) inits (%c) dimension=0 attributes {is_reverse = true} {
  ^bb0(%in: tensor<f64>, %carry: tensor<f64>):
    %1 = stablehlo.multiply %in, %carry : tensor<f64>
    stablehlo.return %1, %1 : tensor<f64>, tensor<f64>
  } : (tensor<3xf64>, tensor<f64>) -> (tensor<3xf64>, tensor<f64>)
  return %0#1 : tensor<f64>
})",
                        "t");
  simplify(*m);
  const size_t args[] = {0, 1};
  gradient(*m, "f", args, "g", true);
  const auto out = run(*m, "g", {vector({2, -3, 0.5}), scalar(4)});
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].scalar<double>(), -12);
  const double expected[] = {-6, 4, -24};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(out[1].data<double>()[i], expected[i]);
  EXPECT_EQ(out[2].scalar<double>(), -3);
}

// An asynchronous slice is a slice once simplified.
TEST(OpaqueGradient, SimplifiedSlicesHaveADerivative) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<3xf64>):
    %3 = stablehlo.slice %a [1:2] : (tensor<3xf64>) -> tensor<1xf64>
    stablehlo.return %3 : tensor<1xf64>
  }) : (tensor<3xf64>) -> !stablehlo.future<tensor<1xf64>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<1xf64>>) -> tensor<1xf64>
  %2 = stablehlo.reshape %1 : (tensor<1xf64>) -> tensor<f64>
  return %2 : tensor<f64>
})",
                        "t");
  simplify(*m);
  const size_t args[] = {0};
  gradient(*m, "f", args, "g", true);
  const auto out = run(*m, "g", {vector({2, -3, 0.5})});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].scalar<double>(), -3);
  const double expected[] = {0, 1, 0};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(out[1].data<double>()[i], expected[i]);
}

}  // namespace
}  // namespace weft::test
