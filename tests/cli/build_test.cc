// `weft build` says what it cannot make.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Build = Command;

TEST_F(Build, CpusOfOtherArchitecturesAreRefused) {
  const std::string program =
      file("p.mlir", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n");
  const Answer answer = weft("build " + program + " -o " + (folder_ / "lib.so").string() + " --cpu cortex-a72");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "code for other architectures is not supported");
}

}  // namespace
