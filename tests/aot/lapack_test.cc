// LAPACK's custom calls in ahead-of-time libraries: by a LAPACK library that is opened when the library is loaded.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

using aot_test::Folder;
using aot_test::outcome_of;

/// A program as `prog`, and a C program that calls it, run once for each prefix of its command line.
std::vector<std::string> run(const std::string& text, const std::string& c_source, std::vector<std::string> prefixes) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "prog.h";
  options.with_lapack = true;
  build_library(*parse_module(text, "prog.mlir"), "main", (options.symbol = "prog", options));
  write_file(folder / "main.c", "#include <math.h>\n#include <stdio.h>\n#include \"prog.h\"\n" + c_source);
  EXPECT_EQ(outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                       (folder / "lib.so") + " -lm -Wl,-rpath," + (folder / ""))
                .text,
            "");
  // The library itself needs none of them.
  EXPECT_EQ(outcome_of("readelf -d " + (folder / "lib.so") + " | grep NEEDED | grep -E 'lapack|blas|weft|stdc'").text,
            "");
  std::vector<std::string> out;
  for (const std::string& prefix : prefixes) out.push_back(outcome_of(prefix + " " + (folder / "main")).text);
  return out;
}

const char* const kEigen = R"(
func.func @main(%a: tensor<2x2xf64>, %z: tensor<2x2xcomplex<f32>>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<2xf64>, tensor<2xf64>) {
  %v, %w, %i = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
  %cv, %cw, %ci = stablehlo.custom_call @lapack_cheevd_ffi(%z) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>>, tensor<2xf32>, tensor<i32>)
  %turn = stablehlo.constant dense<[[0.0, -2.0], [2.0, 0.0]]> : tensor<2x2xf64>
  %re, %im, %l, %r, %gi = stablehlo.custom_call @lapack_dgeev_ffi(%turn) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}} : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  return %v, %w, %cw, %re, %im : tensor<2x2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<2xf64>, tensor<2xf64>
})";

const char* const kEigenMain = R"(
static int mine(const weft_call* call) { snprintf(call->message, call->message_bytes, "mine"); return 1; }
int main(int argc, char** argv) {
  double a[4] = {2, 1, 1, 2}, v[4], w[2], re[2], im[2];
  float z[8] = {1, 0, 0, -2, 0, 2, 1, 0}, cw[2];  /* [[1, -2i], [2i, 1]] */
  const void* args[] = {a, z};
  void* results[] = {v, w, cw, re, im};
  int status = prog(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return 0; }
  printf("%.6f %.6f, %.6f %.6f %.6f %.6f, ", w[0], w[1], fabs(v[0]), fabs(v[1]), fabs(v[2]), fabs(v[3]));
  printf("%.5f %.5f, %.6f %.6f %.6f\n", cw[0], cw[1], fabs(re[0]) + fabs(re[1]), im[0], im[1]);
  prog_register_custom_call("lapack_dsyevd_ffi", mine, NULL);
  status = prog(args, results, NULL);
  printf("%d %s\n", status, prog_error());
  return 0;
})";

TEST(Lapack, EigenvaluesByTheLibraryThatIsOpened) {
  const auto said = run(kEigen, kEigenMain, {"", "WEFT_LAPACK=/nowhere/liblapack.so"});
  EXPECT_EQ(said[0],
            "1.000000 3.000000, 0.707107 0.707107 0.707107 0.707107, -1.00000 3.00000, 0.000000 2.000000 -2.000000\n"
            "1 prog.mlir:3: @lapack_dsyevd_ffi: mine\n");
  EXPECT_EQ(said[1].find("10 prog: cannot open /nowhere/liblapack.so: "), 0u) << said[1];
  EXPECT_NE(said[1].find("(WEFT_LAPACK names another file)"), std::string::npos) << said[1];
}

TEST(Lapack, FactorsAndSolves) {
  // The matrix [[0, 2], [4, 8]] and a batch; a tridiagonal system; Q of a QR; singular values.
  const auto said = run(R"(
func.func @main(%a: tensor<2x2x2xf32>, %d: tensor<3xf64>, %b: tensor<3x1xf64>) -> (tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<3x1xf64>, tensor<2x2x2xf32>, tensor<2x2xf32>) {
  %lu, %p, %i = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2xi32>)
  %lu2, %p2, %order = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2x2xi32>)
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %x:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%one, %d, %one, %b) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
  %r, %tau = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>)
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%r, %tau) : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  %gone, %s, %u, %vt, %info = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xi32>)
  return %lu, %p, %order, %x#3, %q, %s : tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<3x1xf64>, tensor<2x2x2xf32>, tensor<2x2xf32>
})",
                        R"(
int main(void) {
  float a[8] = {0, 2, 4, 8, 3, 0, 0, -5}, lu[8], q[8], s[4];
  int p[4], order[4];
  double d[3] = {2, 2, 2}, b[3] = {4, 8, 8}, x[3];  /* x = (1, 2, 3) */
  const void* args[] = {a, d, b};
  void* results[] = {lu, p, order, x, q, s};
  int status = prog(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return 0; }
  for (int i = 0; i < 8; ++i) printf("%g ", lu[i] + 0.0f);
  printf("| %d %d %d %d | %d %d %d %d | %.6f %.6f %.6f | ", p[0], p[1], p[2], p[3], order[0], order[1], order[2], order[3], x[0], x[1], x[2]);
  for (int i = 0; i < 4; ++i) printf("%.4f ", fabs(q[i]));
  printf("| %.4f %.4f %.4f %.4f\n", s[0] * s[1], s[0] * s[0] + s[1] * s[1], s[2], s[3]);
  return 0;
})",
                        {""});
  EXPECT_EQ(said[0],
            "4 8 0 2 3 0 0 -5 | 2 2 1 2 | 1 0 0 1 | 1.000000 2.000000 3.000000 | 0.0000 1.0000 1.0000 0.0000 | "
            "8.0000 84.0000 5.0000 3.0000\n");
}

TEST(Lapack, RobustEigenvalues) {
  // [[2, 1], [1, 2]] and [[1, -2i], [2i, 1]]: values 1, 3 and -1, 3; the vectors' entries are of size 1/√2.
  const auto said = run(R"(
func.func @main(%a: tensor<2x2xf64>, %z: tensor<2x2xcomplex<f32>>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<i32>) {
  %v, %w, %i = stablehlo.custom_call @lapack_dsyevr_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
  %cv, %cw, %ci = stablehlo.custom_call @lapack_cheevr_ffi(%z) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>>, tensor<2xf32>, tensor<i32>)
  return %v, %w, %cw, %i : tensor<2x2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<i32>
})",
                        R"(
int main(void) {
  double a[4] = {2, 1, 1, 2}, v[4], w[2];
  float z[8] = {1, 0, 0, -2, 0, 2, 1, 0}, cw[2];
  int info;
  const void* args[] = {a, z};
  void* results[] = {v, w, cw, &info};
  int status = prog(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return 0; }
  for (int i = 0; i < 4; ++i) printf("%.6f ", fabs(v[i]));
  printf("%.6f %.6f %.4f %.4f %d\n", w[0], w[1], cw[0], cw[1], info);
  return 0;
})",
                        {""});
  EXPECT_EQ(said[0], "0.707107 0.707107 0.707107 0.707107 1.000000 3.000000 -1.0000 3.0000 0\n");
}

TEST(Lapack, WithoutItTheCallNeedsAHandler) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "prog.h";
  options.symbol = "prog";
  build_library(*parse_module(kEigen, "prog.mlir"), "main", options);
  const std::string names = outcome_of("nm -D " + (folder / "lib.so")).text;
  EXPECT_EQ(names.find("dlopen"), std::string::npos) << names;
  write_file(folder / "main.c",
             "#include <math.h>\n#include <stdio.h>\n#include \"prog.h\"\n" + std::string(kEigenMain));
  EXPECT_EQ(outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                       (folder / "lib.so") + " -lm -Wl,-rpath," + (folder / ""))
                .text,
            "");
  EXPECT_EQ(outcome_of(folder / "main").text,
            "1 prog.mlir:3: there is no handler for @lapack_dsyevd_ffi: register one with the library's function\n");
}

}  // namespace
}  // namespace weft
