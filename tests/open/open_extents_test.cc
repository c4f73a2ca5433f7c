// One compilation serves every extent: programs with `?` natively, against the evaluator on the refined program.
#include "tests/open/open_check.h"

namespace weft {
namespace {

constexpr const char* kMlp = R"(
func.func @main(%x: tensor<?x20xf32>, %w1: tensor<20x33xf32>, %b1: tensor<33xf32>, %w2: tensor<33x10xf32>, %b2: tensor<10xf32>) -> tensor<?x10xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x20xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c33 = stablehlo.constant dense<33> : tensor<1xi32>
  %c10 = stablehlo.constant dense<10> : tensor<1xi32>
  %s1 = stablehlo.concatenate %n1, %c33, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %s2 = stablehlo.concatenate %n1, %c10, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<?x20xf32>, tensor<20x33xf32>) -> tensor<?x33xf32>
  %bb = stablehlo.dynamic_broadcast_in_dim %b1, %s1, dims = [1] : (tensor<33xf32>, tensor<2xi32>) -> tensor<?x33xf32>
  %hb = stablehlo.add %h, %bb : tensor<?x33xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dynamic_broadcast_in_dim %zero, %s1, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x33xf32>
  %a = stablehlo.maximum %hb, %z : tensor<?x33xf32>
  %o = stablehlo.dot_general %a, %w2, contracting_dims = [1] x [0] : (tensor<?x33xf32>, tensor<33x10xf32>) -> tensor<?x10xf32>
  %ob = stablehlo.dynamic_broadcast_in_dim %b2, %s2, dims = [1] : (tensor<10xf32>, tensor<2xi32>) -> tensor<?x10xf32>
  %l = stablehlo.add %o, %ob : tensor<?x10xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%l init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<?x10xf32>, tensor<f32>) -> tensor<?xf32>
  %mb = stablehlo.dynamic_broadcast_in_dim %m, %s2, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x10xf32>
  %d = stablehlo.subtract %l, %mb : tensor<?x10xf32>
  %e = stablehlo.exponential %d : tensor<?x10xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x10xf32>, tensor<f32>) -> tensor<?xf32>
  %sb = stablehlo.dynamic_broadcast_in_dim %s, %s2, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x10xf32>
  %p = stablehlo.divide %e, %sb : tensor<?x10xf32>
  return %p : tensor<?x10xf32>
})";

TEST(OpenExtents, AnMlpServesEveryBatchSizeWithOneCompilation) {
  std::vector<std::vector<Shape>> calls;
  for (int64_t n : {0, 1, 2, 7, 64, 1000}) calls.push_back({{n, 20}, {20, 33}, {33}, {33, 10}, {10}});
  check_open(kMlp, calls);
  CompileOptions generated;
  generated.no_libraries = true;
  check_open(kMlp, calls, 1e-5, generated);
}

TEST(OpenExtents, MeansOverAnOpenBatchDivideByItsExtent) {
  check_open(R"(
func.func @main(%x: tensor<?x5xf64>) -> (tensor<5xf64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf64>) -> tensor<i32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f64>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x5xf64>, tensor<f64>) -> tensor<5xf64>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<5xf64>
  %mean = stablehlo.divide %r, %b : tensor<5xf64>
  %all = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x5xf64>, tensor<f64>) -> tensor<f64>
  return %mean, %all : tensor<5xf64>, tensor<f64>
})",
             {{{0, 5}}, {{1, 5}}, {{3, 5}}, {{1234, 5}}}, 1e-12);
}

TEST(OpenExtents, TwoOpenExtentsInTheMiddle) {
  check_open(R"(
func.func @main(%x: tensor<2x?x3x?xf32>, %y: tensor<2x?x3x?xf32>) -> (tensor<?x2x?x3xf32>, tensor<2x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.add %x, %y : tensor<2x?x3x?xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2] : (tensor<2x?x3x?xf32>) -> tensor<?x2x?x3xf32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1, 3] : (tensor<2x?x3x?xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %t, %r : tensor<?x2x?x3xf32>, tensor<2x3xf32>
})",
             {{{2, 4, 3, 5}, {2, 4, 3, 5}},
              {{2, 1, 3, 1}, {2, 1, 3, 1}},
              {{2, 0, 3, 5}, {2, 0, 3, 5}},
              {{2, 5, 3, 0}, {2, 5, 3, 0}},
              {{2, 33, 3, 17}, {2, 33, 3, 17}}});
}

TEST(OpenExtents, ArgumentsThatDisagreeAreRefusedByName) {
  std::shared_ptr<Module> module = parse_module(R"(
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %s = stablehlo.add %x, %y : tensor<?x3xf32>
  return %s : tensor<?x3xf32>
})",
                                                "open");
  const auto executable = native_target().compile(module, "main");
  const std::vector<Tensor> args = {Tensor(ElementType::kF32, {2, 3}), Tensor(ElementType::kF32, {4, 3})};
  try {
    executable->run(args);
    FAIL() << "it ran";
  } catch (const UserError& e) {
    EXPECT_STREQ(
        e.what(),
        "argument 1: got tensor<4x3xf32>, expected extent 2 in dimension 0, that of dimension 0 of argument 0");
  }
  EXPECT_THROW(
      executable->run(std::vector<Tensor>{Tensor(ElementType::kF32, {2, 4}), Tensor(ElementType::kF32, {2, 4})}),
      UserError);
  EXPECT_THROW(executable->invoke(nullptr, nullptr), UserError);
}

}  // namespace
}  // namespace weft
