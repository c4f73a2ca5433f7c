// Products of ahead-of-time libraries by a libdnnl that is opened when the library is loaded.
#include <gtest/gtest.h>

#include "base/file.h"
#include "eval/evaluator.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

using aot_test::build_main;
using aot_test::Folder;
using aot_test::outcome_of;

/// All ways in which operands may lie: by rows, by columns, in a batch, repeated over it. Integers, so that every order of sums is exact.
const char* const kProgram = R"(
func.func @main(%a: tensor<3x70x90xf32>, %b: tensor<3x90x80xf32>, %c: tensor<90x70xf32>, %d: tensor<80x90xf32>) -> (tensor<3x70x80xf32>, tensor<70x80xf32>, tensor<3x70x80xf32>, tensor<80x3x70xf32>) {
  %p = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x70x90xf32>, tensor<3x90x80xf32>) -> tensor<3x70x80xf32>
  %q = stablehlo.dot_general %c, %d, contracting_dims = [0] x [1] : (tensor<90x70xf32>, tensor<80x90xf32>) -> tensor<70x80xf32>
  %r = stablehlo.dot_general %a, %d, contracting_dims = [2] x [1] : (tensor<3x70x90xf32>, tensor<80x90xf32>) -> tensor<3x70x80xf32>
  %s = stablehlo.dot_general %d, %a, contracting_dims = [1] x [2] : (tensor<80x90xf32>, tensor<3x70x90xf32>) -> tensor<80x3x70xf32>
  return %p, %q, %r, %s : tensor<3x70x80xf32>, tensor<70x80xf32>, tensor<3x70x80xf32>, tensor<80x3x70xf32>
})";

const char* const kMain = R"(
#include <stdio.h>
#include "prog.h"
static float a[3][70][90], b[3][90][80], c[90][70], d[80][90], p[3][70][80], q[70][80], r[3][70][80], s[80][3][70];
int main(void) {
  for (int i = 0; i < 3 * 70 * 90; ++i) (&a[0][0][0])[i] = (float)(i * 7 % 11 - 5);
  for (int i = 0; i < 3 * 90 * 80; ++i) (&b[0][0][0])[i] = (float)(i * 5 % 13 - 6);
  for (int i = 0; i < 90 * 70; ++i) (&c[0][0])[i] = (float)(i * 3 % 7 - 3);
  for (int i = 0; i < 80 * 90; ++i) (&d[0][0])[i] = (float)(i * 11 % 17 - 8);
  const void* args[] = {a, b, c, d};
  void* results[] = {p, q, r, s};
  const int status = prog(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return 0; }
  int wrong = 0;
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < 70; ++i)
      for (int j = 0; j < 80; ++j) {
        float x = 0, y = 0, z = 0;
        for (int k = 0; k < 90; ++k) x += a[t][i][k] * b[t][k][j], y += c[k][i] * d[j][k], z += a[t][i][k] * d[j][k];
        wrong += (p[t][i][j] != x) + (q[i][j] != y) + (r[t][i][j] != z) + (s[j][t][i] != z);
      }
  printf("%d wrong\n", wrong);
  return 0;
})";

TEST(OneDnn, ProductsByTheLibraryThatIsOpened) {
  for (const char* library : {"lib.so", "lib.a"}) {
    const Folder folder;
    BuildOptions options;
    options.library = folder / library;
    options.header = folder / "prog.h";
    options.symbol = "prog";
    options.with_onednn = true;
    build_library(*parse_module(kProgram, "prog.mlir"), "main", options);
    write_file(folder / "main.c", kMain);
    EXPECT_EQ(outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                         (folder / library) + " -lm -lpthread -Wl,-rpath," + (folder / ""))
                  .text,
              "");
    EXPECT_EQ(outcome_of("readelf -d " + (folder / "main") + " | grep NEEDED | grep -E 'dnnl|gomp|weft|stdc'").text,
              "");
    EXPECT_EQ(outcome_of(folder / "main").text, "0 wrong\n") << library;
    EXPECT_NE(outcome_of("LD_DEBUG=files " + (folder / "main")).text.find("libdnnl"), std::string::npos);
    const std::string missing = outcome_of("WEFT_ONEDNN=/nowhere/libdnnl.so " + (folder / "main")).text;
    EXPECT_EQ(missing.find("10 prog: cannot open /nowhere/libdnnl.so: "), 0u) << missing;
    const std::string other = outcome_of("WEFT_ONEDNN=libm.so.6 " + (folder / "main")).text;
    EXPECT_EQ(other, "10 prog: the oneDNN library has no dnnl_sgemm\n");
  }
}

TEST(OneDnn, LibrariesAreOpenedOnlyWhereTheyAreAskedFor) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "prog.h";
  options.symbol = "prog";
  build_library(*parse_module(kProgram, "prog.mlir"), "main", options);
  write_file(folder / "main.c", kMain);
  EXPECT_EQ(build_main(folder), "");
  EXPECT_EQ(outcome_of("WEFT_ONEDNN=/nowhere " + (folder / "main")).text, "0 wrong\n");
}

/// A small network: channels last and first, strides, padding, groups, constant weights. Integers, so that every order of sums is exact.
constexpr const char* kNetwork = R"(
func.func @main(%x: tensor<2x18x18x8xf32>, %k: tensor<3x3x8x32xf32>, %g: tensor<3x3x4x32xf32>) -> (tensor<2x9x9x32xf32>, tensor<2x32x9x9xf32>, tensor<2x9x9x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %bias = stablehlo.constant dense<3.0> : tensor<2x9x9x32xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2x9x9x32xf32>
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x18x18x8xf32>, tensor<3x3x8x32xf32>) -> tensor<2x9x9x32xf32>
  %b = stablehlo.add %a, %bias : tensor<2x9x9x32xf32>
  %r = stablehlo.maximum %b, %zeros : tensor<2x9x9x32xf32>
  %t = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<2x18x18x8xf32>) -> tensor<2x8x18x18xf32>
  %u = stablehlo.convolution(%t, %g) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x18x18xf32>, tensor<3x3x4x32xf32>) -> tensor<2x32x9x9xf32>
  %w = stablehlo.constant dense<2.0> : tensor<3x3x32x16xf32>
  %c = stablehlo.convolution(%r, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x32xf32>, tensor<3x3x32x16xf32>) -> tensor<2x9x9x16xf32>
  return %r, %u, %c : tensor<2x9x9x32xf32>, tensor<2x32x9x9xf32>, tensor<2x9x9x16xf32>
})";

TEST(OneDnn, ConvolutionsByTheLibraryThatIsOpened) {
  const std::shared_ptr<Module> module = parse_module(kNetwork, "net.mlir");
  std::vector<Tensor> args;
  for (Type t : module->get("main").arg_types()) {
    Tensor x(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = static_cast<float>((i * 7 + 3) % 11 - 5);
    args.push_back(std::move(x));
  }
  const std::vector<Tensor> want = evaluate(*module, "main", args);
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "prog.h";
  options.symbol = "prog";
  options.with_onednn = true;
  build_library(*module, "main", options);
  std::string in, expected;
  for (const Tensor& t : args) in.append(static_cast<const char*>(t.raw()), t.size_bytes());
  for (const Tensor& t : want) expected.append(static_cast<const char*>(t.raw()), t.size_bytes());
  write_file(folder / "in", in);
  write_file(folder / "want", expected);
  write_file(folder / "main.c", R"(
#include <stdio.h>
#include <stdlib.h>
#include "prog.h"
static float x[2 * 18 * 18 * 8], k[9 * 8 * 32], g[9 * 4 * 32], want[2 * 81 * 80], got[2 * 81 * 80];
static void load(const char* file, float* to, size_t n, FILE* f) { if (fread(to, 4, n, f) != n) exit(3); (void)file; }
int main(int argc, char** argv) {
  FILE* in = fopen(argv[argc - 2], "rb");
  FILE* out = fopen(argv[argc - 1], "rb");
  load("x", x, sizeof x / 4, in), load("k", k, sizeof k / 4, in), load("g", g, sizeof g / 4, in);
  load("want", want, sizeof want / 4, out);
  const void* args[] = {x, k, g};
  void* results[] = {got, got + 2 * 81 * 32, got + 2 * 81 * 64};
  int wrong = 0;
  for (int turn = 0; turn < 3; ++turn) {
    prog_set_threads(turn);
    const int status = prog(args, results, NULL);
    if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return 0; }
    for (int i = 0; i < 2 * 81 * 80; ++i) wrong += got[i] != want[i], got[i] = 0;
  }
  printf("%d wrong\n", wrong);
  return 0;
})");
  EXPECT_EQ(build_main(folder), "");
  const std::string call = (folder / "main") + " " + (folder / "in") + " " + (folder / "want");
  EXPECT_EQ(outcome_of(call).text, "0 wrong\n");
  EXPECT_NE(outcome_of("LD_DEBUG=files " + call).text.find("libdnnl"), std::string::npos);
  const std::string missing = outcome_of("WEFT_ONEDNN=/nowhere/libdnnl.so " + call).text;
  EXPECT_EQ(missing.find("10 prog: cannot open /nowhere/libdnnl.so: "), 0u) << missing;
  EXPECT_EQ(outcome_of("WEFT_ONEDNN=libm.so.6 " + call).text, "10 prog: the oneDNN library has no dnnl_version\n");
}

}  // namespace
}  // namespace weft
