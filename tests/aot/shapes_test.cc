// Ops of ahead-of-time libraries that take shapes when they run.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

using aot_test::build_main;
using aot_test::Folder;
using aot_test::outcome_of;

TEST(RunTimeShapes, MustBeThoseOfTheTypes) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "prog.h";
  options.symbol = "prog";
  build_library(*parse_module(R"(
func.func @main(%x: tensor<2xi32>, %shape: tensor<2xi64>, %low: tensor<1xi64>, %between: tensor<1xi64>) -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<6xi32>) {
  %i = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<3x2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %high = stablehlo.constant dense<2> : tensor<1xi64>
  %p = stablehlo.dynamic_pad %x, %v, %low, %high, %between : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xi32>
  return %i, %b, %p : tensor<3x2xi32>, tensor<3x2xi32>, tensor<6xi32>
})",
                              "prog.mlir"),
                "main", options);
  write_file(folder / "main.c", R"(
#include <stdio.h>
#include "prog.h"
static void call(long long rows, long long low, long long between) {
  int x[2] = {5, 6}, i[6], b[6], p[6];
  long long shape[2] = {rows, 2};
  const void* args[] = {x, shape, &low, &between};
  void* results[] = {i, b, p};
  const int status = prog(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s\n", status, prog_error()); return; }
  for (int k = 0; k < 6; ++k) printf("%d ", i[k]);
  for (int k = 0; k < 6; ++k) printf("%d ", b[k]);
  for (int k = 0; k < 6; ++k) printf("%d%s", p[k], k < 5 ? " " : "\n");
}
int main(void) {
  call(3, 1, 1);
  call(3, -1, 3);
  call(3, 2, 0);
  call(4, 1, 1);
  call(3, 1, 2);
  call(3, 3, -1);
  return 0;
})");
  EXPECT_EQ(build_main(folder), "");
  EXPECT_EQ(outcome_of(folder / "main").text,
            "0 0 1 1 2 2 5 6 5 6 5 6 9 5 9 6 9 9\n"
            "0 0 1 1 2 2 5 6 5 6 5 6 9 9 9 6 9 9\n"
            "0 0 1 1 2 2 5 6 5 6 5 6 9 9 5 6 9 9\n"
            "1 prog.mlir:3: [stablehlo.dynamic_iota] shape: expected that of tensor<3x2xi32>\n"
            "1 prog.mlir:7: [stablehlo.dynamic_pad] shape: expected that of tensor<6xi32>\n"
            "1 prog.mlir:7: [stablehlo.dynamic_pad] shape: expected that of tensor<6xi32>\n");
}

}  // namespace
}  // namespace weft
