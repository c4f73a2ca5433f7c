// What a library says of the places that it is given, and the workspace of its caller.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

using aot_test::Folder;
using aot_test::outcome_of;

/// Needs a workspace for the sums of its rows.
const char* const kProgram = R"(
func.func @soft(%a: tensor<3x1000xf64>, %n: tensor<0xf32>) -> (tensor<3x1000xf64>, tensor<3xcomplex<f64>>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x1000xf64>, tensor<f64>) -> tensor<3xf64>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<3xf64>) -> tensor<3x1000xf64>
  %r = stablehlo.divide %a, %b : tensor<3x1000xf64>
  %z = stablehlo.complex %s, %s : tensor<3xcomplex<f64>>
  return %r, %z : tensor<3x1000xf64>, tensor<3xcomplex<f64>>
})";

std::string run(const std::string& c_source) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "soft.h";
  options.partitions = 2;
  build_library(*parse_module(kProgram, "soft.mlir"), "soft", options);
  write_file(folder / "main.c",
             "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"soft.h\"\n" + c_source);
  const std::string built = outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") +
                                       " " + (folder / "lib.so") + " -Wl,-rpath," + (folder / ""))
                                .text;
  return built + outcome_of(folder / "main").text;
}

TEST(Addresses, AreCheckedBeforeTheCall) {
  EXPECT_EQ(run(R"(
static _Alignas(64) double a[3001], r[3001], z[7];
static void call(const void* a, const void* n, void* r, void* z, void* workspace) {
  const void* args[] = {a, n};
  void* results[] = {r, z};
  int status = soft(args, results, workspace);
  const char* said = status ? soft_error() : "";
  const char* address = strstr(said, "got address");
  printf("%d %.*s%s\n", status, address ? (int)(address - said) : 99, said, address ? strstr(address, "expected") : "");
}
int main(void) {
  call(a, NULL, r, z, NULL);
  call((char*)a + 8, NULL, (char*)r + 8, (char*)z + 8, NULL);
  call(NULL, NULL, r, z, NULL);
  call(a, NULL, r, NULL, NULL);
  call((char*)a + 4, NULL, r, z, NULL);
  call(a, NULL, r, (char*)z + 1, NULL);
  call(a, NULL, r, z, (char*)a + 32);
  printf("%d %s\n", soft(NULL, (void* const[]){r, z}, NULL), soft_error());
  printf("%d %s\n", soft((const void* const[]){a, NULL}, NULL, NULL), soft_error());
  return 0;
})"),
            "0 \n0 \n"
            "8 soft: argument 0, tensor<3x1000xf64> is NULL\n"
            "8 soft: result 1, tensor<3xcomplex<f64>> is NULL\n"
            "8 soft: argument 0, tensor<3x1000xf64> is not aligned: expected a multiple of 8\n"
            "8 soft: result 1, tensor<3xcomplex<f64>> is not aligned: expected a multiple of 8\n"
            "8 soft: workspace is not aligned: expected a multiple of 64\n"
            "8 soft: args is NULL\n"
            "8 soft: results is NULL\n");
}

TEST(Addresses, TheWorkspaceIsTheCallers) {
  // What lies around it stays as it is, and nothing is allocated.
  EXPECT_EQ(run(R"(
static double a[3000], r[3000], z[6];
int main(void) {
  for (int i = 0; i < 3000; ++i) a[i] = 1 + i % 7;
  const size_t bytes = soft_workspace_bytes();
  if (bytes == 0) return 1;
  const size_t room = (bytes + 63) / 64 * 64;
  unsigned char* block = aligned_alloc(64, room + 128);
  for (size_t i = 0; i < room + 128; ++i) block[i] = 77;
  const void* args[] = {a, NULL};
  void* results[] = {r, z};
  if (soft(args, results, block + 64) != WEFT_OK) { puts(soft_error()); return 1; }
  size_t outside = 0, inside = 0;
  for (size_t i = 0; i < room + 128; ++i) {
    if (i < 64 || i >= 64 + bytes) outside += block[i] != 77;
    else inside += block[i] != 77;
  }
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += r[i];
  printf("%d outside, %s, sum %.6f, %d threads", (int)outside, inside ? "used" : "not used", sum, soft_threads() > 0);
  return 0;
})"),
            "0 outside, used, sum 1.000000, 1 threads");
}

}  // namespace
}  // namespace weft
