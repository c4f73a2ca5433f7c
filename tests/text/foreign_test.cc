// Ops and types of dialects that Weft gives no meaning to: what is read is printed again, and only structure is checked.
#include <gtest/gtest.h>

#include <thread>

#include "ops/foreign/foreign.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_module(text, "foreign.mlir");
  } catch (const Error& error) { return error.what(); }
  return "accepted";
}

TEST(Foreign, GenericOpsPrintAsTheyWereRead) {
  const std::string text =
      "module {\n"
      "  func.func @f(%arg0: tensor<?xf32>, %arg1: memref<2x?xf32>, %arg2: index) -> tensor<1xindex> {\n"
      "    %0 = \"shape.shape_of\"(%arg0) {note = \"kept\"} : (tensor<?xf32>) -> tensor<1xindex>\n"
      "    %1:2 = \"test_dialect.op\"(%arg1, %arg2) <{a = 1 : i32, b = [i32, \"x\"], c = #d.e<f>}> {g.h, i = 2 : i64} "
      ": "
      "(memref<2x?xf32>, index) -> (tensor<*xf32>, i1)\n"
      "    \"test_dialect.nothing\"() : () -> ()\n"
      "    \"test.with_dash-es\"(%1#0) : (tensor<*xf32>) -> ()\n"
      "    return %0 : tensor<1xindex>\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(print_module(*parse_module(text, "f.mlir")), text);
  const std::string generic = print_module(*parse_module(text, "f.mlir"), {.generic = true});
  EXPECT_EQ(print_module(*parse_module(generic, "g.mlir"), {.generic = true}), generic);
  EXPECT_EQ(print_module(*parse_module(generic, "g.mlir")), text);
}

TEST(Foreign, RegionsMayEndAsTheirOpsLike) {
  const std::string text =
      "module {\n"
      "  func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
      "    %0 = \"a.loop\"(%arg0) ({\n"
      "    ^bb0(%arg1: i32, %arg2: tensor<2xf32>):\n"
      "      %1 = stablehlo.add %arg0, %arg2 : tensor<2xf32>\n"
      "      \"a.yield\"(%1) : (tensor<2xf32>) -> ()\n"
      "    }, {\n"
      "      \"a.no_terminator\"() : () -> ()\n"
      "    }, {\n"
      "    }) {x} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "    return %0 : tensor<2xf32>\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(print_module(*parse_module(text, "f.mlir")), text);
}

TEST(Foreign, StructureIsChecked) {
  EXPECT_NE(refusal("func.func @f() {\n  %0 = \"a.b\"(%x) : (i32) -> i32\n  return\n}").find("%x is not defined"),
            std::string::npos);
  EXPECT_EQ(refusal("func.func @f(%x: i32) {\n  %0 = \"a.b\"(%x) : (i64) -> i32\n  return\n}"),
            "[a.b] operand 0 has type i32, but its use says i64");
  EXPECT_EQ(refusal("func.func @f(%x: i32) {\n  %0:2 = \"a.b\"(%x) : (i32) -> i32\n  return\n}"),
            "[a.b] results: got names for 2, expected 1");
  EXPECT_NE(refusal("func.func @f(%x: i32) {\n  \"a.b\"() ({\n    %0 = \"a.c\"() : () -> i32\n  }) : () -> ()\n  "
                    "\"a.d\"(%0) : (i32) -> ()\n  return\n}")
                .find("%0 is not defined"),
            std::string::npos);
  // Ops of known dialects inside keep their own rules.
  EXPECT_NE(refusal("func.func @f(%x: tensor<2xf32>) {\n  \"a.b\"() ({\n    %0 = \"stablehlo.add\"(%x, %x) : "
                    "(tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>\n  }) : () -> ()\n  return\n}")
                .find("[stablehlo.add]"),
            std::string::npos);
}

TEST(Foreign, SlipsOfThePenAreAnswered) {
  const auto op = [](const std::string& name) {
    return "func.func @f(%a: tensor<f32>) {\n  %0 = \"" + name + "\"(%a) : (tensor<f32>) -> tensor<f32>\n  return\n}";
  };
  EXPECT_EQ(refusal(op("stablehlo.ad")), "[stablehlo.ad] is not known to Weft: did you mean stablehlo.add?");
  EXPECT_EQ(refusal(op("stablehlo.expnential")),
            "[stablehlo.expnential] is not known to Weft: did you mean stablehlo.exponential?");
  EXPECT_EQ(refusal(op("chlo.bessel_i2e")), "[chlo.bessel_i2e] is not known to Weft: did you mean chlo.bessel_i1e?");
  EXPECT_EQ(refusal(op("stablehlo.quux_of_nothing")), "[stablehlo.quux_of_nothing] is not known to Weft");
  EXPECT_EQ(refusal(op("add")), "[add] is no op: expected dialect.op");
  EXPECT_EQ(refusal(op("a.b c")), "[a.b c] is no op: expected dialect.op");
  EXPECT_EQ(refusal(op(".b")), "[.b] is no op: expected dialect.op");
}

TEST(Foreign, UnknownPrettyFormsAreUnsupportedAtTheirPlace) {
  try {
    parse_module("func.func @f(%a: f32) {\n  %0 = math.absf %a : f32\n  return\n}", "pretty.mlir");
    FAIL() << "accepted";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(
        error.what(),
        "[math.absf] is skipped because pretty forms of dialect math are not known: expected the generic form, "
        "\"math.absf\"(…) : (…) -> …");
    EXPECT_EQ(error.loc().line, 2u);
    EXPECT_EQ(error.loc().column, 8u);
  }
}

struct Pretty {
  const char* name;
  const char* read;
  const char* printed;
};
const Pretty kPretty[] = {
    {"constant_index", "%0 = arith.constant 7 : index", "\"arith.constant\"() <{value = 7 : index}> : () -> index"},
    {"constant_true", "%0 = arith.constant true", "\"arith.constant\"() <{value = true}> : () -> i1"},
    {"constant_real", "%0 = arith.constant 1.5 : f32", "\"arith.constant\"() <{value = 1.5 : f32}> : () -> f32"},
    {"constant_dense", "%0 = arith.constant dense<[1, -2]> : tensor<2xi32>",
     "\"arith.constant\"() <{value = dense<[1, -2]> : tensor<2xi32>}> : () -> tensor<2xi32>"},
    {"cast", "%0 = tensor.cast %t : tensor<2x?xf32> to tensor<?x3xf32>",
     "\"tensor.cast\"(%arg0) : (tensor<2x?xf32>) -> tensor<?x3xf32>"},
    {"cast_of_several", "%0:2 = builtin.unrealized_conversion_cast %i, %t : index, tensor<2x?xf32> to i64, f32",
     "\"builtin.unrealized_conversion_cast\"(%arg1, %arg0) : (index, tensor<2x?xf32>) -> (i64, f32)"},
    {"arrow", "%0 = shape.shape_of %t {a.b} : tensor<2x?xf32> -> tensor<2xindex>",
     "\"shape.shape_of\"(%arg0) {a.b} : (tensor<2x?xf32>) -> tensor<2xindex>"},
    {"extents", "%0 = shape.const_shape [4, 32] : tensor<2xindex>",
     "\"shape.const_shape\"() <{shape = dense<[4, 32]> : tensor<2xindex>}> : () -> tensor<2xindex>"},
    {"dim", "%0 = tensor.dim %t, %i : tensor<2x?xf32>",
     "\"tensor.dim\"(%arg0, %arg1) : (tensor<2x?xf32>, index) -> index"},
    {"elements", "%0 = tensor.from_elements %i, %i : tensor<2xindex>",
     "\"tensor.from_elements\"(%arg1, %arg1) : (index, index) -> tensor<2xindex>"},
    {"extract", "%0 = tensor.extract %t[%i, %i] : tensor<2x?xf32>",
     "\"tensor.extract\"(%arg0, %arg1, %arg1) : (tensor<2x?xf32>, index, index) -> f32"},
    {"same", "%0 = arith.muli %i, %i : index", "\"arith.muli\"(%arg1, %arg1) : (index, index) -> index"},
};
class PrettyForeign : public testing::TestWithParam<Pretty> {};

TEST_P(PrettyForeign, IsPrintedInGenericForm) {
  const auto module = parse_module(
      "func.func @f(%t: tensor<2x?xf32>, %i: index) {\n  " + std::string(GetParam().read) + "\n  return\n}",
      "pretty.mlir");
  const std::string printed = print_module(*module);
  EXPECT_NE(printed.find(GetParam().printed), std::string::npos) << printed;
  EXPECT_EQ(print_module(*parse_module(printed, "again.mlir")), printed);
}
INSTANTIATE_TEST_SUITE_P(Forms, PrettyForeign, testing::ValuesIn(kPretty),
                         [](const auto& info) { return info.param.name; });

TEST(Foreign, PrettyFormsCheckTheirTypes) {
  const auto body = [](const std::string& op) {
    return "func.func @f(%t: tensor<2x?xf32>, %i: index) {\n  " + op + "\n  return\n}";
  };
  EXPECT_NE(refusal(body("%0 = tensor.cast %i : tensor<2xf32> to tensor<?xf32>")).find("operand 0 has type index"),
            std::string::npos);
  EXPECT_NE(refusal(body("%0 = tensor.dim %t, %t : tensor<2x?xf32>")).find("operand 1 has type tensor<2x?xf32>"),
            std::string::npos);
  EXPECT_NE(refusal(body("%0 = tensor.from_elements %i : memref<1xindex>")).find("a tensor type was expected"),
            std::string::npos);
}

TEST(Foreign, KnownOpsRefuseForeignTypes) {
  const auto op = [](const std::string& type, const std::string& use) {
    return "func.func @f(%a: " + type + ") {\n  " + use + "\n  return\n}";
  };
  EXPECT_EQ(refusal(op("tensor<*xf32>", "%0 = stablehlo.add %a, %a : tensor<*xf32>")),
            "[stablehlo.add] type of operand 0: got tensor<*xf32>, expected a ranked tensor");
  EXPECT_EQ(refusal(op("memref<4xf32>", "%0 = stablehlo.abs %a : memref<4xf32>")),
            "[stablehlo.abs] type of operand 0: got memref<4xf32>, expected a ranked tensor");
  EXPECT_EQ(refusal(op("tensor<4xf32>", "%0 = stablehlo.reshape %a : (tensor<4xf32>) -> f32")),
            "[stablehlo.reshape] type of result 0: got f32, expected a ranked tensor");
  // As MLIR's verifier has it: custom calls and CHLO take unranked tensors, loops and tuples take buffers.
  EXPECT_EQ(refusal(op("tensor<*xf32>", "%0 = stablehlo.custom_call @x(%a) : (tensor<*xf32>) -> tensor<*xf32>")),
            "accepted");
  EXPECT_EQ(refusal(op("tensor<*xf32>", "%0 = stablehlo.custom_call @CreateBuffer() : () -> memref<2xf32>")),
            "accepted");
  EXPECT_EQ(refusal(op("tensor<*xf32>",
                       "%0 = chlo.broadcast_add %a, %a : (tensor<*xf32>, tensor<*xf32>) -> "
                       "tensor<*xf32>")),
            "accepted");
  EXPECT_EQ(refusal(op("tensor<*xi32>", "%0 = chlo.tan %a : tensor<*xi32> -> tensor<*xi32>")).substr(0, 32),
            "[chlo.tan] type of operand 0: go");
  EXPECT_EQ(refusal(op("tensor<*xf32>",
                       "%0 = chlo.broadcast_add %a, %a : (tensor<*xf32>, tensor<*xf32>) -> "
                       "tensor<*xf64>")),
            "[chlo.broadcast_add] element type of result 0: got tensor<*xf64>, expected f32");
  EXPECT_EQ(refusal(op("memref<4xf32>", "%0 = chlo.tan %a : memref<4xf32> -> memref<4xf32>")),
            "[chlo.tan] type of operand 0: got memref<4xf32>, expected a ranked tensor");
  EXPECT_EQ(refusal(op("memref<4xf32>", "%0 = stablehlo.tuple %a : tuple<memref<4xf32>>")), "accepted");
}

TEST(Foreign, TheNameOfSeveralResultsIsThatOfTheFirst) {
  const std::string printed = print_module(*parse_module(
      "func.func @f() -> i32 {\n  %0:2 = \"a.b\"() : () -> (i32, i64)\n  return %0 : i32\n}", "first.mlir"));
  EXPECT_NE(printed.find("return %0#0 : i32"), std::string::npos) << printed;
}

TEST(Foreign, FuturesAreOfRankedTensors) {
  EXPECT_NE(
      refusal("func.func @f(%a: !stablehlo.future<f32>) {\n  return\n}").find("element type must be a ranked tensor"),
      std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: !stablehlo.future<tensor<f32>, tensor<*xf32>>) {\n  return\n}")
                .find("got tensor<*xf32>"),
            std::string::npos);
}

TEST(Foreign, OneRecordForEachMnemonicFromAnyThread) {
  std::vector<const OpRecord*> seen(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&seen, t] {
      for (int i = 0; i < 200; ++i) foreign_op("thread" + std::to_string(i) + ".op");
      seen[t] = &foreign_op("shared.op");
    });
  }
  for (std::thread& t : threads) t.join();
  for (const OpRecord* r : seen) EXPECT_EQ(r, seen[0]);
  EXPECT_EQ(seen[0]->mnemonic, "shared.op");
  EXPECT_TRUE(is_foreign_op(*seen[0]));
  EXPECT_FALSE(is_foreign_op(get_op("stablehlo.add")));
}

}  // namespace
}  // namespace weft
