// The `weft` command from outside: exit codes, what goes to which stream, the order of transforms, how tests count.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

const char* const kSquare =
    "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  %0 = stablehlo.multiply %x, %x : tensor<f64>\n  return %0 : "
    "tensor<f64>\n}\n";
const char* const kScale =
    "func.func @scale(%x: tensor<2x2xf32>, %b: tensor<2xbf16>) -> (tensor<2x2xf32>, tensor<2xbf16>) {\n  %0 = "
    "stablehlo.add %x, %x : tensor<2x2xf32>\n"
    "  return %0, %b : tensor<2x2xf32>, tensor<2xbf16>\n}\n";

TEST_F(Command, ExitCodesSayWhoseFaultItIs) {
  const std::string good = file("good.mlir", kSquare);
  const std::string bad = file("bad.mlir", "func.func @main() {\n  return %x : tensor<f32>\n}\n");
  // An op of another dialect is read in generic form; its meaning is unknown.
  const std::string foreign = file("foreign.mlir", "func.func @main() {\n  \"other.foo\"() : () -> ()\n  return\n}\n");
  EXPECT_EQ(weft("check " + good).code, 0);
  const Answer refused = weft("check " + bad);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.error.find("bad.mlir:2:10: error: [func.return] %x is not defined here"), std::string::npos)
      << refused.error;
  EXPECT_NE(refused.error.find("\n    return %x : tensor<f32>\n           ^~"), std::string::npos) << refused.error;
  EXPECT_EQ(weft("check " + foreign).code, 0);
  const Answer unsupported = weft("run " + foreign);
  EXPECT_EQ(unsupported.code, 3);
  EXPECT_NE(unsupported.error.find("foreign.mlir:2:3: unsupported: [other.foo]"), std::string::npos)
      << unsupported.error;
  EXPECT_EQ(weft("check").code, 2);
  EXPECT_EQ(weft("frobnicate").code, 2);
  EXPECT_EQ(weft("check " + (folder_ / "missing.mlir").string()).code, 1);
}

TEST_F(Command, RunPrintsResults) {
  const std::string square = file("square.mlir", kSquare);
  EXPECT_EQ(weft("run " + square + " --target eval --input 1.5").out, "tensor<f64> = 2.25\n");
  const std::string scale = file("scale.mlir", kScale);
  EXPECT_EQ(weft("run " + scale + " --target eval --input '[[1.0, 0.1], [-0.0, 0x7FC00000]]' --input '[1.5, 3.0]'").out,
            "tensor<2x2xf32> =\n[[ 2.0,  0.2],\n [-0.0,  nan]]\ntensor<2xbf16> = [1.5, 3.0]\n");
  EXPECT_EQ(weft("run " + square + " --target eval").code, 1);
}

TEST_F(Command, TransformsApplyFromLeftToRight) {
  const std::string square = file("square.mlir", kSquare);
  // d/dx x² = 2x, over lanes; the value stays in front.
  Answer t = weft("transform " + square + " --grad main:0 --with-value --vectorize main:0 --lanes 3");
  ASSERT_EQ(t.code, 0) << t.error;
  const std::string lanes = file("lanes.mlir", t.out);
  EXPECT_EQ(weft("run " + lanes + " --target eval --input '[1.0, 2.0, 3.0]'").out,
            "tensor<3xf64> = [1.0, 4.0, 9.0]\ntensor<3xf64> = [2.0, 4.0, 6.0]\n");
  // The second derivative, beside the function.
  t = weft("transform " + square + " --grad main:0 --as g --grad g:0 --as h");
  ASSERT_EQ(t.code, 0) << t.error;
  const std::string second = file("second.mlir", t.out);
  EXPECT_EQ(weft("run " + second + " --target eval --entry h --input 5.0").out, "tensor<f64> = 2.0\n");
  EXPECT_EQ(weft("run " + second + " --target eval --entry main --input 5.0").out, "tensor<f64> = 25.0\n");
  EXPECT_EQ(weft("transform " + square + " --vectorize main:0").code, 1);
  EXPECT_EQ(weft("transform " + square + " --grad main:7").code, 1);
}

TEST_F(Command, FmtIsAFixedPoint) {
  const std::string square = file("square.mlir", kSquare);
  for (const std::string form : {"", " --generic"}) {
    const Answer once = weft("fmt " + square + form);
    ASSERT_EQ(once.code, 0) << once.error;
    EXPECT_EQ(weft("fmt " + file("again.mlir", once.out) + form).out, once.out);
  }
}

TEST_F(Command, TestCountsProgramsAndRecords) {
  fs::create_directories(folder_ / "programs");
  write(folder_ / "programs/holds.mlir",
        "func.func @main() {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  check.expect_eq_const %0, "
        "dense<1.0> : tensor<f32>\n  return\n}\n");
  write(folder_ / "programs/fails.mlir",
        "func.func @main() {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  check.expect_eq_const %0, "
        "dense<2.0> : tensor<f32>\n  return\n}\n");
  write(folder_ / "programs/refused.mlir",
        "func.func @main() {\n  return %x : tensor<f32>  // error: %x is not defined\n}\n");
  write(folder_ / "programs/not_refused.mlir", "func.func @main() {\n  return  // error: nothing is wrong here\n}\n");
  fs::create_directories(folder_ / "records");
  write(folder_ / "records/manifest.jsonl",
        "{\"id\": \"square\", \"file\": \"square.mlir\", \"data\": \"square.bin\", \"n_in\": 1, \"n_out\": 1, "
        "\"tensors\": [{\"name\": \"in0\", \"dtype\": \"float64\", "
        "\"shape\": [], \"offset\": 0, \"nbytes\": 8}, {\"name\": \"out0\", \"dtype\": \"float64\", \"shape\": [], "
        "\"offset\": 8, \"nbytes\": 8, \"xla_err_vs_f64\": "
        "{\"abs\": NaN}}]}\n{\"id\": \"unknown\", \"kind\": \"verify-ok\", \"suite\": \"s\"}\n");
  write(folder_ / "records/square.mlir", kSquare);
  write(folder_ / "records/square.bin", bytes<double>({3, 9}));
  write(folder_ / "records/unknown.mlir", "func.func @main() {\n  other.foo\n  return\n}\n");
  const Answer answer =
      weft("test --target eval " + (folder_ / "programs").string() + " " + (folder_ / "records").string());
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(answer.out.ends_with("\n3 passed, 2 failed, 1 skipped\n")) << answer.out;
  EXPECT_NE(answer.out.find("fails.mlir:3: [check.expect_eq_const] values differ"), std::string::npos) << answer.out;
  write(folder_ / "records/square.bin", bytes<double>({3, 9.0001}));
  EXPECT_TRUE(
      weft("test --target eval " + (folder_ / "records").string()).out.ends_with("\n0 passed, 1 failed, 1 skipped\n"));
}

}  // namespace
