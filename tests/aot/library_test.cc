// Ahead-of-time libraries, called from a C program.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "native/native_target.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

using aot_test::Folder;

std::string output_of(const std::string& command) {
  const auto [text, status] = aot_test::outcome_of(command);
  return status == 0 ? text : text + "\nexit status " + std::to_string(status);
}

const char* const kNewton = R"(
func.func @newton(%a: tensor<f64>) -> tensor<f64> {
  %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%x = %a, %y = %zero) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %p = stablehlo.compare GE, %m, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %x : tensor<f64>
    %s = stablehlo.add %x, %q : tensor<f64>
    %n = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %n, %x : tensor<f64>, tensor<f64>
  }
  return %0#0 : tensor<f64>
})";

/// Compiles a C program against the library and runs it.
std::string run_c(const Folder& folder, const std::string& source) {
  write_file(folder / "main.c", source);
  const std::string built = output_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") +
                                      " " + (folder / "lib.so") + " -Wl,-rpath," + (folder / ""));
  EXPECT_EQ(built, "");
  return output_of(folder / "main");
}

/// The library asks the loader for nothing of the C++ runtime.
void expect_no_cxx_runtime(const Folder& folder) {
  EXPECT_EQ(output_of("nm -uDC " + (folder / "lib.so") + " | grep -c 'std::\\|CXXABI\\|GLIBCXX'"),
            "0\n\nexit status 256");
}

TEST(Library, NewtonFromCHasTheBitsOfTheJit) {
  const Folder folder;
  std::shared_ptr<Module> module = parse_module(kNewton, "newton.mlir");
  const size_t wrt[] = {0};
  gradient(*module, "newton", wrt, "newton", /*with_value=*/true);
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "newton.h";
  build_library(*module, "newton", options);
  EXPECT_LT(fs::file_size(options.library), 200000u);

  const std::string printed = run_c(folder, R"(
#include <stdio.h>
#include "newton.h"
int main(void) {
  double a = 2.0, value = 0, slope = 0;
  const void* args[] = {&a};
  void* results[] = {&value, &slope};
  int status = newton(args, results, 0);
  if (status) { puts(newton_error()); return status; }
  printf("%a %a", value, slope);
  return 0;
})");
  CompileOptions jit;
  jit.no_libraries = true;
  const auto want = native_target().compile(module, "newton", jit)->run(std::vector<Tensor>{Tensor::scalar_of(2.0)});
  char text[128];
  std::snprintf(text, sizeof text, "%a %a", want[0].scalar<double>(), want[1].scalar<double>());
  EXPECT_EQ(printed, text);
  EXPECT_NEAR(want[0].scalar<double>(), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(want[1].scalar<double>(), 0.5 / std::sqrt(2.0), 1e-10);

  const std::string needed = output_of("ldd " + (folder / "main"));
  EXPECT_EQ(needed.find("libstdc++"), std::string::npos) << needed;
  EXPECT_EQ(needed.find("LLVM"), std::string::npos) << needed;
  EXPECT_EQ(needed.find("not found"), std::string::npos) << needed;
}

TEST(Library, ArraysWorkspaceAndThreadsFromC) {
  const Folder folder;
  // Large enough to be cut into parts; an intermediate result needs workspace.
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @soft(%a: tensor<300x1000xf32>) -> tensor<300x1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x1000xf32>, tensor<f32>) -> tensor<300xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<300xf32>) -> tensor<300x1000xf32>
  %r = stablehlo.divide %a, %b : tensor<300x1000xf32>
  return %r : tensor<300x1000xf32>
})",
                                                            "soft.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "soft.h";
  options.partitions = 2;
  build_library(*module, "soft", options);
  const std::string printed = run_c(folder, R"(
#include <stdio.h>
#include <stdlib.h>
#include "soft.h"
static float a[300][1000], r[300][1000];
int main(void) {
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 1000; ++j) a[i][j] = (float)(1 + (i * 7 + j * 3) % 11);
  const void* args[] = {a};
  void* results[] = {r};
  void* workspace = aligned_alloc(64, (soft_workspace_bytes() + 127) / 64 * 64);
  for (int call = 0; call < 3; ++call)
    if (soft(args, results, call == 1 ? workspace : 0)) { puts(soft_error()); return 1; }
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    double sum = 0, want = 0;
    for (int j = 0; j < 1000; ++j) want += a[i][j];
    for (int j = 0; j < 1000; ++j) sum += r[i][j];
    double error = sum > 1 ? sum - 1 : 1 - sum;
    if (error > worst) worst = error;
    if (r[i][5] < a[i][5] / want * 0.99999 || r[i][5] > a[i][5] / want * 1.00001) worst = 1;
  }
  printf("%s", worst < 1e-5 ? "right" : "wrong");
  return 0;
})");
  EXPECT_EQ(printed, "right");
}

// Sorts need no comparator at run time, a compiled one, or select only: all without the C++ library.
TEST(Library, SortsFromC) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @order(%x: tensor<50000xi32>) -> (tensor<50000xi32>, tensor<50000xi32>, tensor<3xi32>, tensor<3xi32>) {
  %a = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<50000xi32>) -> tensor<50000xi32>
  %b = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %m = stablehlo.constant dense<10> : tensor<i32>
    %r = stablehlo.remainder %p, %m : tensor<i32>
    %s = stablehlo.remainder %q, %m : tensor<i32>
    %c = stablehlo.compare GT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<50000xi32>) -> tensor<50000xi32>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<50000xi32> -> (tensor<3xi32>, tensor<3xi32>)
  return %a, %b, %v, %i : tensor<50000xi32>, tensor<50000xi32>, tensor<3xi32>, tensor<3xi32>
})",
                                                            "order.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "order.h";
  options.partitions = 2;
  build_library(*module, "order", options);
  // x holds each of 0 … 49999 once.
  const std::string printed = run_c(folder, R"(
#include <stdio.h>
#include "order.h"
static int x[50000], a[50000], b[50000], v[3], i[3];
int main(void) {
  for (int j = 0; j < 50000; ++j) x[j] = (int)((j * 7919ll) % 50000);
  const void* args[] = {x};
  void* results[] = {a, b, v, i};
  if (order(args, results, 0)) { puts(order_error()); return 1; }
  int wrong = 0;
  for (int j = 0; j < 50000; ++j) wrong += a[j] != j;
  for (int j = 0, k = 0, digit = 9; digit >= 0; --digit)
    for (k = 0; k < 50000; ++k)
      if (x[k] % 10 == digit) wrong += b[j++] != x[k];
  for (int j = 0; j < 3; ++j) wrong += v[j] != 49999 - j || x[i[j]] != v[j];
  printf("%d wrong", wrong);
  return 0;
})");
  EXPECT_EQ(printed, "0 wrong");
  expect_no_cxx_runtime(folder);
}

// There and back, by factors and by the chirp: tables and code are in the library.
TEST(Library, FourierTransformsFromC) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @waves(%x: tensor<40x1009xf64>) -> (tensor<40x505xcomplex<f64>>, tensor<40x1009xf64>) {
  %s = stablehlo.fft %x, type = RFFT, length = [1009] : (tensor<40x1009xf64>) -> tensor<40x505xcomplex<f64>>
  %y = stablehlo.fft %s, type = IRFFT, length = [1009] : (tensor<40x505xcomplex<f64>>) -> tensor<40x1009xf64>
  return %s, %y : tensor<40x505xcomplex<f64>>, tensor<40x1009xf64>
})",
                                                            "waves.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "waves.h";
  options.partitions = 2;
  build_library(*module, "waves", options);
  const std::string printed = run_c(folder, R"(
#include <stdio.h>
#include "waves.h"
static double x[40][1009], s[40][505][2], y[40][1009];
int main(void) {
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 1009; ++j) x[i][j] = (double)((i * 31 + j * j) % 17) - 8;
  const void* args[] = {x};
  void* results[] = {s, y};
  if (waves(args, results, 0)) { puts(waves_error()); return 1; }
  int wrong = 0;
  for (int i = 0; i < 40; ++i) {
    double sum = 0, d;
    for (int j = 0; j < 1009; ++j) {
      sum += x[i][j];
      d = y[i][j] - x[i][j];
      wrong += d < -1e-12 || d > 1e-12;
    }
    d = sum - s[i][0][0];
    wrong += d < -1e-10 || d > 1e-10;
  }
  printf("%d wrong", wrong);
  return 0;
})");
  EXPECT_EQ(printed, "0 wrong");
  expect_no_cxx_runtime(folder);
}

TEST(Library, ComplexNumbersFromC) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @roots(%z: tensor<2xcomplex<f64>>, %s: tensor<complex<f32>>) -> (tensor<2xcomplex<f64>>, tensor<complex<f32>>) {
  %root = stablehlo.sqrt %z : tensor<2xcomplex<f64>>
  %product = stablehlo.multiply %s, %s : tensor<complex<f32>>
  return %root, %product : tensor<2xcomplex<f64>>, tensor<complex<f32>>
})",
                                                            "roots.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "lib.h";
  build_library(*module, "roots", options);
  const std::string got = run_c(folder, R"(
#include <complex.h>
#include <stdio.h>
#include "lib.h"
int main(void) {
  double complex z[2] = {3 + 4 * I, -4}, root[2];
  float complex s = 2 - 3 * I, square;
  const void* args[] = {z, &s};
  void* results[] = {root, &square};
  if (roots(args, results, NULL) != 0) return 1;
  for (int i = 0; i < 2; ++i) printf("%g%+gi ", creal(root[i]), cimag(root[i]));
  printf("%g%+gi\n", crealf(square), cimagf(square));
  return 0;
})");
  EXPECT_EQ(got, "2+1i 0+2i -5-12i\n");
  expect_no_cxx_runtime(folder);
}

TEST(Library, FailedCheckIsAStatusWithItsMessage) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @checked(%a: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.compare GT, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "weft.check"(%p, %a) {message = "must be positive", site = "domain"} : (tensor<i1>, tensor<f32>) -> ()
  %r = stablehlo.sqrt %a : tensor<f32>
  return %r : tensor<f32>
})",
                                                            "checked.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "checked.h";
  build_library(*module, "checked", options);
  const std::string printed = run_c(folder, R"(
#include <stdio.h>
#include "checked.h"
int main(void) {
  float a = 4, r = 0;
  const void* args[] = {&a};
  void* results[] = {&r};
  int status = checked(args, results, 0);
  printf("%d %g ", status, (double)r);
  a = -1;
  printf("%d %s", checked(args, results, 0) != 0, checked_error());
  return 0;
})");
  EXPECT_EQ(printed, "0 2 1 checked.mlir:5: domain: must be positive: -1.0");
}

TEST(Library, IsCompiledForTheCpuThatIsNamed) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @add(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = stablehlo.add %a, %a : tensor<1000xf32>
  return %r : tensor<1000xf32>
})",
                                                            "add.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  options.cpu = "x86-64-v3";
  build_library(*module, "add", options);
  const std::string code = output_of("objdump -d " + options.library);
  EXPECT_NE(code.find("%ymm"), std::string::npos);
  EXPECT_EQ(code.find("%zmm"), std::string::npos);
  options.cpu = "no-such-cpu";
  EXPECT_THROW(build_library(*module, "add", options), UserError);
}

TEST(Library, KindErrors) {
  const Folder folder;
  const std::shared_ptr<const Module> module = parse_module(kNewton, "newton.mlir");
  BuildOptions options;
  options.library = folder / "lib.so";
  EXPECT_THROW(build_library(*module, "missing", options), UserError);
  options.symbol = "2bad";
  EXPECT_THROW(build_library(*module, "newton", options), UserError);
  options.symbol = "";
  options.library = folder / "no/such/folder/lib.so";
  EXPECT_THROW(build_library(*module, "newton", options), UserError);
}

}  // namespace
}  // namespace weft
