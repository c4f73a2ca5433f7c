// Kernels in which rows do not meet run as code of static extents for any number of rows; the same programs without that agree.
#include "tests/open/open_check.h"

namespace weft {
namespace {

void check_rows(const std::string& text, const std::function<std::vector<Shape>(int64_t)>& shapes,
                double tolerance = 1e-5) {
  std::vector<std::vector<Shape>> calls;
  // 4093 rows are the most that go in one piece.
  for (int64_t n : {0, 1, 2, 7, 33, 64, 4093, 4100}) calls.push_back(shapes(n));
  check_open(text, calls, tolerance);
  CompileOptions options;
  options.disabled = {"open_rows"};
  check_open(text, calls, tolerance, options);
}

TEST(OpenRows, ElementwiseRowsOfEveryLength) {
  for (const std::string type : {"f32", "f64", "bf16", "i8"}) {
    for (const int row : {1, 3, 16, 50}) {
      const std::string t = "tensor<?x" + std::to_string(row) + "x" + type + ">",
                        one = std::to_string(row) + "x" + type;
      check_rows(
          "func.func @main(%x: " + t + ", %y: " + t + ", %b: tensor<" + one + ">) -> " + t + R"( {
  %n = stablehlo.get_dimension_size %x, dim = 0 : ()" +
              t + R"() -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.constant dense<)" +
              std::to_string(row) + R"(> : tensor<1xi32>
  %s = stablehlo.concatenate %n1, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %bb = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1] : (tensor<)" +
              one + ">, tensor<2xi32>) -> " + t + R"(
  %p = stablehlo.multiply %x, %y : )" +
              t + R"(
  %q = stablehlo.maximum %p, %bb : )" +
              t + "\n  return %q : " + t + "\n}",
          [&](int64_t n) { return std::vector<Shape>{{n, row}, {n, row}, {row}}; }, type == "bf16" ? 1e-2 : 1e-5);
    }
  }
}

TEST(OpenRows, StepsOfALoopReadAndWriteTheirPartOfASequence) {
  check_rows(R"(
func.func @main(%x: tensor<5x?x6xf32>, %h: tensor<?x6xf32>) -> (tensor<5x?x6xf32>, tensor<?x6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %s = %x, %c = %h) : tensor<i32>, tensor<5x?x6xf32>, tensor<?x6xf32>
  cond {
    %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.get_dimension_size %c, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %k1 = stablehlo.constant dense<1> : tensor<1xi32>
    %k6 = stablehlo.constant dense<6> : tensor<1xi32>
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %z1 = stablehlo.constant dense<0> : tensor<1xi32>
    %begin = stablehlo.concatenate %i1, %z1, %z1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %size = stablehlo.concatenate %k1, %n1, %k6, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %end = stablehlo.add %begin, %size : tensor<3xi32>
    %ones = stablehlo.constant dense<1> : tensor<3xi32>
    %part = stablehlo.real_dynamic_slice %s, %begin, %end, %ones : (tensor<5x?x6xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x6xf32>
    %two = stablehlo.concatenate %n1, %k6, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %row = stablehlo.dynamic_reshape %part, %two : (tensor<1x?x6xf32>, tensor<2xi32>) -> tensor<?x6xf32>
    %t = stablehlo.tanh %row : tensor<?x6xf32>
    %next = stablehlo.add %c, %t : tensor<?x6xf32>
    %u = stablehlo.dynamic_reshape %next, %size : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<1x?x6xf32>
    %v = stablehlo.dynamic_update_slice %s, %u, %i, %zero, %zero : (tensor<5x?x6xf32>, tensor<1x?x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x?x6xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %v, %next : tensor<i32>, tensor<5x?x6xf32>, tensor<?x6xf32>
  }
  return %r#1, %r#2 : tensor<5x?x6xf32>, tensor<?x6xf32>
})",
             [](int64_t n) { return std::vector<Shape>{{5, n, 6}, {n, 6}}; });
}

TEST(OpenRows, PadsWindowsTransposesAndPartsWithinARow) {
  check_rows(R"(
func.func @main(%x: tensor<?x5x7xf32>) -> (tensor<?x7x5xf32>, tensor<?x9x8xf32>, tensor<?x5x3xf32>, tensor<?x5x14xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<?x5x7xf32>) -> tensor<?x7x5xf32>
  %p = stablehlo.pad %x, %zero, low = [0, 1, 1], high = [0, -1, 0], interior = [0, 1, 0] : (tensor<?x5x7xf32>, tensor<f32>) -> tensor<?x9x8xf32>
  %w = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 4>, window_strides = array<i64: 1, 1, 2>, padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>} : (tensor<?x5x7xf32>, tensor<f32>) -> tensor<?x5x3xf32>
  %v = stablehlo.reverse %x, dims = [2] : tensor<?x5x7xf32>
  %c = stablehlo.concatenate %x, %v, dim = 2 : (tensor<?x5x7xf32>, tensor<?x5x7xf32>) -> tensor<?x5x14xf32>
  return %t, %p, %w, %c : tensor<?x7x5xf32>, tensor<?x9x8xf32>, tensor<?x5x3xf32>, tensor<?x5x14xf32>
})",
             [](int64_t n) { return std::vector<Shape>{{n, 5, 7}}; });
}

TEST(OpenRows, SumsAndProductsOfEachRow) {
  check_rows(R"(
func.func @main(%x: tensor<?x3x4xf32>, %y: tensor<?x4x5xf32>, %w: tensor<4x3xf32>) -> (tensor<?x3x5xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>, tensor<?x3x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x3x4xf32>, tensor<?x4x5xf32>) -> tensor<?x3x5xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<?x3x4xf32>, tensor<f32>) -> tensor<?x3xf32>
  %q = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<?x3x4xf32>, tensor<4x3xf32>) -> tensor<?x3x3xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3x4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %k = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %shape = stablehlo.concatenate %n1, %k, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %e = stablehlo.exponential %x : tensor<?x3x4xf32>
  %es = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<?x3x4xf32>, tensor<f32>) -> tensor<?x3xf32>
  %eb = stablehlo.dynamic_broadcast_in_dim %es, %shape, dims = [0, 1] : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x3x4xf32>
  %m = stablehlo.divide %e, %eb : tensor<?x3x4xf32>
  return %p, %s, %q, %m : tensor<?x3x5xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>, tensor<?x3x4xf32>
})",
             [](int64_t n) { return std::vector<Shape>{{n, 3, 4}, {n, 4, 5}, {4, 3}}; });
}

TEST(OpenRows, RowsOfATableByIndices) {
  check_rows(R"(
func.func @main(%t: tensor<11x9xf32>, %i: tensor<?x1xi32>) -> tensor<?x9xf32> {
  %g = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 9>} : (tensor<11x9xf32>, tensor<?x1xi32>) -> tensor<?x9xf32>
  %s = stablehlo.sine %g : tensor<?x9xf32>
  return %s : tensor<?x9xf32>
})",
             [](int64_t n) { return std::vector<Shape>{{11, 9}, {n, 1}}; });
}

TEST(OpenRows, LongRowsAreCutForTheThreads) {
  const std::string text = R"(
func.func @main(%x: tensor<?x100x640xf32>) -> (tensor<?x100x640xf32>, tensor<?x640x100xf32>) {
  %e = stablehlo.exponential %x : tensor<?x100x640xf32>
  %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<?x100x640xf32>) -> tensor<?x640x100xf32>
  return %e, %t : tensor<?x100x640xf32>, tensor<?x640x100xf32>
})";
  for (const bool rows : {true, false}) {
    CompileOptions options;
    if (!rows) options.disabled = {"open_rows"};
    check_open(text, {{{1, 100, 640}}, {{3, 100, 640}}, {{0, 100, 640}}}, 1e-5, options);
  }
}

}  // namespace
}  // namespace weft
