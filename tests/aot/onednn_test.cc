// Products of ahead-of-time libraries by a libdnnl that is opened when the library is loaded.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

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
  EXPECT_EQ(outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                       (folder / "lib.so") + " -Wl,-rpath," + (folder / ""))
                .text,
            "");
  EXPECT_EQ(outcome_of("WEFT_ONEDNN=/nowhere " + (folder / "main")).text, "0 wrong\n");
}

}  // namespace
}  // namespace weft
