// chlo.ragged_dot natively against its definition (the evaluator's sums over single elements), on integers held as floats, so that
// sums in any order are exact: group sizes that leave rows over, are zero, reach past the end or differ by row.
#include <random>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

Tensor integers(Shape shape, std::mt19937& random) {
  Tensor t(ElementType::kF32, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = static_cast<float>(random() % 9) - 4;
  return t;
}

std::string program(const std::string& lhs, const std::string& rhs, const std::string& sizes, const std::string& result,
                    const std::string& dims) {
  return "func.func @main(%a: " + lhs + ", %b: " + rhs + ", %s: " + sizes + ") -> " + result +
         " {\n  %0 = \"chlo.ragged_dot\"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<" + dims +
         ">} : (" + lhs + ", " + rhs + ", " + sizes + ") -> " + result + "\n  return %0 : " + result + "\n}";
}

TEST(NativeRaggedDot, RowsOfEachGroupMeetTheirMatrix) {
  std::mt19937 random(1);
  const std::string text =
      program("tensor<300x5xf32>", "tensor<4x5x6xf32>", "tensor<4xi32>", "tensor<300x6xf32>",
              "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
              "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]");
  for (const std::vector<int32_t>& sizes : std::vector<std::vector<int32_t>>{
           {75, 75, 75, 75}, {0, 300, 0, 0}, {1, 2, 3, 4}, {0, 0, 0, 0}, {299, 0, 0, 1}, {100, 150, 200, 7}}) {
    Tensor lhs = integers({300, 5}, random), rhs = integers({4, 5, 6}, random);
    const OnBoth r = on_both(text, {lhs, rhs, Tensor::of(sizes, {4})});
    expect_same_bits(r.native[0], r.eval[0], "sizes from " + std::to_string(sizes[0]));
  }
  // What stands in other groups' matrices, infinity included, does not matter.
  Tensor lhs = integers({300, 5}, random), rhs = integers({4, 5, 6}, random);
  for (int64_t i = 30; i < 60; ++i) rhs.mutable_data<float>()[i] = std::numeric_limits<float>::infinity();
  const OnBoth r = on_both(text, {lhs, rhs, Tensor::of<int32_t>({100, 0, 100, 100}, {4})});
  expect_same_bits(r.native[0], r.eval[0], "infinity in a group without rows");
}

TEST(NativeRaggedDot, TermsOfEachGroupHaveTheirSum) {
  std::mt19937 random(2);
  const std::string text =
      program("tensor<3x100xf32>", "tensor<100x2xf32>", "tensor<4xi64>", "tensor<4x3x2xf32>",
              "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
              "rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []");
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{25, 25, 25, 25}, {0, 100, 0, 0}, {1, 2, 3, 4}, {99, 0, 0, 50}}) {
    const OnBoth r = on_both(text, {integers({3, 100}, random), integers({100, 2}, random), Tensor::of(sizes, {4})});
    expect_same_bits(r.native[0], r.eval[0], "sizes from " + std::to_string(sizes[0]));
  }
}

TEST(NativeRaggedDot, SizesThatDifferByRow) {
  std::mt19937 random(3);
  const std::string free =
      program("tensor<2x7x3xf32>", "tensor<3x2x3x4xf32>", "tensor<2x3xi64>", "tensor<2x7x4xf32>",
              "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
              "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]");
  const Tensor sizes = Tensor::of<int64_t>({3, 0, 2, 1, 6, 5}, {2, 3});
  OnBoth r = on_both(free, {integers({2, 7, 3}, random), integers({3, 2, 3, 4}, random), sizes});
  expect_same_bits(r.native[0], r.eval[0], "free");
  const std::string contracting =
      program("tensor<2x3x7xf32>", "tensor<2x7x4xf32>", "tensor<2x3xi64>", "tensor<3x2x3x4xf32>",
              "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
              "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []");
  r = on_both(contracting, {integers({2, 3, 7}, random), integers({2, 7, 4}, random), sizes});
  expect_same_bits(r.native[0], r.eval[0], "contracting");
}

}  // namespace
}  // namespace weft::test
