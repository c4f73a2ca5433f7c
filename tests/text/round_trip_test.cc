// Text → IR → text: a fixed point in both forms, and both forms read as the same program.
#include <gtest/gtest.h>

#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

struct Case {
  const char* name;
  const char* body;               // of func.func @f
  const char* printed = nullptr;  // a line that the pretty form must hold
};

// Each body uses %a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i32>, %p: tensor<i1>.
const Case kCases[] = {
    {"elementwise", "%0 = stablehlo.add %a, %a : tensor<2x3xf32>", "stablehlo.add %arg0, %arg0 : tensor<2x3xf32>"},
    {"elementwise_functional", "%0 = stablehlo.add %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
     "stablehlo.add %arg0, %arg0 : tensor<2x3xf32>"},
    {"elementwise_generic", "%0 = \"stablehlo.add\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
     "stablehlo.add %arg0, %arg0 : tensor<2x3xf32>"},
    {"discardable_attributes",
     "%0 = stablehlo.add %a, %a {mhlo.sharding = \"{replicated}\", x.y = 3 : i32, z.w} : tensor<2x3xf32>",
     "{mhlo.sharding = \"{replicated}\", x.y = 3 : i32, z.w}"},
    {"sharding_constraint",
     "%0 = sdy.sharding_constraint %a <mesh<[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>, [{\"x\"}, {?}p1], "
     "replicated={\"y\"}> : tensor<2x3xf32>",
     "sdy.sharding_constraint %arg0 <mesh<[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>, [{\"x\"}, {?}p1], "
     "replicated={\"y\"}> : tensor<2x3xf32>"},
    {"sharding_constraint_generic",
     "%0 = \"sdy.sharding_constraint\"(%a) <{sharding = #sdy.sharding<mesh<[\"x\"=8]>, [{\"x\":(2)2}, {}]>}> : "
     "(tensor<2x3xf32>) -> tensor<2x3xf32>",
     "sdy.sharding_constraint %arg0 <mesh<[\"x\"=8]>, [{\"x\":(2)2}, {}]> : tensor<2x3xf32>"},
    {"manual_computation",
     "%0 = \"sdy.manual_computation\"(%a) <{in_shardings = #sdy.sharding_per_value<[<mesh<[\"x\"=2]>, [{\"x\"}, "
     "{}]>]>, "
     "manual_axes = #sdy<manual_axes{\"x\"}>, out_shardings = #sdy.sharding_per_value<[<mesh<[\"x\"=2]>, [{}, {}]>]>}> "
     "({\n^bb0(%b: tensor<1x3xf32>):\n\"sdy.return\"(%a) : (tensor<2x3xf32>) -> ()\n}) : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "sdy.manual_computation(%arg0) in_shardings=[<mesh<[\"x\"=2]>, [{\"x\"}, {}]>] out_shardings=[<mesh<[\"x\"=2]>, "
     "[{}, {}]>] manual_axes={\"x\"} ("},
    {"constant", "%0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>"},
    {"constant_with_attributes", "%0 = stablehlo.constant {a.b = \"c\"} dense<1.0> : tensor<2x3xf32>",
     "stablehlo.constant {a.b = \"c\"} dense<1.0>"},
    {"convert", "%0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xbf16>",
     "(tensor<2x3xf32>) -> tensor<2x3xbf16>"},
    {"compare", "%0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
     "stablehlo.compare LT, %arg0, %arg0, FLOAT :"},
    {"compare_generic",
     "%0 = \"stablehlo.compare\"(%a, %a) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = "
     "#stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
     "stablehlo.compare GE, %arg0, %arg0, FLOAT :"},
    {"select", "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2x3xf32>",
     "stablehlo.select %arg3, %arg0, %arg0 : tensor<i1>, tensor<2x3xf32>"},
    {"iota", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>", "stablehlo.iota dim = 1 : tensor<2x3xi32>"},
    {"broadcast_in_dim", "%0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>",
     "%arg1, dims = [] :"},
    {"broadcast_in_dim_generic",
     "%0 = \"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> "
     "tensor<2x1x3xf32>",
     "dims = [0, 2]"},
    {"reshape", "%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>"},
    {"one_type_where_mlir_reads_one", "%0 = stablehlo.reverse %a, dims = [] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
     "dims = [] : tensor<2x3xf32>"},
    {"full_type_where_mlir_wants_it", "%0 = stablehlo.convert %s : tensor<f32>",
     "%arg1 : (tensor<f32>) -> tensor<f32>"},
    {"full_type_of_clauses", "%0 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>",
     "dims = [] : (tensor<f32>) -> tensor<f32>"},
    {"transpose", "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>", "dims = [1, 0]"},
    {"slice", "%0 = stablehlo.slice %a [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>", "[0:2, 1:3:2]"},
    {"pad",
     "%0 = stablehlo.pad %a, %s, low = [0, -1], high = [1, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> "
     "tensor<3x2xf32>",
     "low = [0, -1], high = [1, 0], interior = [0, 0]"},
    {"concatenate",
     "%0 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>", "dim = 1"},
    {"reverse", "%0 = stablehlo.reverse %a, dims = [0] : tensor<2x3xf32>", "dims = [0] : tensor<2x3xf32>"},
    {"dynamic_slice",
     "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> "
     "tensor<1x2xf32>",
     "sizes = [1, 2]"},
    {"dynamic_update_slice",
     "%0 = stablehlo.dynamic_update_slice %a, %a, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, "
     "tensor<i32>) -> tensor<2x3xf32>"},
    {"dot_general",
     "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : "
     "(tensor<2x3xf32>, "
     "tensor<2x3xf32>) -> tensor<2x2xf32>",
     "contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST]"},
    {"dot_general_generic",
     "%0 = \"stablehlo.dot_general\"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
     "rhs_batching_dimensions = [0], "
     "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision "
     "DEFAULT>, #stablehlo<precision "
     "DEFAULT>]}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
     "batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT]"},
    {"dot_general_algorithm",
     "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, "
     "rhs_precision_type = tf32, "
     "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
     "allow_imprecise_accumulation = false> : "
     "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
     "algorithm = <lhs_precision_type = tf32,"},
    {"convolution",
     "%x = stablehlo.constant dense<1.0> : tensor<1x8x8x2xf32>\n%k = stablehlo.constant dense<1.0> : "
     "tensor<3x3x2x4xf32>\n"
     "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, "
     "2], pad = [[1, 1], [0, 2]], "
     "rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x8x8x2xf32>, "
     "tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>",
     "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]], "
     "rhs_dilate = [1, 1], reverse = [true, "
     "false]}"},
    {"reduce_applies",
     "%0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, "
     "tensor<f32>) -> tensor<3xf32>",
     "applies stablehlo.add across dimensions = [0]"},
    {"reduce_region",
     "%0 = stablehlo.reduce(%a init: %s) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>\n "
     "reducer(%u: tensor<f32>, %v: "
     "tensor<f32>) {\n%m = stablehlo.subtract %u, %v : tensor<f32>\nstablehlo.return %m : tensor<f32>\n}",
     "reducer("},
    {"reduce_two",
     "%0:2 = stablehlo.reduce(%a init: %s), (%a init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xf32>, "
     "tensor<f32>, tensor<f32>) -> "
     "(tensor<2xf32>, tensor<2xf32>)\n reducer(%u: tensor<f32>, %v: tensor<f32>) (%w: tensor<f32>, %x: tensor<f32>) "
     "{\nstablehlo.return %v, %w : "
     "tensor<f32>, tensor<f32>\n}"},
    {"while",
     "%0:2 = stablehlo.while(%c = %i, %d = %s) : tensor<i32>, tensor<f32>\n cond {\n%l = stablehlo.compare LT, %c, %i, "
     "SIGNED : (tensor<i32>, "
     "tensor<i32>) -> tensor<i1>\nstablehlo.return %l : tensor<i1>\n} do {\n%n = stablehlo.add %d, %s : "
     "tensor<f32>\nstablehlo.return %c, %n : "
     "tensor<i32>, tensor<f32>\n}",
     "stablehlo.while(%arg4 = %arg2, %arg5 = %arg1) : tensor<i32>, tensor<f32>"},
    {"if",
     "%0 = \"stablehlo.if\"(%p) ({\nstablehlo.return %s : tensor<f32>\n}, {\n%n = stablehlo.negate %s : "
     "tensor<f32>\nstablehlo.return %n : "
     "tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>"},
    {"case", "%0 = \"stablehlo.case\"(%i) ({\nstablehlo.return %s : tensor<f32>\n}) : (tensor<i32>) -> tensor<f32>"},
    {"call", "%0:2 = func.call @g(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)",
     "func.call @g(%arg0)"},
    {"call_bare",
     "%0:2 = call @g(%a) {c.d} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)\n%1 = stablehlo.add %0#0, "
     "%0#1 : tensor<2x3xf32>",
     "stablehlo.add %0#0, %0#1 : tensor<2x3xf32>"},
    {"custom_call",
     "stablehlo.custom_call @check.expect_eq(%a, %a) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
     "()",
     "stablehlo.custom_call @check.expect_eq(%arg0, %arg0)"},
    {"check_const", "check.expect_eq_const %s, dense<1.5> : tensor<f32>",
     "check.expect_eq_const %arg1, dense<1.5> : tensor<f32>"},
    {"check_clauses",
     "check.expect_close %a, %a, max_ulp_difference = 2, min_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>",
     "max_ulp_difference = 2, min_ulp_difference = 1"},
    {"extension",
     "%0 = \"weft.stack_new\"() : () -> !weft.stack<tensor<f32>, [3]>\n\"weft.check\"(%p, %s) {message = \"x is {}\", "
     "site = \"domain\"} : "
     "(tensor<i1>, tensor<f32>) -> ()",
     "\"weft.check\"(%arg3, %arg1) {message = \"x is {}\", site = \"domain\"}"},
};

std::string program(const char* body) {
  return "func.func @f(%a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i32>, %p: tensor<i1>) {\n" + std::string(body) +
         "\nreturn\n}\nfunc.func private @g(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {\nreturn %a, "
         "%a : tensor<2x3xf32>, "
         "tensor<2x3xf32>\n}\n";
}

class RoundTrip : public testing::TestWithParam<Case> {};

TEST_P(RoundTrip, IsAFixedPointInBothForms) {
  const auto module = parse_module(program(GetParam().body), "case.mlir");
  const std::string pretty = print_module(*module), generic = print_module(*module, {.generic = true});
  if (GetParam().printed != nullptr) EXPECT_NE(pretty.find(GetParam().printed), std::string::npos) << pretty;
  EXPECT_EQ(print_module(*parse_module(pretty, "pretty.mlir")), pretty);
  const auto from_generic = parse_module(generic, "generic.mlir");
  EXPECT_EQ(print_module(*from_generic, {.generic = true}), generic);
  EXPECT_EQ(print_module(*from_generic), pretty);
}

INSTANTIATE_TEST_SUITE_P(Forms, RoundTrip, testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST(Text, AGroupOfResultsStandsForItsFirst) {
  const auto module = parse_module(
      "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n"
      "  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf32>, tensor<3xf32>\n"
      "  return %0 : tensor<2xf32>\n}",
      "m.mlir");
  EXPECT_NE(print_module(*module).find("return %0#0 : tensor<2xf32>"), std::string::npos) << print_module(*module);
}

TEST(Text, KeepsModuleAndFunctionAttributes) {
  const std::string text =
      "module @jit_f attributes {mhlo.num_partitions = 1 : i32, sdy.mesh = #sdy.mesh<[\"x\"=2]>} {\n"
      "  func.func @main(%arg0: tensor<2xf32> {jax.arg = \"x\", mhlo.layout_mode = \"default\"}) -> (tensor<2xf32> "
      "{jax.result_info = \"\"}) "
      "attributes {a.b = [1, 2]} {\n    return %arg0 : tensor<2xf32>\n  }\n}\n";
  EXPECT_EQ(print_module(*parse_module(text, "m.mlir")), text);
}

TEST(Text, ExpandsAliasesAndSkipsLocations) {
  const auto module = parse_module(
      "#loc = loc(unknown)\n#mesh = #sdy.mesh<[\"x\"=2]>\n!t = tensor<2xf32>\nmodule {\n"
      "  func.func @f(%a: !t loc(\"a\"(#loc))) -> !t {\n    %0 = stablehlo.add %a, %a {sdy.mesh = #mesh} : !t "
      "loc(#loc1)\n    return %0 : !t loc(#loc)\n"
      "  } loc(#loc)\n} loc(#loc)\n#loc1 = loc(\"f(x) {\"(#loc))\n",
      "m.mlir");
  const std::string printed = print_module(*module);
  EXPECT_NE(printed.find("{sdy.mesh = #sdy.mesh<[\"x\"=2]>} : tensor<2xf32>"), std::string::npos) << printed;
}

// Spellings as MLIR's own printers and the StableHLO specification's examples have them.
TEST(Text, KeepsTypesOfEveryKind) {
  for (const char* type : {
           "tensor<2x!quant.uniform<i8:f32, 0.5:3>>",
           "tensor<2x!quant.uniform<i8<-127:127>:f32, 0.5>>",
           "tensor<2x!quant.uniform<u4:f16:0, {0.1:3,2.0}>>",
           "tensor<?x4xf32, #stablehlo.bounds<8, ?>>",
           "tensor<2xindex>",
           "tensor<4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>",
           "!stablehlo.future<tensor<2xf32>, tensor<i32>>",
           "tensor<*xf32>",
           "memref<2xf32>",
           "index",
       }) {
    const std::string text = "module {\n  func.func private @f(%arg0: " + std::string(type) + ") -> " + type +
                             " {\n    return %arg0 : " + type + "\n  }\n}\n";
    EXPECT_EQ(print_module(*parse_module(text, "m.mlir")), text);
  }
  const std::string bounds = "func.func @f(%a: tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>) { return }";
  EXPECT_NE(print_module(*parse_module(bounds, "m.mlir")).find("tensor<?xf32, #stablehlo.bounds<3>>"),
            std::string::npos);
}

TEST(Text, AForeignAttributeEndsWithItsBracket) {
  const std::string text =
      "#first = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>\n\n"
      "#second = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>\n\n"
      "func.func @f(%a: tensor<4xf32, #first>) { return }\n";
  const std::string printed = print_module(*parse_module(text, "m.mlir"));
  EXPECT_NE(printed.find("%arg0: tensor<4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>)"),
            std::string::npos)
      << printed;
}

TEST(Text, AnEmptyModuleHasABlock) {
  const auto module = parse_module("module attributes {a.b} {\n}\n", "m.mlir");
  const std::string generic = print_module(*module, {.generic = true});
  EXPECT_NE(generic.find("^bb0:"), std::string::npos) << generic;
  EXPECT_EQ(print_module(*parse_module(generic, "m.mlir")), print_module(*module));
}

TEST(Text, QuotesNamesThatNeedIt) {
  const std::string text = "module {\n  func.func @\"a b\"() {\n    return\n  }\n}\n";
  EXPECT_EQ(print_module(*parse_module(text, "m.mlir")), text);
}

TEST(Text, ReadsResources) {
  const auto module = parse_module(
      "func.func @f() -> tensor<2xi32> {\n %0 = stablehlo.constant dense_resource<r> : tensor<2xi32>\n return %0 : "
      "tensor<2xi32>\n}\n"
      "{-#\n dialect_resources: { builtin: { r: \"0x040000000100000002000000\" } }\n#-}\n",
      "m.mlir");
  EXPECT_NE(print_module(*module).find("dense<[1, 2]> : tensor<2xi32>"), std::string::npos);
}

}  // namespace
}  // namespace weft
