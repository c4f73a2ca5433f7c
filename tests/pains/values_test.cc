// Rows whose complaint is a wrong value.
#include <cmath>
#include <limits>

#include "tests/pains/pains.h"

namespace weft::pains {
namespace {

constexpr float kLow = -std::numeric_limits<float>::infinity();

// P02: an attribute that the fast path for large inputs forgets.
TEST(Pains, P02_BaseDilationAtEverySize) {
  for (const auto [rows, columns] : {std::pair<int64_t, int64_t>{8, 8}, {64, 128}, {512, 1024}}) {
    const std::string in = std::to_string(rows) + "x" + std::to_string(columns);
    const int64_t wide = 2 * columns - 1;
    const std::string out = std::to_string(rows / 2) + "x" + std::to_string(wide);
    const auto f = compiled("func.func @main(%x: tensor<" + in + "xf32>) -> tensor<" + out + R"(xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<)" + in + "xf32>, tensor<f32>) -> tensor<" +
                            out + "xf32>\n  return %0 : tensor<" + out + "xf32>\n}\n");
    std::vector<float> x(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i) * 0.37f);
    const auto got = values<float>(f->run(std::vector{Tensor::of(x, {rows, columns})})[0]);
    size_t wrong = 0;
    for (int64_t r = 0; r < rows / 2; ++r) {
      for (int64_t c = 0; c < wide; ++c) {
        const auto at = [&](int64_t row) { return x[static_cast<size_t>(row * columns + c / 2)]; };
        const float expected = c % 2 == 1 ? kLow : std::max(at(2 * r), at(2 * r + 1));
        wrong += got[static_cast<size_t>(r * wide + c)] != expected ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0u) << in;
  }
}

// P04: folding and every pass keep the value.
TEST(Pains, P04_NanOfMinimumWithAndWithoutEachPass) {
  const std::string folded = R"(func.func @main() -> tensor<f32> {
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %nan = stablehlo.divide %zero, %zero : tensor<f32>
  %0 = stablehlo.minimum %three, %nan : tensor<f32>
  return %0 : tensor<f32>
})";
  const std::string computed = R"(func.func @main(%three: tensor<8xf32>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  %nan = stablehlo.divide %zero, %zero : tensor<8xf32>
  %0 = stablehlo.minimum %three, %nan : tensor<8xf32>
  return %0 : tensor<8xf32>
})";
  for (const char* pass : {"", "simplify", "fuse", "in_place", "loops"}) {
    CompileOptions options;
    if (*pass != 0) options.disabled = {pass};
    EXPECT_TRUE(std::isnan(compiled(folded, options)->run({})[0].scalar<float>())) << pass;
    const std::vector<Tensor> args = {Tensor::of(std::vector<float>(8, 3.0f), {8}),
                                      Tensor::of(std::vector<float>(8), {8})};
    for (float v : values<float>(compiled(computed, options)->run(args)[0])) EXPECT_TRUE(std::isnan(v)) << pass;
  }
}

// P27: extents of one and of zero.
TEST(Pains, P27_ArgsortOfThinAndEmptyArrays) {
  for (const auto& [shape, dimension, count] :
       {std::tuple<std::string, int, size_t>{"3x1", 1, 3}, {"0x4", 1, 0}, {"4x0", 0, 0}}) {
    const std::string t = "tensor<" + shape + "xf32>", i = "tensor<" + shape + "xi32>";
    const auto f = compiled("func.func @main(%x: " + t + ") -> " + i +
                            " {\n  %k = stablehlo.iota dim = " + std::to_string(dimension) + " : " + i +
                            "\n  %0:2 = \"stablehlo.sort\"(%x, %k) <{dimension = " + std::to_string(dimension) +
                            R"( : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : ()" + t + ", " + i + ") -> (" +
                            t + ", " + i + ")\n  return %0#1 : " + i + "\n}\n");
    const Shape extents = shape == "3x1" ? Shape{3, 1} : shape == "0x4" ? Shape{0, 4} : Shape{4, 0};
    const auto got = values<int32_t>(f->run(std::vector{Tensor::of(std::vector<float>(count, 1.5f), extents)})[0]);
    EXPECT_EQ(got, std::vector<int32_t>(count, 0)) << shape;
  }
}

// Smaller items: integer corners, conversions out of range, order of NaN and zeros in a sort, clamped slices.
TEST(Pains, IntegerCornersAndConversions) {
  const auto f = compiled(
      R"(func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %x: tensor<3xf64>) -> (tensor<4xi32>, tensor<4xi32>, tensor<3xi32>) {
  %0 = stablehlo.remainder %a, %b : tensor<4xi32>
  %1 = stablehlo.divide %a, %b : tensor<4xi32>
  %2 = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<3xi32>
})");
  const auto out = f->run(std::vector{Tensor::of<int32_t>({-7, 7, 1, 0}, {4}), Tensor::of<int32_t>({3, -3, 0, 0}, {4}),
                                      Tensor::of<double>({3e10, -3e10, std::nan("")}, {3})});
  EXPECT_EQ(values<int32_t>(out[0]), (std::vector<int32_t>{-1, 1, 1, 0}));
  EXPECT_EQ(values<int32_t>(out[1]), (std::vector<int32_t>{-2, -2, -1, -1}));
  EXPECT_EQ(values<int32_t>(out[2]),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min(), 0}));
}

}  // namespace
}  // namespace weft::pains
