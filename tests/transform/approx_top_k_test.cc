// Derivatives and lanes of the custom call ApproxTopK: those of the elements that it chooses.
#include "derivative_check.h"
#include "lane_check.h"

namespace weft::test {
namespace {

std::string program(const std::string& dimension) {
  return R"(
func.func @larger(%a: tensor<f64>, %b: tensor<f64>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @f(%x: tensor<2x5xf64>, %w: tensor<2x3xf64>) -> (tensor<f64>, tensor<2x3xi32>) {
  %lowest = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %i = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %top:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %lowest, %none) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = )" +
         dimension +
         R"( : i64, reduction_input_size_override = -1 : i64, top_k = 3 : i64}} : (tensor<2x5xf64>, tensor<2x5xi32>, tensor<f64>, tensor<i32>) -> (tensor<2x3xf64>, tensor<2x3xi32>)
  %sin = stablehlo.sine %top#0 : tensor<2x3xf64>
  %y = stablehlo.multiply %sin, %w : tensor<2x3xf64>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
  return %s, %top#1 : tensor<f64>, tensor<2x3xi32>
})";
}

const std::vector<double> kX = {0.3, -0.6, 1.2, 0.9, -1.4, 2.0, 0.1, -0.2, 1.1, 0.7};
const std::vector<double> kW = {1, 2, 3, -1, 0.5, 0.25};

TEST(ApproxTopK, DerivativesFollowTheElementsChosen) {
  for (const char* dimension : {"1", "-1"})
    expect_derivatives(program(dimension), {tensor(kX, {2, 5}), tensor(kW, {2, 3})});
}

TEST(ApproxTopK, LanesEqualALoop) {
  std::vector<double> x;
  for (const double scale : {1.0, -1.0, 0.5})
    for (double v : kX) x.push_back(scale * v);
  for (const char* dimension : {"1", "-1"}) {
    expect_lanes_equal_loop(program(dimension), {0, kUniform}, 3, {tensor(x, {3, 2, 5}), tensor(kW, {2, 3})});
    expect_lanes_equal_loop(program(dimension), {0, kUniform}, 0, {tensor({}, {0, 2, 5}), tensor(kW, {2, 3})});
  }
}

}  // namespace
}  // namespace weft::test
