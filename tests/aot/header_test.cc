// The header of an ahead-of-time library: what it says, who can include it, and several libraries in one program.
#include <gtest/gtest.h>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

using aot_test::Folder;
using aot_test::outcome_of;

std::string build(const Folder& folder, const std::string& name, const std::string& text) {
  BuildOptions options;
  options.library = folder / (name + ".a").c_str();
  options.header = folder / (name + ".h").c_str();
  options.symbol = name;
  build_library(*parse_module(text, name + ".mlir"), "main", options);
  return read_file(options.header);
}

std::string scaled(int factor) {
  return "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  %c = stablehlo.constant dense<" +
         std::to_string(factor) +
         ".0> : tensor<f64>\n  %y = stablehlo.multiply %x, %c : tensor<f64>\n  return %y : tensor<f64>\n}";
}

TEST(Header, SaysWhatTheProgramTakesGivesAndNeeds) {
  const Folder folder;
  const std::string header = build(folder, "mixed", R"(
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<4xi1>, %c: tensor<complex<f64>>, %d: tensor<5xui16>, %e: tensor<7xi4>) -> tensor<2x3xbf16> {
  %y = stablehlo.custom_call @user.f(%a) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
})");
  for (const char* line :
       {"args[0]  tensor<2x3xbf16>: 12 bytes of uint16_t (the upper half of a float), aligned to 2",
        "args[1]  tensor<4xi1>: 4 bytes of uint8_t (0 or 1), aligned to 1",
        "args[2]  tensor<complex<f64>>: 16 bytes of double pairs (real, imaginary), aligned to 8",
        "args[3]  tensor<5xui16>: 10 bytes of uint16_t, aligned to 2",
        "args[4]  tensor<7xi4>: 7 bytes of int8_t, one i4 each, aligned to 1", "results[0]  tensor<2x3xbf16>: 12 bytes",
        "calls handlers, to be registered below: user.f.", "enum { MIXED_NUM_ARGS = 5, MIXED_NUM_RESULTS = 1 };"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header.substr(0, 1500);
}

TEST(Header, SeveralLibrariesInOneProgramOfCOrCxx) {
  const Folder folder;
  build(folder, "twice", scaled(2));
  build(folder, "glue", scaled(3));
  const std::string source = R"(
#include "twice.h"
#include "glue.h"
#include "twice.h"
#include <stdio.h>
int main(void) {
  double x = 5, y = 0, z = 0;
  const void* args[] = {&x};
  void* to_y[] = {&y};
  void* to_z[] = {&z};
  twice_set_threads(1);
  const int a = twice(args, to_y, NULL), b = glue(args, to_z, NULL);
  /* Messages are each library's own. */
  const int c = twice(NULL, to_y, NULL);
  printf("%d %d %g %g %d %.15s|%s\n", a, b, y, z, c, twice_error(), glue_error());
  return 0;
})";
  write_file(folder / "main.c", source);
  write_file(folder / "main.cc", source);
  for (const char* compiler :
       {"cc -std=c11 -pedantic -Wall -Wextra -Werror main.c", "c++ -std=c++17 -Wall -Wextra -Werror main.cc"}) {
    EXPECT_EQ(outcome_of("cd " + (folder / "") + " && " + compiler + " -o main twice.a glue.a -lm -lpthread").text, "");
    EXPECT_EQ(outcome_of(folder / "main").text, "0 0 10 15 8 twice: args is |\n") << compiler;
  }
}

TEST(Header, CallsFromManyThreadsAtOnce) {
  const Folder folder;
  std::string table;
  for (int i = 0; i < 20000; ++i) table += (i > 0 ? "," : "") + std::to_string(i) + ".0";
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "sums.h";
  options.weights = folder / "sums.weights";
  options.symbol = "sums";
  options.partitions = 2;
  build_library(
      *parse_module("func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {\n  %t = stablehlo.constant dense<[" +
                        table +
                        "]> : tensor<20000xf32>\n  %r = stablehlo.add %x, %t : tensor<20000xf32>\n  return %r : "
                        "tensor<20000xf32>\n}",
                    "sums.mlir"),
      "main", options);
  // The first calls race to load the weights.
  write_file(folder / "main.c", R"(
#include <pthread.h>
#include <stdio.h>
#include "sums.h"
static float x[8][20000], r[8][20000];
static int wrong[8];
static void* work(void* data) {
  const int me = (int)((float(*)[20000])data - x);
  for (int i = 0; i < 20000; ++i) x[me][i] = (float)me;
  const void* args[] = {x[me]};
  void* results[] = {r[me]};
  for (int round = 0; round < 50; ++round) {
    wrong[me] += sums(args, results, NULL) != WEFT_OK;
    for (int i = 0; i < 20000; ++i) wrong[me] += r[me][i] != (float)(i + me);
  }
  wrong[me] += sums(NULL, results, NULL) != WEFT_BAD_ADDRESS;
  return NULL;
}
int main(void) {
  pthread_t threads[8];
  int all = 0;
  for (int i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, x[i]);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL), all += wrong[i];
  printf("%d wrong\n", all);
  return 0;
})");
  EXPECT_EQ(outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                       (folder / "lib.so") + " -lpthread -Wl,-rpath," + (folder / ""))
                .text,
            "");
  EXPECT_EQ(outcome_of(folder / "main").text, "0 wrong\n");
}

}  // namespace
}  // namespace weft
