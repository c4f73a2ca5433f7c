// Rows whose complaint is what has to be compiled, and where it then runs.
#include <cmath>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "tests/pains/pains.h"

namespace weft::pains {
namespace {

// P33: every shape is compiled anew.
TEST(Pains, P33_OneCompilationForEveryBatchSize) {
  const auto f = compiled(R"(
func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %1 = stablehlo.tanh %0 : tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
})");
  const std::vector<float> w = {1, -2, 0.5f, 0.25f, -1, 3};
  for (int64_t n = 1; n <= 64; ++n) {
    std::vector<float> x(static_cast<size_t>(n * 3));
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
    const Tensor out = f->run(std::vector{Tensor::of(x, {n, 3}), Tensor::of(w, {3, 2})})[0];
    ASSERT_EQ(out.shape(), (Shape{n, 2}));
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      for (size_t j = 0; j < 2; ++j) {
        const float sum = x[i * 3] * w[j] + x[i * 3 + 1] * w[2 + j] + x[i * 3 + 2] * w[4 + j];
        EXPECT_NEAR(out.data<float>()[i * 2 + j], std::tanh(sum), 1e-6) << "batch " << n;
      }
    }
  }
}

// P42: a program that was compiled ahead of time dies on another machine, or needs the framework.
TEST(Pains, P42_LibraryForALesserCpu) {
  const aot_test::Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "twice.h";
  options.symbol = "twice";
  options.cpu = "x86-64-v3";
  build_library(*parsed(R"(
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.add %x, %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
})"),
                "main", options);
  EXPECT_EQ(aot_test::outcome_of("objdump -d " + options.library + " | grep -c %zmm").text, "0\n");
  // libc, libm and libpthread give all that it needs.
  EXPECT_EQ(aot_test::outcome_of("readelf -d " + options.library +
                                 " | grep NEEDED | grep -vE '(lib(c|m|pthread)|ld-linux.*)\\.so'")
                .text,
            "");
  write_file(folder / "main.c", R"(
#include <stdio.h>
#include "twice.h"
int main(void) {
  static float x[1000], y[1000];
  for (int i = 0; i < 1000; ++i) x[i] = i;
  const void* args[] = {x};
  void* results[] = {y};
  if (twice(args, results, 0) != 0) return puts(twice_error()), 1;
  return printf("%g", y[999]), 0;
})");
  const std::string program = folder / "main";
  EXPECT_EQ(aot_test::outcome_of("cc -std=c11 -o " + program + " " + program + ".c " + options.library +
                                 " -Wl,-rpath," + (folder / ""))
                .text,
            "");
  EXPECT_EQ(aot_test::outcome_of(program).text, "1998");
  const std::string refused = aot_test::outcome_of("WEFT_CPU=x86-64-v2 " + program).text;
  EXPECT_NE(refused.find("twice was compiled for x86-64-v3 and needs "), std::string::npos) << refused;
}

}  // namespace
}  // namespace weft::pains
