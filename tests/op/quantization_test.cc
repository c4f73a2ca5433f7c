// Quantized types: values by hand from the formulas of the specification, (x - zero_point) * scale and back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "eval/evaluator.h"
#include "ops/quantized/quantization.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/gradient.h"
#include "transform/refine_shapes.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

std::vector<Tensor> run(const std::string& text, std::vector<Tensor> args = {}) {
  const auto module = parse_module(text, "test");
  verify(*module);
  std::vector<Tensor> out = evaluate(*module, "main", args);
  // Simplification leaves the values alone.
  simplify(*module);
  verify(*module);
  const std::vector<Tensor> again = evaluate(*module, "main", args);
  EXPECT_EQ(out.size(), again.size());
  for (size_t i = 0; i < out.size() && i < again.size(); ++i)
    EXPECT_EQ(std::memcmp(out[i].raw(), again[i].raw(), out[i].size_bytes()), 0) << "simplified";
  return out;
}

/// func @main(%x: FROM) -> TO { OP %x }, with %x, %y, %z for several operands.
std::vector<Tensor> run_op(const std::string& op, const std::vector<std::string>& from, const std::string& to,
                           std::vector<Tensor> args) {
  static const char* const kNames[] = {"%x", "%y", "%z"};
  std::string declared, operands, types;
  for (size_t i = 0; i < from.size(); ++i) {
    const std::string comma = i ? ", " : "";
    declared += comma + kNames[i] + ": " + from[i];
    operands += comma + kNames[i];
    types += comma + from[i];
  }
  const size_t brace = op.find('{');
  const std::string name = op.substr(0, op.find(' ')), attrs = brace == std::string::npos ? "" : op.substr(brace);
  return run("func.func @main(" + declared + ") -> " + to + " {\n  %r = \"stablehlo." + name + "\"(" + operands + ") " +
                 attrs + " : (" + types + ") -> " + to + "\n  return %r : " + to + "\n}\n",
             std::move(args));
}

template <class T>
std::vector<T> values(const Tensor& t) {
  const auto d = t.data<T>();
  return {d.begin(), d.end()};
}
using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using F32 = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(Quantize, RoundsToEvenAndSaturates) {
  const Tensor x = Tensor::of<float>({-100, -1.25f, -0.25f, 0.25f, 0.75f, 62, 70, kInf, -kInf, kNan}, {10});
  const auto out = run_op("uniform_quantize", {"tensor<10xf32>"}, "tensor<10x!quant.uniform<i8:f32, 0.5:3>>", {x});
  // -197, 0.5, 2.5, 3.5, 4.5, 127, 143, …
  EXPECT_EQ(values<int8_t>(out[0]), (I8{-128, 0, 2, 4, 4, 127, 127, 127, -128, 0}));
}

TEST(Quantize, KeepsToTheStorageRange) {
  const Tensor x = Tensor::of<float>({-5, 3, 254.5f, 300, kNan}, {5});
  const std::string from = "tensor<5xf32>";
  EXPECT_EQ(values<uint8_t>(run_op("uniform_quantize", {from}, "tensor<5x!quant.uniform<u8:f32, 1.0>>", {x})[0]),
            (U8{0, 3, 254, 255, 0}));
  EXPECT_EQ(
      values<uint8_t>(run_op("uniform_quantize", {from}, "tensor<5x!quant.uniform<u8<10:20>:f32, 1.0:12>>", {x})[0]),
      (U8{10, 15, 20, 20, 10}));
  EXPECT_EQ(
      values<int8_t>(run_op("uniform_quantize", {from}, "tensor<5x!quant.uniform<i8<-127:127>:f32, 0.01>>", {x})[0]),
      (I8{-127, 127, 127, 127, 0}));
  // 4 bits: -2.5 - 1 = -3.5, 1.5 - 1 = 0.5, then far beyond.
  const auto four = run_op("uniform_quantize", {from}, "tensor<5x!quant.uniform<i4:f32, 2.0:-1>>", {x});
  const auto* bytes = static_cast<const int8_t*>(four[0].raw());
  EXPECT_EQ(I8(bytes, bytes + 5), (I8{-4, 0, 7, 7, 0}));
}

TEST(Quantize, TheLargestIntegersAreNoFloats) {
  const Tensor x = Tensor::of<float>({3e9f, -3e9f, 16777216}, {3});
  const auto out = run_op("uniform_quantize", {"tensor<3xf32>"}, "tensor<3x!quant.uniform<i32:f32, 1.0>>", {x});
  EXPECT_EQ(values<int32_t>(out[0]), (std::vector<int32_t>{2147483647, -2147483647 - 1, 16777216}));
}

TEST(Quantize, EachStepRoundsToTheExpressedType) {
  // bf16 has steps of 2 between 256 and 512: 300 + 3 is a tie, and goes to 304.
  const auto out =
      run("func.func @main() -> tensor<1x!quant.uniform<i16:bf16, 1.0:3>> {\n"
          "  %x = stablehlo.constant dense<300.0> : tensor<1xbf16>\n"
          "  %r = stablehlo.uniform_quantize %x : (tensor<1xbf16>) -> tensor<1x!quant.uniform<i16:bf16, 1.0:3>>\n"
          "  return %r : tensor<1x!quant.uniform<i16:bf16, 1.0:3>>\n}\n");
  EXPECT_EQ(values<int16_t>(out[0]), (std::vector<int16_t>{304}));
}

TEST(Quantize, PerAxis) {
  const std::string t = "tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0:-3}>>";
  const Tensor x = Tensor::of<float>({1, 1, -2, 5}, {2, 2});
  EXPECT_EQ(values<int8_t>(run_op("uniform_quantize", {"tensor<2x2xf32>"}, t, {x})[0]), (I8{3, -2, -3, 0}));
  const Tensor q = Tensor::of<int8_t>({3, -2, -3, 0}, {2, 2});
  EXPECT_EQ(values<float>(run_op("uniform_dequantize", {t}, "tensor<2x2xf32>", {q})[0]), (F32{1, 2, -2, 6}));
}

TEST(Quantize, Requantizes) {
  // The example of the specification.
  const auto out = run_op("uniform_quantize", {"tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>"},
                          "tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>", {Tensor::of<int8_t>({10, 10}, {2})});
  EXPECT_EQ(values<int8_t>(out[0]), (I8{20, 45}));
}

TEST(Dequantize, TheDifferenceDoesNotWrap) {
  const auto out = run_op("uniform_dequantize", {"tensor<2x!quant.uniform<i8:f32, 0.5:-128>>"}, "tensor<2xf32>",
                          {Tensor::of<int8_t>({127, -128}, {2})});
  EXPECT_EQ(values<float>(out[0]), (F32{127.5f, 0}));
}

const std::string kA = "tensor<4x!quant.uniform<i8:f32, 0.5:1>>", kB = "tensor<4x!quant.uniform<i8:f32, 0.25:-2>>",
                  kC = "tensor<4x!quant.uniform<i8:f32, 1.0:10>>";
// As numbers: 0, 1, -2, 63 and 0, 0.5, 1, 32.25.
Tensor a() { return Tensor::of<int8_t>({1, 3, -3, 127}, {4}); }
Tensor b() { return Tensor::of<int8_t>({-2, 0, 2, 127}, {4}); }

TEST(Compute, Elementwise) {
  // 0, 1.5, -1, 95.25 and zero point 10; ties to even.
  EXPECT_EQ(values<int8_t>(run_op("add", {kA, kB}, kC, {a(), b()})[0]), (I8{10, 12, 9, 105}));
  EXPECT_EQ(values<int8_t>(run_op("subtract", {kA, kB}, kC, {a(), b()})[0]), (I8{10, 10, 7, 41}));
  EXPECT_EQ(values<int8_t>(run_op("multiply", {kA, kB}, kC, {a(), b()})[0]), (I8{10, 10, 8, 127}));
  EXPECT_EQ(values<int8_t>(run_op("maximum", {kA, kB}, kC, {a(), b()})[0]), (I8{10, 11, 11, 73}));
  EXPECT_EQ(values<int8_t>(run_op("negate", {kA}, kC, {a()})[0]), (I8{10, 9, 12, -53}));
  EXPECT_EQ(values<int8_t>(run_op("abs", {kA}, kC, {a()})[0]), (I8{10, 11, 12, 73}));
  // 0 / 0 is NaN, whose integer is 0.
  EXPECT_EQ(values<int8_t>(run_op("divide", {kB, kA}, kC, {b(), a()})[0]), (I8{0, 10, 10, 11}));
}

TEST(Compute, AddPerAxis) {
  const std::string x = "tensor<2x2x!quant.uniform<i8:f32:0, {0.5:0, 2.0:1}>>",
                    y = "tensor<2x2x!quant.uniform<i8:f32, 1.0:-1>>",
                    r = "tensor<2x2x!quant.uniform<i8:f32:0, {1.0:0, 4.0:2}>>";
  // 1, 2, 2, 4 plus 1, 2, 3, 4 is 2, 4, 5, 8.
  const auto out =
      run_op("add", {x, y}, r, {Tensor::of<int8_t>({2, 4, 2, 3}, {2, 2}), Tensor::of<int8_t>({0, 1, 2, 3}, {2, 2})});
  EXPECT_EQ(values<int8_t>(out[0]), (I8{2, 4, 3, 4}));
}

TEST(Compute, ComparesAndSelectsWhatIsMeant) {
  // The stored integers would order otherwise.
  const auto less = run_op("compare {comparison_direction = #stablehlo<comparison_direction LT>}", {kA, kB},
                           "tensor<4xi1>", {a(), b()});
  EXPECT_EQ(std::vector<int>(less[0].data<bool>().begin(), less[0].data<bool>().end()), (std::vector<int>{0, 0, 1, 0}));
  const auto equal = run_op("compare {comparison_direction = #stablehlo<comparison_direction EQ>}", {kA, kB},
                            "tensor<4xi1>", {a(), b()});
  EXPECT_EQ(std::vector<int>(equal[0].data<bool>().begin(), equal[0].data<bool>().end()),
            (std::vector<int>{1, 0, 0, 0}));
  bool pred[] = {true, false, true, false};
  Tensor p(ElementType::kI1, {4});
  std::copy_n(pred, 4, p.mutable_data<bool>());
  EXPECT_EQ(values<int8_t>(run_op("select", {"tensor<4xi1>", kA, kB}, kC, {p, a(), b()})[0]), (I8{10, 10, 8, 42}));
  // Between -2 and 0.5 … as min, operand, max.
  EXPECT_EQ(values<int8_t>(run_op("clamp", {kA, kA, kB}, kC, {Tensor::of<int8_t>({-3, -3, -3, -3}, {4}), a(), b()})[0]),
            (I8{10, 10, 8, 42}));
}

TEST(Compute, Iota) {
  const auto out =
      run("func.func @main() -> tensor<3x!quant.uniform<i8:f32, 0.5:1>> {\n"
          "  %r = stablehlo.iota dim = 0 : tensor<3x!quant.uniform<i8:f32, 0.5:1>>\n"
          "  return %r : tensor<3x!quant.uniform<i8:f32, 0.5:1>>\n}\n");
  EXPECT_EQ(values<int8_t>(out[0]), (I8{1, 3, 5}));
}

TEST(Contraction, DotGeneral) {
  const std::string dims =
      "dot_general {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0]>}";
  const std::string lhs = "tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>";
  const Tensor x = Tensor::of<int8_t>({3, 5, 1, -1}, {2, 2});  // 1 2 / 0 -1
  const Tensor y = Tensor::of<int8_t>({4, 8, 2, -4}, {2, 2});
  // rhs 1 2 / 0.5 -1, product 2 0 / -0.5 1
  EXPECT_EQ(values<int8_t>(run_op(dims, {lhs, "tensor<2x2x!quant.uniform<i8:f32, 0.25>>"},
                                  "tensor<2x2x!quant.uniform<i8:f32, 0.5:10>>", {x, y})[0]),
            (I8{14, 10, 9, 12}));
  // rhs 1 4 / 0.5 -2, product 2 0 / -0.5 2
  const std::string per_axis = "tensor<2x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>";
  EXPECT_EQ(
      values<int8_t>(run_op(dims, {lhs, per_axis}, "tensor<2x2x!quant.uniform<i8:f32:1, {0.5:10, 1.0}>>", {x, y})[0]),
      (I8{14, 0, 9, 2}));
  EXPECT_EQ(values<float>(run_op(dims, {"tensor<2x2xf32>", per_axis}, "tensor<2x2xf32>",
                                 {Tensor::of<float>({1, 2, 0, -1}, {2, 2}), y})[0]),
            (F32{2, 0, -0.5f, 2}));
}

TEST(Contraction, ConvolutionPadsWithZeroAndNotWithStoredZero) {
  const auto out = run_op(
      "convolution {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, padding = dense<[[1, 0]]> : "
      "tensor<1x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}",
      {"tensor<1x3x1x!quant.uniform<i8:f32, 0.5:2>>", "tensor<2x1x1x!quant.uniform<i8:f32, 1.0:1>>"},
      "tensor<1x3x1x!quant.uniform<i8:f32, 0.5:-1>>",
      {Tensor::of<int8_t>({4, 6, 0}, {1, 3, 1}), Tensor::of<int8_t>({2, 3}, {2, 1, 1})});
  // 0 1 2 -1 with 1 2: 2, 5, 0
  EXPECT_EQ(values<int8_t>(out[0]), (I8{3, 9, -1}));
}

std::string reduce_program(const std::string& from, const std::string& element, const std::string& body_element) {
  const std::string init = "tensor<" + element + ">", inner = "tensor<" + body_element + ">";
  return "func.func @main(%x: " + from + ", %i: " + init + ") -> " + inner +
         " {\n  %r = \"stablehlo.reduce\"(%x, %i) ({\n" + "  ^bb0(%p: " + inner + ", %q: " + inner +
         "):\n    %s = stablehlo.add %p, %q : " + inner + "\n    stablehlo.return %s : " + inner +
         "\n  }) {dimensions = array<i64: 0>} : (" + from + ", " + init + ") -> " + inner + "\n  return %r : " + inner +
         "\n}\n";
}

TEST(Body, ReduceAddsWhatIsMeant) {
  const std::string e = "!quant.uniform<i8:f32, 1.0:10>";
  // 2 + 3; and 100 + 100, which saturates.
  EXPECT_EQ(values<int8_t>(run(reduce_program("tensor<2x" + e + ">", e, e),
                               {Tensor::of<int8_t>({12, 13}, {2}), Tensor::of<int8_t>({10}, {})})[0]),
            (I8{15}));
  EXPECT_EQ(values<int8_t>(run(reduce_program("tensor<2x" + e + ">", e, e),
                               {Tensor::of<int8_t>({110, 110}, {2}), Tensor::of<int8_t>({10}, {})})[0]),
            (I8{127}));
  // In a body of 16 bits 200 fits: 200 / 0.5 + 5.
  EXPECT_EQ(values<int16_t>(run(reduce_program("tensor<2x" + e + ">", e, "!quant.uniform<i16:f32, 0.5:5>"),
                                {Tensor::of<int8_t>({110, 110}, {2}), Tensor::of<int8_t>({10}, {})})[0]),
            (std::vector<int16_t>{405}));
}

TEST(Body, ReduceWindowSortMapSelectAndScatter) {
  const auto out =
      run(R"(
!q = !quant.uniform<i8:f32, 1.0:10>
func.func @main(%x: tensor<4x!q>, %i: tensor<!q>, %s: tensor<2x!q>) -> (tensor<2x!q>, tensor<4x!q>, tensor<4x!q>, tensor<4x!q>) {
  %w = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%p: tensor<!q>, %q: tensor<!q>):
    %a = stablehlo.add %p, %q : tensor<!q>
    stablehlo.return %a : tensor<!q>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!q>, tensor<!q>) -> tensor<2x!q>
  %o = "stablehlo.sort"(%x) ({
  ^bb0(%p: tensor<!q>, %q: tensor<!q>):
    %a = stablehlo.compare GT, %p, %q : (tensor<!q>, tensor<!q>) -> tensor<i1>
    stablehlo.return %a : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4x!q>) -> tensor<4x!q>
  %m = "stablehlo.map"(%x) ({
  ^bb0(%p: tensor<!q>):
    %a = stablehlo.negate %p : tensor<!q>
    stablehlo.return %a : tensor<!q>
  }) {dimensions = array<i64: 0>} : (tensor<4x!q>) -> tensor<4x!q>
  %t = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%p: tensor<!q>, %q: tensor<!q>):
    %a = stablehlo.compare GE, %p, %q : (tensor<!q>, tensor<!q>) -> tensor<i1>
    stablehlo.return %a : tensor<i1>
  }, {
  ^bb0(%p: tensor<!q>, %q: tensor<!q>):
    %a = stablehlo.add %p, %q : tensor<!q>
    stablehlo.return %a : tensor<!q>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!q>, tensor<2x!q>, tensor<!q>) -> tensor<4x!q>
  return %w, %o, %m, %t : tensor<2x!q>, tensor<4x!q>, tensor<4x!q>, tensor<4x!q>
}
)",
          {Tensor::of<int8_t>({12, 13, 15, 8}, {4}), Tensor::of<int8_t>({10}, {}), Tensor::of<int8_t>({11, 16}, {2})});
  EXPECT_EQ(values<int8_t>(out[0]), (I8{15, 13}));  // 2 + 3, 5 - 2
  EXPECT_EQ(values<int8_t>(out[1]), (I8{15, 13, 12, 8}));
  EXPECT_EQ(values<int8_t>(out[2]), (I8{8, 7, 5, 12}));
  EXPECT_EQ(values<int8_t>(out[3]), (I8{10, 11, 16, 10}));  // 1 at the larger of 2, 3; 6 at the larger of 5, -2
}

TEST(Move, KeepsStoredIntegers) {
  const std::string q = "tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0:-3}>>";
  const Tensor x = Tensor::of<int8_t>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(values<int8_t>(run_op("transpose {permutation = array<i64: 1, 0>}", {q},
                                  "tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0:-3}>>", {x})[0]),
            (I8{1, 3, 2, 4}));
  EXPECT_EQ(values<int8_t>(run_op("reshape", {q}, "tensor<1x2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0:-3}>>", {x})[0]),
            (I8{1, 2, 3, 4}));
  EXPECT_EQ(
      values<int8_t>(run_op("broadcast_in_dim {broadcast_dimensions = array<i64: 0>}",
                            {"tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>"},
                            "tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.5:1}>>", {Tensor::of<int8_t>({7}, {1})})[0]),
      (I8{7, 7}));
  EXPECT_EQ(values<int8_t>(run_op("concatenate {dimension = 0 : i64}", {kA, kA},
                                  "tensor<8x!quant.uniform<i8:f32, 0.5:1>>", {a(), b()})[0]),
            (I8{1, 3, -3, 127, -2, 0, 2, 127}));
  EXPECT_EQ(values<int8_t>(run_op("bitcast_convert", {"tensor<i32>"}, kA, {Tensor::of<int32_t>({0x04030201}, {})})[0]),
            (I8{1, 2, 3, 4}));
}

TEST(Move, DynamicShapes) {
  const auto out = run_op("dynamic_reshape", {kA, "tensor<2xi64>"}, "tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>",
                          {a(), Tensor::of<int64_t>({2, 2}, {2})});
  EXPECT_EQ(out[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(values<int8_t>(out[0]), (I8{1, 3, -3, 127}));
}

TEST(Constant, OfStoredIntegers) {
  const std::string text =
      "func.func @main() -> tensor<2xf32> {\n"
      "  %c = \"stablehlo.constant\"() <{value = dense<[1, 5]> : tensor<2xi8>}> : () -> "
      "tensor<2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "  %r = stablehlo.uniform_dequantize %c : (tensor<2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2xf32>\n"
      "  return %r : tensor<2xf32>\n}\n";
  EXPECT_EQ(values<float>(run(text)[0]), (F32{-4, 4}));
  for (const bool generic : {false, true}) {
    const std::string printed = print_module(*parse_module(text, "test"), {.generic = generic});
    EXPECT_EQ(print_module(*parse_module(printed, "printed"), {.generic = generic}), printed);
    EXPECT_EQ(values<float>(run(printed)[0]), (F32{-4, 4}));
  }
}

TEST(Types, StoredIntegersAreNoPlainIntegers) {
  const auto refuses = [](const std::string& op, const std::vector<std::string>& from, const std::string& to) {
    try {
      std::vector<Tensor> none;
      run_op(op, from, to, none);
    } catch (const UserError& error) { return std::string(error.what()); }
    return std::string("accepted");
  };
  EXPECT_NE(refuses("add", {kA, "tensor<4xi8>"}, kA).find("(add_c2)"), std::string::npos);
  EXPECT_NE(refuses("multiply", {kA, "tensor<4xi8>"}, kA).find("(multiply_c1)"), std::string::npos);
  EXPECT_NE(refuses("abs", {kA}, "tensor<4xi8>"), "accepted");
  EXPECT_NE(refuses("reverse {dimensions = array<i64: 0>}", {kA}, "tensor<4xi8>"), "accepted");
  EXPECT_NE(refuses("convert", {kA}, "tensor<4xi8>").find("(convert_i1)"), std::string::npos);
  EXPECT_NE(refuses("optimization_barrier", {kA}, "tensor<4xi8>"), "accepted");
  EXPECT_NE(refuses("reverse {dimensions = array<i64: 0>}", {kA}, kB).find("(reverse_c1)"), std::string::npos);
}

/// The types of a sample's operands with f32 replaced: by quantized types, or (to move) by plain integers.
std::vector<Type> operand_types(const Sample& sample, bool plain) {
  Quantization q;
  q.storage_min = -128;
  q.storage_max = 127;
  q.scales = {0.03125};
  q.zero_points = {-5};
  std::vector<Type> out;
  for (const SampleOperand& o : sample.operands) {
    const bool is_f32 = o.type.element_type() == ElementType::kF32;
    out.push_back(!is_f32 ? o.type
                  : plain ? o.type.with_element(ElementType::kI8)
                          : Type::quantized(ElementType::kI8, q, o.type.shape()));
  }
  return out;
}

bool takes_f32_only(const Sample& sample) {
  bool any = false;
  for (const SampleOperand& o : sample.operands) {
    if (!o.type.is_tensor() || !o.type.is_static()) return false;
    if (is_float(o.type.element_type()) && o.type.element_type() != ElementType::kF32) return false;
    any = any || o.type.element_type() == ElementType::kF32;
  }
  return any;
}

/// Integers that fill the bytes of the types' elements; those of others than quantized ones stay small, as indices do.
std::vector<Tensor> stored(std::span<const Type> types, std::span<const Type> quantized) {
  std::mt19937 random(7);
  std::vector<Tensor> out;
  for (size_t i = 0; i < types.size(); ++i) {
    Tensor t = Tensor::zeros(types[i].element_type(), Shape(types[i].shape().begin(), types[i].shape().end()));
    auto* bytes = static_cast<uint8_t*>(t.raw());
    for (size_t k = 0; k < t.size_bytes() && quantized[i].is_quantized(); ++k)
      bytes[k] = static_cast<uint8_t>(random());
    out.push_back(std::move(t));
  }
  return out;
}

using Values = std::vector<Value>;
std::unique_ptr<Module> program(std::span<const Type> types,
                                const std::function<Values(OpBuilder&, const Values&)>& emit) {
  auto module = std::make_unique<Module>();
  Function& f = module->add(std::make_unique<Function>("main"));
  Values values;
  for (Type t : types) values.push_back(f.add_arg(f.body(), t));
  OpBuilder b(f, f.body(), module.get());
  b.yield(emit(b, values));
  verify(*module);
  return module;
}

TEST(Records, ComputeIsDequantizeOpQuantizeAndMovementKeepsStorage) {
  std::set<std::string_view> computed, moved;
  for (const OpRecord* op : all_ops()) {
    const QuantizedUse use = quantized_use(*op);
    const bool computes =
        use == QuantizedUse::kCompute || use == QuantizedUse::kAdd || use == QuantizedUse::kContraction;
    const bool moves = use == QuantizedUse::kMove || use == QuantizedUse::kRearrange;
    if (op->samples.refused() || (!computes && !moves)) continue;
    for (const Sample& sample : (*op->samples.rule())()) {
      if (!takes_f32_only(sample)) continue;
      SCOPED_TRACE(std::string(op->mnemonic) + " " + sample.label);
      const std::vector<Type> types = operand_types(sample, false), plain = operand_types(sample, true);
      std::vector<Type> result_types;
      std::unique_ptr<Module> quantized, other;
      try {
        quantized = program(types, [&](OpBuilder& b, const Values& x) { return sample.emit(b, x); });
        result_types = quantized->get("main").result_types();
        if (computes) {
          other = program(types, [&](OpBuilder& b, const Values& x) {
            Values numbers;
            for (Value v : x) {
              const Type t = b.type(v);
              numbers.push_back(t.is_quantized() ? b.make("stablehlo.uniform_dequantize", {v}, {}, expressed_type(t))
                                                 : v);
            }
            Values out = sample.emit(b, numbers);
            for (size_t i = 0; i < out.size(); ++i) {
              if (result_types[i].is_quantized())
                out[i] = b.make("stablehlo.uniform_quantize", {out[i]}, {}, result_types[i]);
            }
            return out;
          });
        } else {
          other = program(plain, [&](OpBuilder& b, const Values& x) { return sample.emit(b, x); });
        }
      } catch (const UserError&) {
        continue;  // the sample's own constants, or result types, are of plain floats
      }
      const std::vector<Tensor> args = stored(types, types);
      const std::vector<Tensor> got = evaluate(*quantized, "main", args), expected = evaluate(*other, "main", args);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].shape(), expected[i].shape());
        EXPECT_EQ(std::memcmp(got[i].raw(), expected[i].raw(), got[i].size_bytes()), 0);
      }
      (computes ? computed : moved).insert(op->mnemonic);
    }
  }
  EXPECT_GE(computed.size(), 35u);
  EXPECT_GT(moved.size(), 6u);
}

TEST(Transforms, LanesAndDerivativesAreRefused) {
  const auto module = parse_module(
      "func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32> {\n"
      "  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, "
      "tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2xf32>\n"
      "  return %r : tensor<2x2xf32>\n}\n",
      "test");
  const auto refusal = [&](const std::function<void()>& transform) {
    try {
      transform();
    } catch (const Unsupported& error) { return std::string(error.what()); }
    return std::string("done");
  };
  const size_t first[] = {0};
  const std::string derivative = refusal([&] { jvp(*module, "main", first, "derivative"); });
  EXPECT_NE(derivative.find("[stablehlo.dot_general] derivative: not with quantized"), std::string::npos) << derivative;
  const std::vector<int64_t> axes = {kUniform, 0};
  const std::string lanes = refusal([&] { vectorize(*module, "main", axes, 3); });
  EXPECT_NE(lanes.find("[stablehlo.dot_general] lanes: not with quantized"), std::string::npos) << lanes;
}

TEST(Transforms, ShapesAreRefinedFromStoredIntegers) {
  const auto module = parse_module(
      "func.func @main(%x: tensor<?x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<?xf32> {\n"
      "  %s = stablehlo.add %x, %x : tensor<?x!quant.uniform<i8:f32, 0.5:1>>\n"
      "  %r = stablehlo.uniform_dequantize %s : (tensor<?x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<?xf32>\n"
      "  return %r : tensor<?xf32>\n}\n",
      "test");
  const Type given[] = {Type::tensor(ElementType::kI8, {2})};
  refine_shapes(*module, "main", given);
  verify(*module);
  const std::vector<Tensor> args = {Tensor::of<int8_t>({3, 0}, {2})};
  EXPECT_EQ(values<float>(evaluate(*module, "main", args)[0]), (F32{2, -1}));
}

}  // namespace
}  // namespace weft::test
