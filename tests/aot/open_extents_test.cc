// Programs with open extents as libraries: built once, called in a process without the compiler for several extents, compared with the
// evaluator on the program refined to these.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "tests/open/open_check.h"

namespace weft {
namespace {

using aot_test::build_main;
using aot_test::Folder;
using aot_test::Outcome;
using aot_test::outcome_of;

/// A library of @main, and calls of it in processes of their own.
class OpenLibrary {
 public:
  explicit OpenLibrary(const std::string& text) : module_(parse_module(text, "open.mlir")) {
    BuildOptions options;
    options.library = folder_ / "lib.so";
    options.header = folder_ / "program.h";
    options.symbol = "program";
    built_ = build_library(*module_, "main", options);
  }

  const Module& module() const { return *module_; }
  size_t num_extents() const { return built_.extents.size(); }
  std::string header() const { return read_file(folder_ / "program.h"); }
  const Folder& folder() const { return folder_; }

  Outcome call(std::span<const int64_t> extents, std::span<const Tensor> args, std::span<const size_t> result_bytes) {
    std::string input,
        command = (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "weft_call_library")
                      .string() +
                  " " + (folder_ / "lib.so") + " " + (folder_ / "in") + " " + (folder_ / "out") + " -e";
    for (int64_t e : extents) command += " " + std::to_string(e);
    command += " -";
    for (const Tensor& t : args) {
      input.append(static_cast<const char*>(t.raw()), t.size_bytes());
      command += " " + std::to_string(t.size_bytes());
    }
    command += " -";
    for (size_t n : result_bytes) command += " " + std::to_string(n);
    write_file(folder_ / "in", input);
    return outcome_of(command);
  }

  /// With random arguments of these shapes.
  void check(const std::vector<Shape>& shapes, double tolerance = 1e-5) {
    const std::vector<Type> types = module_->get("main").arg_types();
    std::vector<Tensor> args;
    for (size_t i = 0; i < types.size(); ++i)
      args.push_back(random_values(types[i].element_type(), shapes[i], ++seed_));
    check(args, tolerance);
  }
  void check(const std::vector<Tensor>& args, double tolerance = 1e-5) {
    check(args, evaluate_refined(*module_, args), tolerance);
  }
  void check(const std::vector<Tensor>& args, const std::vector<Tensor>& want, double tolerance = 1e-5) {
    std::vector<int64_t> extents;
    for (const auto& [argument, d] : built_.extents) extents.push_back(args[argument].shape()[static_cast<size_t>(d)]);
    std::vector<size_t> bytes;
    for (const Tensor& t : want) bytes.push_back(t.size_bytes());
    const Outcome outcome = call(extents, args, bytes);
    ASSERT_EQ(outcome.text, "");
    ASSERT_EQ(outcome.status, 0);
    const std::string got = read_file(folder_ / "out");
    size_t at = 0;
    for (size_t j = 0; j < want.size(); ++j) {
      Tensor t(want[j].element_type(), want[j].shape());
      ASSERT_LE(at + t.size_bytes(), got.size());
      std::memcpy(t.raw(), got.data() + at, t.size_bytes());
      at += t.size_bytes();
      expect_close(t, want[j], tolerance, "result " + std::to_string(j));
    }
  }

 private:
  Folder folder_;
  std::shared_ptr<Module> module_;
  BuiltLibrary built_;
  uint32_t seed_ = 0;
};

constexpr const char* kLayer = R"(
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<f32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %bb = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %z = stablehlo.add %y, %bb : tensor<?x3xf32>
  %t = stablehlo.tanh %z : tensor<?x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
  %nf = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %mean = stablehlo.divide %sum, %nf : tensor<f32>
  return %t, %mean : tensor<?x3xf32>, tensor<f32>
})";

TEST(OpenLibrary, ServesAllBatchSizes) {
  OpenLibrary library(kLayer);
  EXPECT_EQ(library.num_extents(), 1u);
  for (int64_t n : {0, 1, 2, 7, 64, 1000}) library.check({{n, 4}, {4, 3}, {3}});
}

// x·xᵀ is positive definite where x has more columns than rows.
TEST(OpenLibrary, FactorsMatricesOfAnyOrder) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %a = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %l = "stablehlo.cholesky"(%a) {lower = true} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = "stablehlo.triangular_solve"(%l, %x) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %l, %y : tensor<?x?xf64>, tensor<?x?xf64>
})");
  EXPECT_EQ(library.num_extents(), 2u);
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{1, 3}, {4, 9}, {0, 2}, {3, 0}, {30, 70}})
    library.check({{n, m}}, 1e-9);
}

// What `vectorize` makes of a function for an open number of lanes, each of which leaves its loop on its own.
TEST(OpenLibrary, ServesAllNumbersOfLanes) {
  OpenLibrary library(R"(
func.func private @one(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<2xf32>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %t = stablehlo.tanh %a : tensor<2xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %t, %j : tensor<2xf32>, tensor<i32>
  }
  return %r#0 : tensor<2xf32>
}
func.func @main(%x: tensor<?x2xf32>, %n: tensor<?xi32>) -> tensor<?x2xf32> {
  %0 = "weft.pfor"(%x, %n) {callee = "one", varies = array<i64: 1, 1>} : (tensor<?x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
})");
  EXPECT_EQ(library.num_extents(), 1u);
  for (int32_t lanes : {1, 5, 70}) {
    std::vector<int32_t> trips;
    for (int32_t i = 0; i < lanes; ++i) trips.push_back(i % 7);
    library.check({random_values(ElementType::kF32, {lanes, 2}, 3), Tensor::of(trips, {lanes})});
  }
}

TEST(OpenLibrary, ComputesExtentsOfResults) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.concatenate %x, %y, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %b = stablehlo.pad %a, %zero, low = [1], high = [2], interior = [1] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %c = "stablehlo.reduce_window"(%z, %zero) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
})");
  EXPECT_EQ(library.num_extents(), 4u);
  library.check({{3}, {5}, {4, 6}});
  library.check({{1}, {1}, {3, 3}});
  library.check({{0}, {2}, {7, 9}});
  library.check({{33}, {0}, {1, 20}});
}

TEST(OpenLibrary, PadsConvolutionsAsTheirImagesAre) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?x?x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<?x?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x2xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %low = stablehlo.remainder %n, %two : tensor<i32>
  %l = stablehlo.reshape %low : (tensor<i32>) -> tensor<1x1xi32>
  %h = stablehlo.constant dense<1> : tensor<1x1xi32>
  %p = stablehlo.concatenate %l, %h, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
  %y = "stablehlo.dynamic_conv"(%x, %k, %p) {window_strides = array<i64: 2>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x?x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi32>) -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
})");
  library.check({{1, 5, 2}, {3, 2, 4}});
  library.check({{3, 8, 2}, {3, 2, 4}});
  library.check({{2, 1, 2}, {3, 2, 4}});
  library.check({{0, 6, 2}, {3, 2, 4}});
}

TEST(OpenLibrary, SlicesAtEachTurnOfALoop) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %zero1 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
  %size = stablehlo.concatenate %one1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.dynamic_broadcast_in_dim %f, %m1, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %r:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %from = stablehlo.concatenate %i1, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %to = stablehlo.add %from, %size : tensor<2xi32>
    %row = stablehlo.real_dynamic_slice %x, %from, %to, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
    %flat = stablehlo.dynamic_reshape %row, %m1 : (tensor<1x?xf32>, tensor<1xi32>) -> tensor<?xf32>
    %sum = stablehlo.add %flat, %h : tensor<?xf32>
    %next = stablehlo.tanh %sum : tensor<?xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
})");
  library.check(std::vector<Shape>{{3, 4}});
  library.check(std::vector<Shape>{{20, 100}});
  library.check(std::vector<Shape>{{1, 5}});
  library.check(std::vector<Shape>{{2, 0}});
}

TEST(OpenLibrary, SortsAndTransforms) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?x?xf32>, %s: tensor<?x16xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x16xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %v:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<?x?xf32>, tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  %f = stablehlo.fft %s, type = RFFT, length = [16] : (tensor<?x16xf32>) -> tensor<?x9xcomplex<f32>>
  %t = stablehlo.fft %f, type = IRFFT, length = [16] : (tensor<?x9xcomplex<f32>>) -> tensor<?x16xf32>
  return %v#0, %v#1, %t : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x16xf32>
})");
  library.check({{3, 5}, {2, 16}}, 1e-5);
  library.check({{40, 200}, {9, 16}}, 1e-5);
  library.check({{0, 5}, {1, 16}}, 1e-5);
  library.check({{4, 0}, {0, 16}}, 1e-5);
}

TEST(OpenLibrary, TakesExtentsFromElements) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %y = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %z = stablehlo.exponential %y : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
})");
  const auto arguments = [](int64_t n, int32_t rows, int32_t columns) {
    return std::vector<Tensor>{random_values(ElementType::kF32, {n}, 5), Tensor::of<int32_t>({rows, columns}, {2})};
  };
  for (const auto& [rows, columns] : {std::pair<int32_t, int32_t>{3, 12}, {1, 4}, {0, 5}, {6, 0}}) {
    const std::vector<Tensor> args = arguments(columns, rows, columns);
    Tensor want(ElementType::kF32, {rows, columns});
    for (int64_t i = 0; i < want.size(); ++i)
      want.mutable_data<float>()[i] = std::exp(args[0].data<float>()[static_cast<size_t>(i % columns)]);
    library.check(args, {want});
  }
  const int64_t extents[] = {12};
  const size_t bytes[] = {240};
  const Outcome outcome = library.call(extents, arguments(12, 5, 4), bytes);
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.text.find("open.mlir:3: [stablehlo.dynamic_broadcast_in_dim]"), 0u) << outcome.text;
}

TEST(OpenLibrary, RefusesExtentsThatDoNotGoTogether) {
  OpenLibrary library(R"(
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x2xf32> {
  %y = "stablehlo.slice"(%x) {start_indices = array<i64: 0, 3>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 1>} : (tensor<?x?xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
})");
  library.check(std::vector<Shape>{{2, 5}});
  library.check(std::vector<Shape>{{9, 6}});
  const std::vector<Tensor> args = {random_values(ElementType::kF32, {2, 4}, 1)};
  const size_t bytes[] = {16};
  for (const std::vector<int64_t>& extents : {std::vector<int64_t>{2, 4}, {1, 8}, {-1, 5}, {2, INT64_MAX}}) {
    const Outcome outcome = library.call(extents, args, bytes);
    EXPECT_NE(outcome.status, 0);
    EXPECT_NE(outcome.text, "");
  }
  const int64_t narrow[] = {2, 4};
  EXPECT_EQ(library.call(narrow, args, bytes).text,
            "open.mlir:3: [stablehlo.slice] limit: got 5, expected at most the extent 4\n");
}

TEST(OpenLibrary, TellsSizesBeforeTheCall) {
  OpenLibrary library(kLayer);
  EXPECT_NE(library.header().find("extents[0]  e0: dimension 0 of args[0]"), std::string::npos);
  EXPECT_NE(library.header().find("results[0]  tensor<e0x3xf32>"), std::string::npos);
  const Folder& folder = library.folder();
  write_file(folder / "main.c", R"(
#include <stdio.h>
#include <stdlib.h>
#include "program.h"
int main(void) {
  float x[400], w[12] = {0}, b[3] = {0.5f, 0.f, -0.5f}, y[300], mean;
  for (int i = 0; i < 400; ++i) x[i] = 1;
  const void* args[PROGRAM_NUM_ARGS] = {x, w, b};
  void* results[PROGRAM_NUM_RESULTS] = {y, &mean};
  for (int64_t n = 1; n <= 100; n *= 10) {
    int64_t shapes[PROGRAM_SHAPE_NUMBERS];
    if (program_result_shapes(&n, NULL, shapes) != WEFT_OK) return 1;
    const size_t bytes = program_workspace_bytes(&n, NULL);
    char* room = aligned_alloc(64, (bytes + 191) / 64 * 64);
    for (size_t i = 0; i < 64; ++i) room[bytes + i] = 77;
    if (program(&n, args, results, room) != WEFT_OK) return 2;
    for (size_t i = 0; i < 64; ++i) if (room[bytes + i] != 77) return 3;
    printf("%d x %d, %.4f\n", (int)shapes[0], (int)shapes[1], y[0]);
    free(room);
  }
  const int64_t wrong = -3;
  printf("%d %d\n", program(&wrong, args, results, NULL) == WEFT_BAD_EXTENT,
         program_workspace_bytes(&wrong, NULL) == SIZE_MAX);
  puts(program_error());
  const int64_t one = 1;
  args[1] = NULL;
  printf("%d\n", program(&one, args, results, NULL) == WEFT_BAD_ADDRESS);
  return 0;
})");
  EXPECT_EQ(build_main(folder), "");
  EXPECT_EQ(outcome_of(folder / "main").text,
            "1 x 3, 0.4621\n10 x 3, 0.4621\n100 x 3, 0.4621\n1 1\n"
            "program: extents[0] is -3, expected none below 0 or beyond any memory\n1\n");
}

TEST(OpenLibrary, NeedsNothingButTheCLibrary) {
  const OpenLibrary library(kLayer);
  const std::string names = outcome_of("nm -uDC " + (library.folder() / "lib.so")).text;
  EXPECT_NE(names.find("malloc"), std::string::npos) << names;
  for (const char* other : {"std::", "GLIBCXX", "CXXABI", "llvm", "weft_", "dnnl", "cblas"})
    EXPECT_EQ(names.find(other), std::string::npos) << names;
  const std::string needed =
      outcome_of("ldd " + (library.folder() / "lib.so") + " | grep -c 'stdc++\\|weft\\|LLVM'").text;
  EXPECT_EQ(needed, "0\n");
}

TEST(OpenLibrary, NamesTheOpThatNeedsTheEvaluator) {
  try {
    const OpenLibrary library(R"(
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %p = stablehlo.compare LT, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.compare LT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = stablehlo.and %p, %q : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
})");
    FAIL() << "an op without code has become part of a library";
  } catch (const Unsupported& e) {
    EXPECT_NE(std::string(e.what()).find("[stablehlo.sort] with open extents"), std::string::npos) << e.what();
    EXPECT_EQ(e.loc().line, 3) << e.what();
  }
}

}  // namespace
}  // namespace weft
