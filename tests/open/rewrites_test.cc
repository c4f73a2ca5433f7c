// What the native target rewrites before it schedules (quantized types, random numbers, matrix ops) with open extents.
#include "tests/open/open_check.h"

namespace weft {
namespace {

TEST(OpenRewrites, QuantizedArithmeticOfAnOpenBatch) {
  check_open(
      R"(
func.func @main(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>, %w: tensor<6x3xf32>) -> (tensor<?x6xf32>, tensor<?x3xf32>) {
  %a = stablehlo.uniform_quantize %x : (tensor<?x6xf32>) -> tensor<?x6x!quant.uniform<i8:f32, 0.0625:3>>
  %b = stablehlo.uniform_quantize %y : (tensor<?x6xf32>) -> tensor<?x6x!quant.uniform<i8:f32, 0.03125:-1>>
  %v = stablehlo.uniform_quantize %w : (tensor<6x3xf32>) -> tensor<6x3x!quant.uniform<i8:f32, 0.03125:0>>
  %s = stablehlo.add %a, %b : (tensor<?x6x!quant.uniform<i8:f32, 0.0625:3>>, tensor<?x6x!quant.uniform<i8:f32, 0.03125:-1>>) -> tensor<?x6x!quant.uniform<i8:f32, 0.0625:3>>
  %p = stablehlo.dot_general %s, %v, contracting_dims = [1] x [0] : (tensor<?x6x!quant.uniform<i8:f32, 0.0625:3>>, tensor<6x3x!quant.uniform<i8:f32, 0.03125:0>>) -> tensor<?x3x!quant.uniform<i32:f32, 0.001953125:0>>
  %r = stablehlo.uniform_dequantize %s : (tensor<?x6x!quant.uniform<i8:f32, 0.0625:3>>) -> tensor<?x6xf32>
  %q = stablehlo.uniform_dequantize %p : (tensor<?x3x!quant.uniform<i32:f32, 0.001953125:0>>) -> tensor<?x3xf32>
  return %r, %q : tensor<?x6xf32>, tensor<?x3xf32>
})",
      {{{0, 6}, {0, 6}, {6, 3}}, {{1, 6}, {1, 6}, {6, 3}}, {{7, 6}, {7, 6}, {6, 3}}, {{300, 6}, {300, 6}, {6, 3}}});
}

TEST(OpenRewrites, QuantizedArgumentsComeAsStoredIntegers) {
  const std::shared_ptr<Module> module = parse_module(R"(
func.func @main(%x: tensor<?x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<?x4xf32> {
  %r = stablehlo.uniform_dequantize %x : (tensor<?x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
})",
                                                      "open");
  CompileOptions hot;
  hot.hot_calls.push_back({{Type::tensor(ElementType::kI8, {3, 4})}, {}});
  for (const CompileOptions& options : {CompileOptions(), hot}) {
    const auto executable = native_target().compile(module, "main", options);
    for (int64_t n : {0, 1, 3, 50}) {
      const Tensor x = random_values(ElementType::kI8, {n, 4}, 5);
      const Tensor r = executable->run(std::vector<Tensor>{x})[0];
      ASSERT_EQ(r.shape(), Shape({n, 4}));
      for (int64_t i = 0; i < r.size(); ++i)
        EXPECT_EQ(r.data<float>()[static_cast<size_t>(i)],
                  0.5F * static_cast<float>(x.data<int8_t>()[static_cast<size_t>(i)] - 1));
    }
    EXPECT_EQ(executable->extent_calls().hot, options.hot_calls.size());
  }
}

TEST(OpenRewrites, RandomNumbersOfAnOpenShape) {
  const auto executable = native_target().compile(parse_module(R"(
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %z = stablehlo.constant dense<2.0> : tensor<f32>
  %o = stablehlo.constant dense<5.0> : tensor<f32>
  %r = stablehlo.rng %z, %o, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
})",
                                                               "open"),
                                                  "main");
  for (int64_t n : {0, 1, 700}) {
    const Tensor r = executable->run(std::vector<Tensor>{random_values(ElementType::kF32, {n, 3}, 1)})[0];
    ASSERT_EQ(r.shape(), Shape({n, 3}));
    double sum = 0;
    for (int64_t i = 0; i < r.size(); ++i) {
      const float v = r.data<float>()[static_cast<size_t>(i)];
      EXPECT_TRUE(v >= 2 && v < 5) << v;
      sum += v;
    }
    // Five standard deviations of the mean of 2100 numbers.
    if (n == 700) EXPECT_NEAR(sum / 2100, 3.5, 0.1);
  }
}

TEST(OpenRewrites, WindowsThatComeAsOperandsOfACustomCall) {
  check_open(R"(
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %s = stablehlo.add %a, %b : tensor<f32>
  return %s : tensor<f32>
}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %w = stablehlo.concatenate %n1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %m1 = stablehlo.subtract %n1, %one : tensor<1xi32>
  %z = stablehlo.constant dense<0> : tensor<1xi32>
  %z2 = stablehlo.constant dense<0> : tensor<2xi32>
  %p = stablehlo.concatenate %m1, %z, %z2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<4xi32>
  %q = stablehlo.reshape %p : (tensor<4xi32>) -> tensor<2x2xi32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %f, %w, %ones, %ones, %ones, %q) {called_computations = [@sum]} : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
})",
             {{{1, 4}}, {{2, 4}}, {{17, 4}}, {{500, 4}}}, 1e-4);
}

TEST(OpenRewrites, FactorsAndSolutionsOfABatch) {
  check_open(R"(
func.func @main(%x: tensor<?x5x5xf64>, %y: tensor<?x5x2xf64>) -> (tensor<?x5x5xf64>, tensor<?x5x2xf64>) {
  %e = stablehlo.iota dim = 0 : tensor<5x5xi32>
  %f = stablehlo.iota dim = 1 : tensor<5x5xi32>
  %c = stablehlo.compare EQ, %e, %f : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %i = stablehlo.convert %c : (tensor<5x5xi1>) -> tensor<5x5xf64>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5x5xf64>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c5 = stablehlo.constant dense<5> : tensor<2xi32>
  %s = stablehlo.concatenate %n1, %c5, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %i, %s, dims = [1, 2] : (tensor<5x5xf64>, tensor<3xi32>) -> tensor<?x5x5xf64>
  %p = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x5x5xf64>, tensor<?x5x5xf64>) -> tensor<?x5x5xf64>
  %a = stablehlo.add %p, %b : tensor<?x5x5xf64>
  %l = "stablehlo.cholesky"(%a) {lower = true} : (tensor<?x5x5xf64>) -> tensor<?x5x5xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %zb = stablehlo.dynamic_broadcast_in_dim %z, %s, dims = [] : (tensor<f64>, tensor<3xi32>) -> tensor<?x5x5xf64>
  %m = stablehlo.compare GE, %e, %f : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %mb = stablehlo.dynamic_broadcast_in_dim %m, %s, dims = [1, 2] : (tensor<5x5xi1>, tensor<3xi32>) -> tensor<?x5x5xi1>
  %t = stablehlo.select %mb, %l, %zb : tensor<?x5x5xi1>, tensor<?x5x5xf64>
  %r = "stablehlo.triangular_solve"(%l, %y) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<?x5x5xf64>, tensor<?x5x2xf64>) -> tensor<?x5x2xf64>
  return %t, %r : tensor<?x5x5xf64>, tensor<?x5x2xf64>
})",
             {{{0, 5, 5}, {0, 5, 2}}, {{1, 5, 5}, {1, 5, 2}}, {{9, 5, 5}, {9, 5, 2}}}, 1e-9);
}

}  // namespace
}  // namespace weft
