// Modules as MLIR writes them: functions without bodies, modules in modules, ops of other dialects; and types of dynamic shape.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

/// The text printed, when both forms read as the program that it says.
std::string printed(const std::string& text) {
  const auto module = parse_module(text, "m.mlir");
  const std::string pretty = print_module(*module), generic = print_module(*module, {.generic = true});
  EXPECT_EQ(print_module(*parse_module(pretty, "pretty.mlir")), pretty);
  const auto from_generic = parse_module(generic, "generic.mlir");
  EXPECT_EQ(print_module(*from_generic, {.generic = true}), generic);
  EXPECT_EQ(print_module(*from_generic), pretty);
  return pretty;
}

void expect_kept(const std::string& text) { EXPECT_EQ(printed(text), text); }

std::string refusal(const std::string& text) {
  try {
    parse_module(text, "m.mlir");
  } catch (const Error& error) { return error.what(); }
  return "accepted";
}

TEST(Modules, FunctionsWithoutBodies) {
  expect_kept(
      "module {\n"
      "  func.func private @f(tensor<2xf32> {a.b}, tensor<?xi32>) -> tensor<2xf32> attributes {c.d = 1 : i32}\n"
      "  func.func private @nothing()\n"
      "  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xi32>) -> tensor<2xf32> {\n"
      "    %0 = func.call @f(%arg0, %arg1) : (tensor<2xf32>, tensor<3xi32>) -> tensor<2xf32>\n"
      "    func.call @nothing() : () -> ()\n"
      "    return %0 : tensor<2xf32>\n  }\n}\n");
}

TEST(Modules, CallsAreCheckedAgainstDeclarations) {
  const std::string f = "func.func private @f(tensor<2xf32>) -> tensor<2xf32>\n";
  EXPECT_NE(
      refusal(f + "func.func @main(%a: tensor<3xf32>) {\n  %0 = func.call @f(%a) : (tensor<3xf32>) -> tensor<2xf32>\n"
                  "  return\n}")
          .find("arguments of @f"),
      std::string::npos);
  EXPECT_NE(refusal(f + "func.func @main(%a: tensor<2xf32>) {\n  func.call @f(%a) : (tensor<2xf32>) -> ()\n  return\n}")
                .find("number of results"),
            std::string::npos);
  EXPECT_NE(
      refusal("func.func private @f()\nfunc.func @main() {\n  %0 = func.call @f() : () -> tensor<f32>\n  return\n}")
          .find("number of results"),
      std::string::npos);
  EXPECT_NE(refusal("func.func @f(tensor<2xf32>)").find("must be private"), std::string::npos);
  EXPECT_NE(refusal("func.func private @f(tensor<2xf32>) { return }").find("%name: type"), std::string::npos);
}

TEST(Modules, NestAndHaveNames) {
  expect_kept(
      "module @outer attributes {a.b} {\n"
      "  func.func @f() {\n    return\n  }\n"
      "  module @inner attributes {c.d = 2 : i32} {\n    func.func @f() {\n      return\n    }\n  }\n"
      "  module {\n    module @empty {\n    }\n  }\n}\n");
  // A module of nothing but a module stays one; a text of several ops is a module of them.
  expect_kept("module {\n  module {\n    func.func @f() {\n      return\n    }\n  }\n}\n");
  EXPECT_EQ(printed("module @a {\n}\nmodule @b {\n}\n"), "module {\n  module @a {\n  }\n  module @b {\n  }\n}\n");
}

TEST(Modules, NamesBelongToTheirModule) {
  const std::string f = "func.func @f(%a: tensor<2xf32>) {\n  return\n}\n";
  const std::string call =
      "func.func @g(%a: tensor<2xf32>) {\n  func.call @f(%a) : (tensor<2xf32>) -> ()\n  return\n}\n";
  EXPECT_EQ(refusal(f + call), "accepted");
  EXPECT_NE(refusal("module {\n" + f + "module {\n" + call + "}\n}").find("no function @f"), std::string::npos);
  EXPECT_NE(refusal(f + f).find("exists already"), std::string::npos);
}

TEST(Modules, OpsOfOtherDialectsAreKept) {
  expect_kept(
      "module {\n"
      "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
      "  sdy.mesh @one = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids = [0]}}\n"
      "  \"sdy.mesh\"() {sym_name = \"other\", a = [1, \"->\"]} : () -> ()\n"
      "  func.func @f(%arg0: tensor<4xf32>) -> tensor<8xf32> {\n"
      "    %0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = "
      "#stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = \"x\">]>}> : "
      "(tensor<4xf32>) -> tensor<8xf32>\n"
      "    return %0 : tensor<8xf32>\n  }\n}\n");
  EXPECT_NE(refusal("\"stablehlo.add\"() : () -> ()").find("a module holds functions"), std::string::npos);
  EXPECT_NE(refusal("\"sdy.mesh\"() {a = [} : () -> ()").find("closes nothing"), std::string::npos);
}

TEST(Types, BoundsArePrintedAsTheyAreRead) {
  expect_kept(
      "module {\n"
      "  func.func @f(%arg0: tensor<?x2x?xf32, #stablehlo.bounds<5, ?, ?>>) -> tensor<2x?x?xf32, #stablehlo.bounds<?, "
      "5, "
      "?>> {\n"
      "    %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<?x2x?xf32, #stablehlo.bounds<5, ?, ?>>) -> "
      "tensor<2x?x?xf32, #stablehlo.bounds<?, 5, ?>>\n"
      "    return %0 : tensor<2x?x?xf32, #stablehlo.bounds<?, 5, ?>>\n  }\n}\n");
  // The older spelling.
  EXPECT_NE(printed("func.func @f(%a: tensor<?x?xf32, #stablehlo.type_extensions<bounds = [3, -1]>>) { return }")
                .find("tensor<?x?xf32, #stablehlo.bounds<3, ?>>"),
            std::string::npos);
}

TEST(Types, ShapesMayBeOfIndex) {
  expect_kept(
      "module {\n"
      "  func.func @f(%arg0: tensor<?xf32>, %arg1: tensor<2xindex>, %arg2: tensor<f32>, %arg3: tensor<1xindex>) -> "
      "tensor<?x?xf32> {\n"
      "    %0 = stablehlo.dynamic_pad %arg0, %arg2, %arg3, %arg3, %arg3 : (tensor<?xf32>, tensor<f32>, "
      "tensor<1xindex>, "
      "tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>\n"
      "    %1 = stablehlo.dynamic_reshape %0, %arg1 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>\n"
      "    %2 = stablehlo.dynamic_broadcast_in_dim %1, %arg1, dims = [1, 0] : (tensor<?x?xf32>, tensor<2xindex>) -> "
      "tensor<?x?xf32>\n"
      "    %3 = stablehlo.dynamic_iota %arg1, dim = 0 : (tensor<2xindex>) -> tensor<?x?xf32>\n"
      "    %4 = stablehlo.add %2, %3 : tensor<?x?xf32>\n"
      "    %5 = stablehlo.constant dense<[2, 3]> : tensor<2xindex>\n"
      "    %6 = stablehlo.real_dynamic_slice %4, %arg1, %5, %5 : (tensor<?x?xf32>, tensor<2xindex>, tensor<2xindex>, "
      "tensor<2xindex>) -> tensor<?x?xf32>\n"
      "    return %6 : tensor<?x?xf32>\n  }\n}\n");
}

}  // namespace
}  // namespace weft
