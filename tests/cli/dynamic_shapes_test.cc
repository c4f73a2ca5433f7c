// Programs with open extents: `run` takes them from its inputs, `transform --refine` makes them static from types that are given.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class DynamicShapes : public Command {
 protected:
  // The sum over rows, and a value that only depends on an extent.
  std::string sums() {
    return file("sums.mlir",
                R"(func.func @main(%x: tensor<?x3xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %r = stablehlo.add %s, %b : tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  return %r, %n : tensor<?xf32>, tensor<i32>
}
)");
  }
};

TEST_F(DynamicShapes, ExtentsComeFromTheInputs) {
  for (const std::string target : {" --target eval", " --target native", " --specialize"}) {
    Answer answer = weft("run " + sums() + target + " --input '[[1, 2, 3], [4, 5, 6]]' --input '[0.5, -0.5]'");
    EXPECT_EQ(answer.out, "tensor<2xf32> = [6.5, 14.5]\ntensor<i32> = 2\n") << answer.error;
    answer = weft("run " + sums() + target + " --input " + sample("version1_f32_2x3.npy") + " --input '[1, 2]'");
    EXPECT_EQ(answer.out, "tensor<2xf32> = [4.0, 14.0]\ntensor<i32> = 2\n") << answer.error;
    answer = weft("run " + sums() + target + " --input '[[1, 2, 3]]' --input '[0]'");
    EXPECT_EQ(answer.out, "tensor<1xf32> = [6.0]\ntensor<i32> = 1\n") << answer.error;
    answer =
        weft("run " + sums() + target + " --input " + file("none.npy", npy("<f4", "(0, 3)", "")) + " --input '[]'");
    EXPECT_EQ(answer.out, "tensor<0xf32> = []\ntensor<i32> = 0\n") << answer.error;
  }
}

TEST_F(DynamicShapes, InputsThatDoNotFitEachOther) {
  const auto refused = [&](const std::string& inputs, const std::string& message) {
    const Answer answer = weft("run " + sums() + inputs);
    EXPECT_EQ(answer.code, 1) << inputs << answer.error;
    EXPECT_EQ(answer.out, "");
    EXPECT_HAS(answer.error, message);
  };
  refused(" --input '[[1, 2, 3], [4, 5, 6]]' --input '[1, 2, 3]'",
          "argument 1: got tensor<3xf32>, expected extent 2 in dimension 0, that of dimension 0 of argument 0");
  for (const std::string other : {" --target eval", " --specialize"})
    refused(other + " --input '[[1, 2, 3], [4, 5, 6]]' --input '[1, 2, 3]'", "[stablehlo.add]");
  refused(" --input '[[1, 2], [4, 5]]' --input '[1, 2]'",
          "argument 0 (tensor<?x3xf32>): got elements of shape [2, 2]; a type with open extents needs nested lists");
  refused(" --input 1.0 --input '[1, 2]'", "argument 0 (tensor<?x3xf32>): got elements of shape []");
  refused(" --input '[[1, 2, 3], [4, 5]]' --input '[1, 2]'", "--input 0:1:");
}

TEST_F(DynamicShapes, AssertionsOfExportersSayWhatTheyMeasured) {
  // As jax.export writes them: the condition, then what the message refers to.
  const std::string program = file("square.mlir", R"(func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%2, %1, %0) {api_version = 2 : i32, error_message = "got {1} x {0}, expected a square", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  return %x : tensor<?x?xf32>
}
)");
  EXPECT_EQ(weft("run " + program + " --input '[[1, 2], [3, 4]]'").out,
            "tensor<2x2xf32> =\n[[1.0, 2.0],\n [3.0, 4.0]]\n");
  const Answer refused = weft("run " + program + " --input '[[1, 2, 3]]'");
  EXPECT_EQ(refused.code, 1);
  EXPECT_HAS(refused.error, "[shape_assertion] got 1 x 3, expected a square");
}

TEST_F(DynamicShapes, ListsGiveTheirShape) {
  const struct {
    const char *type, *given, *printed;
  } kRows[] = {
      {"tensor<?x?xi32>", "[[1, 2, 3], [4, 5, 6]]", "tensor<2x3xi32> =\n[[1, 2, 3],\n [4, 5, 6]]\n"},
      {"tensor<?x1x?xi32>", "[[[1, 2]], [[3, 4]]]", "tensor<2x1x2xi32> =\n[[[1, 2]],\n\n [[3, 4]]]\n"},
      {"tensor<?xcomplex<f32>>", "[(1.0, 2.0), (3.0, 4.0)]", "tensor<2xcomplex<f32>> = [(1.0, 2.0), (3.0, 4.0)]\n"},
      {"tensor<?xi1>", "[true]", "tensor<1xi1> = [true]\n"},
      {"tensor<?xf32>", "[-1e5, 2]", "tensor<2xf32> = [-100000.0, 2.0]\n"},
      {"tensor<?xf32>", "[]", "tensor<0xf32> = []\n"},
  };
  for (const auto& row : kRows) {
    const Answer answer = weft("run " + identity({row.type}) + " --target eval --input '" + row.given + "'");
    EXPECT_EQ(answer.out, row.printed) << answer.error;
  }
}

TEST_F(DynamicShapes, RefineTakesTypes) {
  Answer answer =
      weft("transform " + sums() + " --refine main --arg-types 'tensor<4x3xf32>, tensor<4xf32>' --simplify");
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out.find('?'), std::string::npos) << answer.out;
  EXPECT_HAS(answer.out, "tensor<4x3xf32>");
  // Beside the function, and then its gradient's lanes: steps go on with what the step before made.
  answer = weft("transform " + sums() + " --refine main --arg-types 'tensor<1x3xf32>, tensor<1xf32>' --as one");
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_HAS(answer.out, "@one");
  EXPECT_HAS(answer.out, "tensor<?x3xf32>");
  const std::string both = file("both.mlir", answer.out);
  EXPECT_EQ(weft("run " + both + " --entry one --input '[[1, 2, 3]]' --input '[0]'").out,
            "tensor<1xf32> = [6.0]\ntensor<i32> = 1\n");
  EXPECT_EQ(weft("transform " + sums() + " --refine main --arg-types 'tensor<4x2xf32>, tensor<4xf32>'").code, 1);
  EXPECT_EQ(weft("transform " + sums() + " --refine main --arg-types 'tensor<4x'").code, 1);
  EXPECT_EQ(weft("transform " + both + " --refine main --as one").code, 1);
  EXPECT_EQ(weft("transform " + both + " --simplify --as one").code, 2);
  EXPECT_EQ(weft("transform " + both + " --refine nowhere").code, 1);
}

}  // namespace
