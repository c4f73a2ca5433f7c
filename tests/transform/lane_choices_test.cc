// What is said about lanes that run apart, and what `strict` refuses.
#include "lane_check.h"
#include "text/print.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

const char* kLoops = R"(func.func @f(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%b = %a, %k = %zero) : tensor<f64>, tensor<i32>
    cond {
      %more = stablehlo.compare LE, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %c = stablehlo.cosine %b : tensor<f64>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %c, %k1 : tensor<f64>, tensor<i32>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %q#0, %j : tensor<f64>, tensor<i32>
  }
  return %r#0 : tensor<f64>
})";

const char* kBranches = R"(func.func @f(%x: tensor<f64>, %p: tensor<i1>) -> (tensor<f64>, tensor<f64>) {
  %a = "stablehlo.if"(%p) ({
    %n = stablehlo.negate %x : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  %b = "stablehlo.if"(%p) ({
    %l = stablehlo.log %x : tensor<f64>
    stablehlo.return %l : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %a, %b : tensor<f64>, tensor<f64>
})";

vector<LaneChoice> choices_of(const char* text, const vector<int64_t>& axes, int64_t lanes, bool strict = false) {
  const auto module = parse_module(text, "p.mlir");
  vector<LaneChoice> choices;
  VectorizeOptions options;
  options.strict = strict;
  options.choices = &choices;
  vectorize(*module, "f", axes, lanes, options);
  return choices;
}

TEST(LaneChoices, ALoopWithinALoopRunsLaneAfterLane) {
  for (int64_t lanes : {int64_t{4}, kDynamic}) {
    const auto choices = choices_of(kLoops, {0, 0}, lanes);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_TRUE(choices[0].is_loop());
    EXPECT_EQ(choices[0].str(),
              "stablehlo.while at p.mlir:4: its condition varies by lane (stablehlo.compare at p.mlir:6); each lane "
              "leaves at its own trip and then costs nothing, one after another, because of stablehlo.while at "
              "p.mlir:9, a loop within; remedy: make one loop of both, or give the outer one the same number of trips "
              "in every lane");
    try {
      choices_of(kLoops, {0, 0}, lanes, /*strict=*/true);
      FAIL();
    } catch (const Unsupported& e) {
      EXPECT_NE(std::string(e.what()).find("[stablehlo.while] strict lanes: its condition varies by lane"),
                std::string::npos)
          << e.what();
      EXPECT_EQ(e.loc().line, 4u);
    }
  }
  // With the same number of trips in every lane there is nothing to decide.
  EXPECT_TRUE(choices_of(kLoops, {0, kUniform}, 4, /*strict=*/true).empty());
}

TEST(LaneChoices, BranchesAreSelectedOrRunByTheirLanes) {
  const auto choices = choices_of(kBranches, {0, 0}, 4, /*strict=*/true);
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_NE(
      choices[0].str().find("stablehlo.if at p.mlir:2: its branch varies by lane (argument 1 of @f); all branches "
                            "are computed for every lane, and one selected"),
      std::string::npos)
      << choices[0].str();
  EXPECT_NE(choices[1].str().find("stablehlo.if at p.mlir:8"), std::string::npos) << choices[1].str();
  EXPECT_NE(choices[1].str().find("each branch is run by the lanes that take it"), std::string::npos);
}

TEST(LaneChoices, EffectsComeLaneByLane) {
  const char* text = R"(func.func @f(%x: tensor<i32>) -> tensor<i32> {
  interpreter.print %x : tensor<i32>
  return %x : tensor<i32>
})";
  const auto choices = choices_of(text, {0}, 2);
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_NE(
      choices[0].str().find("interpreter.print at p.mlir:2: it reaches outside the program; once for each lane, in "
                            "order"),
      std::string::npos)
      << choices[0].str();
  EXPECT_THROW(choices_of(text, {0}, 2, /*strict=*/true), Unsupported);
  // Each print knows its lane, within lanes as well.
  const auto module = parse_module(text, "p.mlir");
  vectorize(*module, "f", vector<int64_t>{0}, 2, {.name = "inner"});
  const std::string both = print_function(vectorize(*module, "inner", vector<int64_t>{0}, 2, {.name = "both"}));
  size_t last = 0;
  for (const char* lane : {"0, 0", "1, 0", "0, 1", "1, 1"}) {
    const size_t at = both.find("lane = array<i64: " + std::string(lane) + ">");
    EXPECT_NE(at, std::string::npos) << lane << " in " << both;
    EXPECT_GE(at, last);
    last = at;
  }
}

}  // namespace
}  // namespace weft
