// Ops that have kernels or runtime plans of their own with open extents: none is compiled for each call, and all agree with the evaluator.
#include "tests/open/open_check.h"

namespace weft {
namespace {

/// As check_open; no op may be left to code for the extents of a call.
void check_compiled(const std::string& text, const std::vector<std::vector<Shape>>& shapes, double tolerance = 1e-5,
                    const CompileOptions& options = {}) {
  const auto executable = native_target().compile(parse_module(text, "open"), "main", options);
  EXPECT_EQ(executable->explain().find("compiled for each set"), std::string::npos) << executable->explain();
  check_open(text, shapes, tolerance, options);
}

TEST(OpenKernels, ScatterAddsRowsInOrderAndLeavesOutWhatLiesOutside) {
  const std::vector<std::vector<Shape>> calls = {{{9, 5}, {4, 1}, {4, 5}},     {{1, 5}, {0, 1}, {0, 5}},
                                                 {{0, 5}, {3, 1}, {3, 5}},     {{7, 5}, {1, 1}, {1, 5}},
                                                 {{3, 5}, {101, 1}, {101, 5}}, {{700, 5}, {1009, 1}, {1009, 5}}};
  for (const std::string op : {"add", "multiply", "maximum"}) {
    check_compiled(R"(
func.func @main(%x: tensor<?x5xf32>, %i: tensor<?x1xi32>, %u: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.)" + op +
                       R"( %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x5xf32>, tensor<?x1xi32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
})",
                   calls, op == "multiply" ? 1e-3 : 1e-5);
  }
}

TEST(OpenKernels, ScatterOfSingleElementsAndOfBatches) {
  check_compiled(R"(
func.func @main(%x: tensor<4x?xi32>, %i: tensor<?x2xi64>, %u: tensor<?xi32>) -> tensor<4x?xi32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<4x?xi32>, tensor<?x2xi64>, tensor<?xi32>) -> tensor<4x?xi32>
  return %r : tensor<4x?xi32>
})",
                 {{{4, 3}, {5, 2}, {5}}, {{4, 1}, {1, 2}, {1}}, {{4, 0}, {2, 2}, {2}}, {{4, 2}, {0, 2}, {0}}});
  check_compiled(R"(
func.func @main(%x: tensor<?x6x3xf32>, %i: tensor<?x2x1xi32>, %u: tensor<?x2x3xf32>) -> tensor<?x6x3xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<?x6x3xf32>, tensor<?x2x1xi32>, tensor<?x2x3xf32>) -> tensor<?x6x3xf32>
  return %r : tensor<?x6x3xf32>
})",
                 {{{5, 6, 3}, {5, 2, 1}, {5, 2, 3}},
                  {{1, 6, 3}, {1, 2, 1}, {1, 2, 3}},
                  {{0, 6, 3}, {0, 2, 1}, {0, 2, 3}},
                  {{257, 6, 3}, {257, 2, 1}, {257, 2, 3}}});
}

TEST(OpenKernels, PoolsOfAnOpenBatchAndOpenImages) {
  check_compiled(R"(
func.func @main(%x: tensor<?x8x?x3xf32>) -> tensor<?x4x?x3xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<?x8x?x3xf32>, tensor<f32>) -> tensor<?x4x?x3xf32>
  return %r : tensor<?x4x?x3xf32>
})",
                 {{{2, 8, 5, 3}}, {{1, 8, 1, 3}}, {{0, 8, 4, 3}}, {{31, 8, 17, 3}}});
  check_compiled(R"(
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 5, 9>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[4, 4], [4, 5]]> : tensor<2x2xi64>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})",
                 {{{2, 8}}, {{1, 1}}, {{13, 29}}});
}

TEST(OpenKernels, GradientsOfPools) {
  for (const bool is_last : {true, false}) {
    const std::string shape = is_last ? "?x6x6x3" : "?x3x6x6", pooled = is_last ? "?x3x3x3" : "?x3x3x3";
    const std::string window = is_last ? "1, 3, 3, 1" : "1, 1, 3, 3", strides = is_last ? "1, 2, 2, 1" : "1, 1, 2, 2";
    const std::string padding = is_last ? "[[0, 0], [1, 0], [0, 1], [0, 0]]" : "[[0, 0], [0, 0], [1, 0], [0, 1]]";
    std::vector<std::vector<Shape>> calls;
    for (int64_t n : {0, 1, 2, 7, 61})
      calls.push_back({is_last ? Shape{n, 6, 6, 3} : Shape{n, 3, 6, 6}, Shape{n, 3, 3, 3}});
    check_compiled(R"(
func.func @main(%x: tensor<)" +
                       shape + "xf32>, %u: tensor<" + pooled + "xf32>) -> tensor<" + shape + R"(xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %u, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: )" +
                       window + ">, window_strides = array<i64: " + strides + R"(>, padding = dense<)" + padding +
                       "> : tensor<4x2xi64>} : (tensor<" + shape + "xf32>, tensor<" + pooled +
                       "xf32>, tensor<f32>) -> tensor<" + shape + R"(xf32>
  return %r : tensor<)" +
                       shape + "xf32>\n}",
                   calls);
  }
}

TEST(OpenKernels, RunningSumsAlongAFixedAxisOfAnOpenBatch) {
  for (const std::string type : {"f32", "i32", "bf16"}) {
    for (const bool is_last : {true, false}) {
      const std::string shape = is_last ? "?x20" : "20x?";
      std::vector<std::vector<Shape>> calls;
      for (int64_t n : {0, 1, 3, 600}) calls.push_back({is_last ? Shape{n, 20} : Shape{20, n}});
      check_compiled(R"(
func.func @main(%x: tensor<)" +
                         shape + "x" + type + ">) -> tensor<" + shape + "x" + type + R"(> {
  %c = stablehlo.constant dense<0> : tensor<)" +
                         type + R"(>
  %r = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<)" + type +
                         ">, %b: tensor<" + type + R"(>):
    %s = stablehlo.add %a, %b : tensor<)" +
                         type + R"(>
    stablehlo.return %s : tensor<)" +
                         type + R"(>
  }) {window_dimensions = array<i64: )" +
                         (is_last ? "1, 20" : "20, 1") + ">, padding = dense<" +
                         (is_last ? "[[0, 0], [19, 0]]" : "[[0, 19], [0, 0]]") + "> : tensor<2x2xi64>} : (tensor<" +
                         shape + "x" + type + ">, tensor<" + type + ">) -> tensor<" + shape + "x" + type + R"(>
  return %r : tensor<)" + shape +
                         "x" + type + ">\n}",
                     calls);
    }
  }
}

TEST(OpenKernels, PlacesOfMaximaAlongAndAcrossRows) {
  for (const int axis : {0, 1}) {
    check_compiled(
        R"(
func.func @main(%x: tensor<?x?xf32>, %i: tensor<?x?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %low = stablehlo.constant dense<-9.0> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = "stablehlo.reduce"(%x, %i, %low, %none) ({
  ^bb0(%a: tensor<f32>, %p: tensor<i32>, %b: tensor<f32>, %q: tensor<i32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
    %t = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: )" +
            std::to_string(axis) +
            R"(>} : (tensor<?x?xf32>, tensor<?x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
})",
        {{{5, 9}, {5, 9}}, {{1, 1}, {1, 1}}, {{0, 3}, {0, 3}}, {{3, 0}, {3, 0}}, {{701, 33}, {701, 33}}});
  }
}

TEST(OpenKernels, SortsOfOpenLinesAndOfOpenLengths) {
  for (const int d : {0, 1}) {
    check_compiled(
        R"(
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %r:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %s = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {dimension = )" +
            std::to_string(d) +
            R"( : i64, is_stable = true} : (tensor<?x?xf32>, tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi32>
})",
        {{{3, 8}, {3, 8}}, {{1, 1}, {1, 1}}, {{0, 4}, {0, 4}}, {{4, 0}, {4, 0}}, {{97, 101}, {97, 101}}});
  }
}

TEST(OpenKernels, SortsByAComparatorThatIsNoComparisonOfKeys) {
  check_compiled(R"(
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.remainder %a, %three : tensor<i32>
    %q = stablehlo.remainder %b, %three : tensor<i32>
    %s = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
})",
                 {{{0}}, {{1}}, {{2}}, {{1009}}});
}

TEST(OpenKernels, TransformsOfOpenBatches) {
  check_compiled(R"(
func.func @main(%x: tensor<?x12xf32>) -> (tensor<?x7xf32>, tensor<?x12xf32>) {
  %f = stablehlo.fft %x, type = RFFT, length = [12] : (tensor<?x12xf32>) -> tensor<?x7xcomplex<f32>>
  %r = stablehlo.real %f : (tensor<?x7xcomplex<f32>>) -> tensor<?x7xf32>
  %b = stablehlo.fft %f, type = IRFFT, length = [12] : (tensor<?x7xcomplex<f32>>) -> tensor<?x12xf32>
  return %r, %b : tensor<?x7xf32>, tensor<?x12xf32>
})",
                 {{{0, 12}}, {{1, 12}}, {{5, 12}}, {{333, 12}}}, 1e-4);
}

// Behind an operand without elements lies a guard page, which windows in the padding must not read.
TEST(OpenKernels, WindowsOfNoElementsArePadding) {
  CompileOptions options;
  options.guard_pages = true;
  check_open(R"(
func.func @main(%u: tensor<?x8192xf32>) -> tensor<?x8192xf32> {
  %c = stablehlo.constant dense<1.5> : tensor<f32>
  %x = "stablehlo.sort"(%u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<?x8192xf32>) -> tensor<?x8192xf32>
  %r = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<?x8192xf32>, tensor<f32>) -> tensor<?x8192xf32>
  return %r : tensor<?x8192xf32>
})",
             {{{0, 8192}}, {{3, 8192}}}, 1e-5, options);
}

TEST(OpenKernels, FactorizationsAndSolvesWithoutALibrary) {
  CompileOptions options;
  options.disabled = {"lapack"};
  const auto solve = [](const std::string& left, const std::string& lower, const std::string& mode) {
    return "\"stablehlo.triangular_solve\"(%l, %x) {left_side = " + left + ", lower = " + lower +
           ", unit_diagonal = false, transpose_a = #stablehlo<transpose " + mode + ">}";
  };
  for (const std::string element : {"f64", "f32"}) {
    const std::string t = "tensor<?x?x" + element + ">";
    std::string text = "func.func @main(%x: " + t + ") -> (" + t + ", " + t + ", " + t + ", " + t + ") {\n";
    text += "  %t = stablehlo.transpose %x, dims = [1, 0] : (" + t + ") -> " + t + "\n";
    text += "  %a = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (" + t + ", " + t + ") -> " + t + "\n";
    text += "  %l = \"stablehlo.cholesky\"(%a) {lower = true} : (" + t + ") -> " + t + "\n";
    text += "  %u = \"stablehlo.cholesky\"(%a) {lower = false} : (" + t + ") -> " + t + "\n";
    text += "  %y = " + solve("true", "true", "NO_TRANSPOSE") + " : (" + t + ", " + t + ") -> " + t + "\n";
    text += "  %z = " + solve("true", "true", "TRANSPOSE") + " : (" + t + ", " + t + ") -> " + t + "\n";
    text += "  return %l, %u, %y, %z : " + t + ", " + t + ", " + t + ", " + t + "\n}\n";
    check_compiled(text, {{{1, 4}}, {{3, 9}}, {{0, 4}}, {{3, 0}}, {{20, 50}}, {{40, 90}}},
                   element == "f64" ? 1e-9 : 1e-3, options);
  }
}

}  // namespace
}  // namespace weft
