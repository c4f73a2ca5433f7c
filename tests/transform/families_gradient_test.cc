// Derivatives of straight-line programs over tensors, family by family.
#include "derivative_check.h"

namespace weft::test {
namespace {

Tensor matrix(int64_t rows, int64_t columns, double seed) {
  std::vector<double> x;
  for (int64_t i = 0; i < rows * columns; ++i) x.push_back(seed = std::sin(13 * seed + 0.7));
  return tensor(std::move(x), {rows, columns});
}

TEST(FamilyGradient, DotTanhSum) {
  expect_derivatives(R"(
func.func @f(%x: tensor<2x3xf64>, %w: tensor<3x4xf64>, %b: tensor<4xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
  %2 = stablehlo.add %0, %1 : tensor<2x4xf64>
  %3 = stablehlo.tanh %2 : tensor<2x4xf64>
  %4 = stablehlo.multiply %3, %3 : tensor<2x4xf64>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf64>, tensor<f64>) -> tensor<f64>
  return %5 : tensor<f64>
})",
                     {matrix(2, 3, 0.1), matrix(3, 4, 0.2), vector({0.1, -0.4, 0.3, 0.2})});
}

TEST(FamilyGradient, Structure) {
  expect_derivatives(R"(
func.func @f(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>, %s: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %b = stablehlo.reshape %y : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<6x2xf64>
  %d = stablehlo.reverse %c, dims = [0] : tensor<6x2xf64>
  %e = stablehlo.slice %d [0:5:2, 0:2] : (tensor<6x2xf64>) -> tensor<3x2xf64>
  %g = stablehlo.pad %e, %s, low = [1, 0], high = [0, 1], interior = [1, 0] : (tensor<3x2xf64>, tensor<f64>) -> tensor<6x3xf64>
  %h = stablehlo.slice %c [1:4, 0:1] : (tensor<6x2xf64>) -> tensor<3x1xf64>
  %i = stablehlo.slice %c [2:5, 1:2] : (tensor<6x2xf64>) -> tensor<3x1xf64>
  %j = stablehlo.multiply %h, %i : tensor<3x1xf64>
  %k = stablehlo.sine %g : tensor<6x3xf64>
  %l = stablehlo.multiply %k, %g : tensor<6x3xf64>
  %m = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x3xf64>, tensor<f64>) -> tensor<f64>
  %n = stablehlo.reduce(%j init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x1xf64>, tensor<f64>) -> tensor<f64>
  %o = stablehlo.add %m, %n : tensor<f64>
  return %o : tensor<f64>
})",
                     {matrix(2, 3, 0.3), matrix(2, 3, 0.4), scalar(0.7)});
}

TEST(FamilyGradient, SelectMaximumAndIntegers) {
  expect_derivatives(R"(
func.func @f(%x: tensor<6xf64>, %y: tensor<6xf64>, %n: tensor<6xi64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %y : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
  %a = stablehlo.exponential %x : tensor<6xf64>
  %b = stablehlo.multiply %y, %y : tensor<6xf64>
  %c = stablehlo.select %p, %a, %b : tensor<6xi1>, tensor<6xf64>
  %d = stablehlo.maximum %c, %x : tensor<6xf64>
  %e = stablehlo.convert %n : (tensor<6xi64>) -> tensor<6xf64>
  %g = stablehlo.multiply %d, %e : tensor<6xf64>
  %h = stablehlo.floor %y : tensor<6xf64>
  %i = stablehlo.subtract %g, %h : tensor<6xf64>
  %j = stablehlo.multiply %i, %c : tensor<6xf64>
  %r = stablehlo.reduce(%j init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})",
                     {vector({0.3, -0.6, 1.2, 0.9, -1.4, 0.2}), vector({0.5, -0.8, 0.7, 1.3, -0.4, 0.6}),
                      Tensor::of<int64_t>({1, 2, 3, -1, 2, 0}, {6})});
}

TEST(FamilyGradient, DynamicSlices) {
  expect_derivatives(R"(
func.func @f(%x: tensor<5xf64>, %y: tensor<2xf64>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %a = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<5xf64>, tensor<2xf64>, tensor<i64>) -> tensor<5xf64>
  %b = stablehlo.dynamic_slice %a, %j, sizes = [3] : (tensor<5xf64>, tensor<i64>) -> tensor<3xf64>
  %c = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<5xf64>, tensor<i64>) -> tensor<3xf64>
  %d = stablehlo.dynamic_slice %x, %j, sizes = [3] : (tensor<5xf64>, tensor<i64>) -> tensor<3xf64>
  %e = stablehlo.multiply %b, %c : tensor<3xf64>
  %g = stablehlo.multiply %e, %d : tensor<3xf64>
  %r = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})",
                     {vector({0.3, -0.6, 1.2, 0.9, -1.4}), vector({0.5, -0.8}), integer(1), integer(9)});
}

TEST(FamilyGradient, TransposesOfReadsAddInPlace) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<1000xf64>, %i: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %a = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<1000xf64>, tensor<i64>) -> tensor<1xf64>
  %b = stablehlo.dynamic_slice %x, %zero, sizes = [1] : (tensor<1000xf64>, tensor<i64>) -> tensor<1xf64>
  %c = stablehlo.slice %x [7:8] : (tensor<1000xf64>) -> tensor<1xf64>
  %d = stablehlo.multiply %a, %b : tensor<1xf64>
  %e = stablehlo.multiply %d, %c : tensor<1xf64>
  %g = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>
  return %g : tensor<f64>
})",
                        "t");
  const size_t args[] = {0};
  const Function& g = gradient(*m, "f", args, "g");
  const Type whole = g.type(g.args()[0]);
  for (OpId op : g.ops(g.body())) {
    if (g.def(op).mnemonic == "stablehlo.add")
      EXPECT_NE(g.type(g.result(op)), whole) << "a dense sum of sparse cotangents";
  }
  std::vector<double> x(1000, 1);
  x[3] = 2, x[0] = 3, x[7] = 5;
  const auto out = run(*m, "g", {vector(x), integer(3)});
  for (size_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(out[0].data<double>()[k], k == 3 ? 15 : k == 0 ? 10 : k == 7 ? 6 : 0) << k;
  }
}

}  // namespace
}  // namespace weft::test
