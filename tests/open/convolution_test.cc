// Convolutions with open extents as generated kernels, without a library.
#include "tests/open/open_check.h"

namespace weft {
namespace {

void check_generated(const std::string& text, const std::vector<std::vector<Shape>>& shapes, double tolerance = 1e-5) {
  CompileOptions options;
  options.no_libraries = true;
  const auto executable = native_target().compile(parse_module(text, "open"), "main", options);
  EXPECT_EQ(executable->explain().find("compiled for each set"), std::string::npos) << executable->explain();
  check_open(text, shapes, tolerance, options);
}

/// A convolution of one spatial dimension, channels last.
std::string one_dimensional(const std::string& x, const std::string& k, const std::string& y, const std::string& window,
                            const std::string& groups) {
  return "func.func @main(%x: " + x + ", %k: " + k + ") -> " + y +
         " {\n  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" + window +
         "} {" + groups + "} : (" + x + ", " + k + ") -> " + y + "\n  return %y : " + y + "\n}";
}

TEST(OpenConvolution, ImagesAreRows) {
  check_generated(
      one_dimensional("tensor<?x9x3xf32>", "tensor<3x3x20xf32>", "tensor<?x5x20xf32>", "stride = [2], pad = [[1, 1]]",
                      "batch_group_count = 1 : i64, feature_group_count = 1 : i64"),
      {{{1, 9, 3}, {3, 3, 20}}, {{0, 9, 3}, {3, 3, 20}}, {{17, 9, 3}, {3, 3, 20}}});
}

TEST(OpenConvolution, LengthsAreOpen) {
  check_generated(
      one_dimensional("tensor<?x?x3xf32>", "tensor<3x3x20xf32>", "tensor<?x?x20xf32>",
                      "stride = [2], pad = [[1, 2]], rhs_dilate = [2]",
                      "batch_group_count = 1 : i64, feature_group_count = 1 : i64"),
      {{{1, 9, 3}, {3, 3, 20}}, {{2, 2, 3}, {3, 3, 20}}, {{3, 40, 3}, {3, 3, 20}}, {{0, 8, 3}, {3, 3, 20}}});
}

// Behind an image without elements lies a guard page, which windows in the padding must not read.
TEST(OpenConvolution, ImagesWithoutElementsArePadding) {
  CompileOptions options;
  options.guard_pages = options.no_libraries = true;
  check_open(R"(
func.func @main(%u: tensor<1x?x8192xf32>, %k: tensor<2x8192x1xf32>) -> tensor<1x?x1xf32> {
  %x = "stablehlo.sort"(%u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<1x?x8192xf32>) -> tensor<1x?x8192xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x8192xf32>, tensor<2x8192x1xf32>) -> tensor<1x?x1xf32>
  return %y : tensor<1x?x1xf32>
})",
             {{{1, 0, 8192}, {2, 8192, 1}}, {{1, 3, 8192}, {2, 8192, 1}}}, 1e-3, options);
}

TEST(OpenConvolution, GroupsOfFeatures) {
  check_generated(one_dimensional("tensor<?x?x6xf64>", "tensor<2x2x9xf64>", "tensor<?x?x9xf64>",
                                  "stride = [1], pad = [[0, 0]], reverse = [1]",
                                  "batch_group_count = 1 : i64, feature_group_count = 3 : i64"),
                  {{{1, 5, 6}, {2, 2, 9}}, {{4, 2, 6}, {2, 2, 9}}});
}

TEST(OpenConvolution, DilatedImages) {
  check_generated(one_dimensional("tensor<?x?x2xf32>", "tensor<4x2x5xf32>", "tensor<?x?x5xf32>",
                                  "stride = [1], pad = [[2, 1]], lhs_dilate = [3]",
                                  "batch_group_count = 1 : i64, feature_group_count = 1 : i64"),
                  {{{1, 5, 2}, {4, 2, 5}}, {{3, 1, 2}, {4, 2, 5}}, {{2, 12, 2}, {4, 2, 5}}});
}

TEST(OpenConvolution, WindowsAreOpen) {
  // The gradient of weights: batch and features have changed places.
  check_generated(R"(
func.func @main(%x: tensor<?x8x3xf32>, %g: tensor<?x6x4xf32>) -> tensor<3x3x4xf32> {
  %y = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, b]x[i, 0, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x8x3xf32>, tensor<?x6x4xf32>) -> tensor<3x3x4xf32>
  return %y : tensor<3x3x4xf32>
})",
                  {{{1, 8, 3}, {1, 6, 4}}, {{5, 8, 3}, {5, 6, 4}}, {{0, 8, 3}, {0, 6, 4}}});
}

TEST(OpenConvolution, Integers) {
  check_generated(one_dimensional("tensor<?x?x2xi32>", "tensor<3x2x3xi32>", "tensor<?x?x3xi32>", "pad = [[1, 1]]",
                                  "batch_group_count = 1 : i64, feature_group_count = 1 : i64"),
                  {{{2, 5, 2}, {3, 2, 3}}});
}

}  // namespace
}  // namespace weft
