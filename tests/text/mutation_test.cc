// No text crashes the parser: programs with random damage are either read or refused. The fuzzer (tests/fuzz) goes further.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "base/file.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

const char* const kSeeds[] = {
    "module @m attributes {a.b = 1 : i32} {\n  func.func public @main(%arg0: tensor<2x3xf32> {x.y = \"z\"}, %arg1: "
    "tensor<i32>) -> (tensor<3xf32>, "
    "tensor<i32>) {\n    %cst = stablehlo.constant dense<[[1.0, -0.0, 0x7FC00000], [1.0e+20, 2.5, 3.0]]> : "
    "tensor<2x3xf32>\n    %0 = stablehlo.add %arg0, %cst "
    ": tensor<2x3xf32>\n    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %1 = stablehlo.reduce(%0 init: %z) "
    "applies stablehlo.add across dimensions = "
    "[0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n    %2:2 = stablehlo.while(%i = %arg1, %acc = %1) : "
    "tensor<i32>, tensor<3xf32>\n    cond {\n      %p "
    "= stablehlo.compare LT, %i, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %p : "
    "tensor<i1>\n    } do {\n      %n = "
    "stablehlo.multiply %acc, %1 : tensor<3xf32>\n      stablehlo.return %i, %n : tensor<i32>, tensor<3xf32>\n    }\n  "
    "  return %2#1, %2#0 : tensor<3xf32>, "
    "tensor<i32>\n  }\n}\n",
    "func.func @f(%a: tensor<1x8x8x2xf32>, %k: tensor<3x3x2x4xf32>, %s: tensor<f32>) -> tensor<1x8x8x4xf32> {\n  %0 = "
    "stablehlo.convolution(%a, %k) dim_numbers "
    "= [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count "
    "= 1 : i64, feature_group_count = 1 : "
    "i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x8x8x4xf32>\n  %c = stablehlo.constant "
    "dense<\"0x0000803F000000C0\"> : tensor<2xf32>\n  %1 = "
    "stablehlo.slice %a [0:1, 0:4:2, 0:8, 0:2] : (tensor<1x8x8x2xf32>) -> tensor<1x2x8x2xf32>\n  %2 = stablehlo.pad "
    "%1, %s, low = [0, 1, 0, 0], high = [0, 0, 0, "
    "-1], interior = [0, 0, 1, 0] : (tensor<1x2x8x2xf32>, tensor<f32>) -> tensor<1x3x15x1xf32>\n  return %0 : "
    "tensor<1x8x8x4xf32>\n}\n",
    "#m = #sdy.mesh<[\"x\"=2]>\n!t = tensor<4xi64>\n\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (!t, "
    "tensor<i1>) -> !t, sym_name = \"g\"}> ({\n  "
    "^bb0(%a: !t, %p: tensor<i1>):\n    %0 = \"stablehlo.if\"(%p) ({\n      \"stablehlo.return\"(%a) : (!t) -> ()\n    "
    "}, {\n      %1 = \"stablehlo.iota\"() "
    "<{iota_dimension = 0 : i64}> {k = #m} : () -> !t\n      \"stablehlo.return\"(%1) : (!t) -> ()\n    }) : "
    "(tensor<i1>) -> !t\n    \"func.return\"(%0) : (!t) -> "
    "()\n  }) : () -> ()\n}) : () -> ()\n",
};

void read(const std::string& text) {
  try {
    const auto module = parse_module(text, "damaged.mlir");
    // What was accepted must print and read again.
    parse_module(print_module(*module), "damaged, printed.mlir");
    parse_module(print_module(*module, {.generic = true}), "damaged, printed.mlir");
  } catch (const UserError&) {
  } catch (const Unsupported&) {}
}

TEST(Mutation, DamagedProgramsAreReadOrRefused) {
  std::mt19937 random(17);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  static constexpr std::string_view kPieces[] = {"<",
                                                 ">",
                                                 "{",
                                                 "}",
                                                 "(",
                                                 ")",
                                                 "[",
                                                 "]",
                                                 "%",
                                                 "#",
                                                 "\"",
                                                 ":",
                                                 "->",
                                                 "tensor<",
                                                 "dense<",
                                                 "-",
                                                 "9223372036854775807",
                                                 "0x",
                                                 "99999999999999999999",
                                                 "?",
                                                 "@",
                                                 "!",
                                                 "loc(",
                                                 "x",
                                                 ",",
                                                 "stablehlo.add",
                                                 "\n",
                                                 "\0"};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  int runs = 0;
  while (std::chrono::steady_clock::now() < end || runs < 200) {
    std::string text = kSeeds[below(std::size(kSeeds))];
    for (size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const size_t at = below(text.size());
      switch (below(5)) {
        case 0: text.erase(at, 1 + below(8)); break;
        case 1: text.insert(at, kPieces[below(std::size(kPieces))]); break;
        case 2: text[at] = static_cast<char>(random()); break;
        case 3: text.insert(at, text.substr(below(text.size()), below(40))); break;
        case 4: text.resize(at); break;
      }
    }
    read(text);
    ++runs;
  }
}

TEST(Mutation, EveryPrefixIsReadOrRefused) {
  for (const char* seed : kSeeds) {
    const std::string text = seed;
    for (size_t n = 0; n < text.size(); ++n) read(text.substr(0, n));
  }
}

}  // namespace
}  // namespace weft
