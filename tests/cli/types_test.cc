// What `run` does with programs of bounded extents, of index, and with functions without bodies: `check` and `fmt` take them all.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class Types : public Command {
 protected:
  /// `check` accepts the program and `fmt` is a fixed point on it.
  void expect_accepted(const std::string& program) {
    EXPECT_EQ(weft("check " + program).code, 0) << weft("check " + program).error;
    const std::string once = weft("fmt " + program).out;
    EXPECT_EQ(weft("fmt " + file("again.mlir", once)).out, once);
  }
};

TEST_F(Types, BoundsOfInputsAreKept) {
  const std::string program = file("bounded.mlir", R"(
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<?xf32, #stablehlo.bounds<6>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<?xf32, #stablehlo.bounds<6>>
  return %0 : tensor<?xf32, #stablehlo.bounds<6>>
}
)");
  expect_accepted(program);
  for (const std::string target : {" --target eval", " --target native"}) {
    EXPECT_EQ(weft("run " + program + target + " --input '[1, 2]'").out, "tensor<4xf32> = [1.0, 2.0, 1.0, 2.0]\n");
    const Answer refused = weft("run " + program + target + " --input '[1, 2, 3, 4]'");
    EXPECT_EQ(refused.code, 1);
    EXPECT_HAS(refused.error, "tensor<?xf32, #stablehlo.bounds<3>>");
  }
}

TEST_F(Types, ShapesOfIndexRunWhenTheyAreKnown) {
  const std::string known = file("known.mlir", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.constant dense<2> : tensor<2xindex>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
)");
  const std::string given = file("given.mlir", R"(
func.func @main(%x: tensor<4xf32>, %s: tensor<1xindex>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<1xindex>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
  expect_accepted(known);
  expect_accepted(given);
  for (const std::string target : {" --target eval", " --target native"}) {
    EXPECT_EQ(weft("run " + known + target + " --input '[1, 2, 3, 4]'").out,
              "tensor<2x2xf32> =\n[[1.0, 2.0],\n [3.0, 4.0]]\n");
    const Answer refused = weft("run " + given + target + " --input '[1, 2, 3, 4]' --input '[4]'");
    EXPECT_EQ(refused.code, 3) << refused.out;
    EXPECT_HAS(refused.error, "[stablehlo.dynamic_reshape] a value of type tensor<1xindex> does not run");
  }
}

TEST_F(Types, FunctionsWithoutBodiesAreNamed) {
  const std::string program = file("declared.mlir", R"(
func.func private @elsewhere(tensor<f32>) -> tensor<f32>
func.func @calls(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @elsewhere(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
)");
  expect_accepted(program);
  for (const std::string target : {" --target eval", " --target native"}) {
    EXPECT_EQ(weft("run " + program + target + " --input 2").out, "tensor<f32> = 2.0\n");
    for (const std::string entry : {"calls", "elsewhere"}) {
      const Answer refused = weft("run " + program + target + " --entry " + entry + " --input 2");
      EXPECT_EQ(refused.code, 3) << entry << refused.out;
      EXPECT_HAS(refused.error, "@elsewhere has no body");
    }
  }
}

TEST_F(Types, BodiesOnSlicesDoNotRun) {
  // MLIR's verifier takes them, the specification does not.
  const std::string program = file("slices.mlir", R"(
func.func @main(%x: tensor<3x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce"(%x, %init) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = stablehlo.add %a, %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
  expect_accepted(program);
  for (const std::string target : {" --target eval", " --target native"}) {
    const Answer refused = weft("run " + program + target +
                                " --input '[[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]' --input '[1, 2, 3, 4]'");
    EXPECT_EQ(refused.code, 3) << refused.out;
    EXPECT_HAS(refused.error, "[stablehlo.reduce] bodies run on single elements");
  }
}

}  // namespace
