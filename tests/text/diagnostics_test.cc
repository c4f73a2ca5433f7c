// Errors point at the text at fault.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "text/parse.h"

namespace weft {
namespace {

struct Fault {
  const char* name;
  const char* text;
  uint32_t line, column;
  const char* message;  // part of it
};

const Fault kFaults[] = {
    {"undefined_value",
     "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.add %a, %b : tensor<f32>\n  return %0 : "
     "tensor<f32>\n}",
     2, 26, "%b is not defined here"},
    {"operand_type",
     "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %a : tensor<f64>\n  return %0 : "
     "tensor<f32>\n}",
     2, 25, "operand 0 has type tensor<f32>, but its use says tensor<f64>"},
    {"result_type_of_function", "func.func @f(%a: tensor<f32>) -> tensor<f64> {\n  return %a : tensor<f32>\n}", 2, 3,
     "got tensor<f32>, expected tensor<f64>"},
    {"redefinition", "func.func @f(%a: tensor<f32>) {\n  %a = stablehlo.constant dense<1.0> : tensor<f32>\n  return\n}",
     2, 3, "%a is defined already"},
    {"element", "func.func @f() {\n  %a = stablehlo.constant dense<[1.0, x]> : tensor<2xf32>\n  return\n}", 2, 39,
     "expected a value of f32"},
    {"too_many_elements", "func.func @f() {\n  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>\n  return\n}",
     2, 40, "too many elements on axis 0"},
    {"integer_range", "func.func @f() {\n  %a = stablehlo.constant dense<300> : tensor<i8>\n  return\n}", 2, 33,
     "300 does not fit i8"},
    {"open_string", "func.func @f() {\n  \"stablehlo.add", 2, 3, "does not end"},
    {"missing_brace", "func.func @f() {\n  return\n", 3, 1, "the end of the text"},
    {"element_type", "func.func @f(%a: tensor<2xf31>) {\n  return\n}", 1, 27, "there is no element type f31"},
    {"huge_type", "func.func @f(%a: tensor<9999999999x9999999999xf32>) {\n  return\n}", 1, 18, "too large"},
    {"result_count", "func.func @f(%a: tensor<f32>) {\n  %0:2 = stablehlo.negate %a : tensor<f32>\n  return\n}", 2, 3,
     "got names for 2, expected 1"},
    {"same_function", "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}", 4, 11,
     "a function named @f exists already"},
};

class Diagnostics : public testing::TestWithParam<Fault> {};

TEST_P(Diagnostics, PointAtTheFault) {
  const Fault& fault = GetParam();
  try {
    parse_module(fault.text, std::string(fault.name) + ".mlir");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(fault.message), std::string::npos) << error.what();
    EXPECT_EQ(error.loc().line, fault.line) << render(error);
    EXPECT_EQ(error.loc().column, fault.column) << render(error);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, Diagnostics, testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

TEST(Diagnostics, UnknownOpsOfKnownDialectsAreSaidWithTheirPlace) {
  try {
    parse_module(
        "func.func @f(%a: tensor<f32>) {\n  %0 = \"stablehlo.foo\"(%a) : (tensor<f32>) -> tensor<f32>\n  return\n}",
        "unknown.mlir");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "[stablehlo.foo] is not known to Weft");
    EXPECT_EQ(render(error),
              "unknown.mlir:2:9: error: [stablehlo.foo] is not known to Weft\n    %0 = \"stablehlo.foo\"(%a) : "
              "(tensor<f32>) -> tensor<f32>\n"
              "          ^~~~~~~~~~~~~\n");
  }
}

TEST(Diagnostics, AliasesThatGrowWithoutBoundAreRefused) {
  std::string attributes = "#a0 = [1]\n", types = "!t0 = tuple<tensor<f32>>\n";
  for (int i = 1; i < 60; ++i) {
    const std::string a = "#a" + std::to_string(i - 1), t = "!t" + std::to_string(i - 1);
    attributes += "#a" + std::to_string(i) + " = [" + a + ", " + a + "]\n";
    types += "!t" + std::to_string(i) + " = tuple<" + t + ", " + t + ">\n";
  }
  EXPECT_THROW(parse_module(attributes + "module attributes {a = #a59} {}", "grow1.mlir"), UserError);
  EXPECT_THROW(parse_module(types + "func.func @f(%a: !t59) {\n  return\n}", "grow2.mlir"), UserError);
  EXPECT_THROW(parse_module("#a = #a\nmodule attributes {a = #a} {}", "self.mlir"), UserError);
}

TEST(Diagnostics, DeepNestingIsRefused) {
  std::string attribute, type;
  for (int i = 0; i < 100000; ++i) attribute += '[';
  for (int i = 0; i < 100000; ++i) type += "tuple<";
  EXPECT_THROW(parse_module("module attributes {a = " + attribute, "deep1.mlir"), UserError);
  EXPECT_THROW(parse_module("func.func @f(%a: " + type, "deep2.mlir"), UserError);
}

}  // namespace
}  // namespace weft
