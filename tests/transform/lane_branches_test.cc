// Branches that lanes take apart: how they are run, and that they have the values of each lane by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lane_check.h"
#include "ops/control_flow/lane_cost.h"
#include "transform/inline.h"
#include "transform/loops.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

/// A lane takes the logarithm of x + 2 `depth` times, or multiplies by itself and y as often.
std::string two_branches(int64_t width, int depth) {
  const std::string t = "tensor<" + std::to_string(width) + "xf64>";
  std::string logs, products, last_log = "%a", last_product = "%x";
  for (int i = 0; i < depth; ++i) {
    const std::string n = std::to_string(i);
    logs += "    %l" + n + " = stablehlo.log " + last_log + " : " + t + "\n    %m" + n + " = stablehlo.abs %l" + n +
            " : " + t + "\n";
    products += "    %p" + n + " = stablehlo.multiply " + last_product + ", %y : " + t + "\n";
    last_log = "%m" + n;
    last_product = "%p" + n;
  }
  return "func.func @f(%x: " + t + ", %y: " + t + ", %p: tensor<i1>) -> " + t +
         " {\n  %two = stablehlo.constant dense<2.0> : " + t +
         "\n  %r = \"stablehlo.if\"(%p) ({\n    %a = stablehlo.add %x, %two : " + t + "\n" + logs +
         "    stablehlo.return " + last_log + " : " + t + "\n  }, {\n" + products + "    stablehlo.return " +
         last_product + " : " + t + "\n  }) : (tensor<i1>) -> " + t + "\n  return %r : " + t + "\n}\n";
}

struct Outcome {
  size_t lane_whiles, whiles;
};
/// Runs @f over lanes as the native target would before it schedules, and compares each lane with @f on its own.
Outcome check(const std::string& text, int64_t lanes, int64_t width, double takers) {
  const auto module = parse_module(text, "test");
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> real(-3, 1), choice(0, 1);
  vector<Tensor> args = {Tensor(ElementType::kF64, {lanes, width}), Tensor(ElementType::kF64, {lanes, width}),
                         Tensor(ElementType::kI1, {lanes})};
  for (size_t i = 0; i < static_cast<size_t>(lanes * width); ++i) {
    args[0].mutable_data<double>()[i] = real(rng);
    args[1].mutable_data<double>()[i] = real(rng);
  }
  for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) args[2].mutable_data<bool>()[i] = choice(rng) < takers;
  vectorize(*module, "f", vector<int64_t>{0, kUniform, 0}, lanes, {.name = "main"});
  args[1] = slice_at(args[1], 0, 0);
  Module changed;
  changed.add(transform_loops(simplify(*inline_calls(*module, module->get("main")), nullptr), {}));
  verify(changed);
  const Tensor got = evaluate(changed, "main", args)[0];
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const Tensor want =
        evaluate(*module, "f", vector<Tensor>{slice_at(args[0], 0, lane), args[1], slice_at(args[2], 0, lane)})[0];
    EXPECT_TRUE(same_bits(slice_at(got, 0, lane), want)) << "lane " << lane;
  }
  const Function& f = changed.get("main");
  return {count_ops(f, "weft.lane_while"), count_ops(f, "stablehlo.while")};
}

// Little work: for all lanes at once, and selected.
TEST(BranchesOfLanes, OfLittleWorkRunForAll) {
  for (int64_t lanes : {2, 7, 300}) {
    const Outcome o = check(two_branches(2, 1), lanes, 2, 0.5);
    EXPECT_EQ(o.lane_whiles, 0u);
    EXPECT_EQ(o.whiles, 0u);
  }
}

// More work than gathering the lanes that take a branch: blocks of those, whether none takes it, all do, or some.
TEST(BranchesOfLanes, OfMoreWorkRunForTheLanesThatTakeThem) {
  for (double takers : {0.0, 0.01, 0.5, 1.0}) {
    const Outcome o = check(two_branches(16, 20), 1500, 16, takers);
    EXPECT_EQ(o.lane_whiles, 0u);
    EXPECT_EQ(o.whiles, 1u);  // the logarithms; products cost too little
  }
}

// So much that each lane by itself is no dearer.
TEST(BranchesOfLanes, OfMuchWorkRunLaneAfterLane) {
  const Outcome o = check(two_branches(2000, 20), 3, 2000, 0.5);
  EXPECT_EQ(o.lane_whiles, 2u);
}

// ---- what is said of it

std::string choice_of(const std::string& text, int64_t lanes) {
  const auto module = parse_module(text, "p.mlir");
  vector<LaneChoice> choices;
  const vector<int64_t> axes(module->get("f").args().size(), 0);
  vectorize(*module, "f", axes, lanes, {.choices = &choices});
  return choices.at(0).str();
}

/// Additions, which any lane may run.
std::string sums(int64_t width, int depth) {
  const std::string t = "tensor<" + std::to_string(width) + "xf32>";
  std::string ops, last = "%x";
  for (int i = 0; i < depth; ++i) {
    ops += "    %s" + std::to_string(i) + " = stablehlo.add " + last + ", %x : " + t + "\n";
    last = "%s" + std::to_string(i);
  }
  return "func.func @f(%x: " + t + ", %p: tensor<i1>) -> " + t + " {\n  %r = \"stablehlo.if\"(%p) ({\n" + ops +
         "    stablehlo.return " + last + " : " + t + "\n  }, {\n    %n = stablehlo.negate %x : " + t + "\n" +
         "    stablehlo.return %n : " + t + "\n  }) : (tensor<i1>) -> " + t + "\n  return %r : " + t + "\n}\n";
}

TEST(BranchesOfLanes, SelectedWhileThatIsCheap) {
  EXPECT_NE(choice_of(sums(64, 10), 1000)
                .find("all branches are computed for every lane, and one selected, for 1000 lanes guessed at "),
            std::string::npos)
      << choice_of(sums(64, 10), 1000);
  EXPECT_NE(
      choice_of(sums(64, 400), 1000).find("each branch is run by the lanes that take it, for 1000 lanes guessed at "),
      std::string::npos)
      << choice_of(sums(64, 400), 1000);
  // However cheap, what could turn a derivative into NaN is left to the lanes that ask for it.
  EXPECT_NE(choice_of(two_branches(2, 1), 4)
                .find("each branch is run by the lanes that take it: others may not run stablehlo."),
            std::string::npos);
}

TEST(BranchesOfLanes, TheModelHasBothSides) {
  const LaneWork little{5, 1000 * 2}, more{60, 1000 * 50}, block{60, 512 * 50};
  EXPECT_EQ(cheapest_branch(1000, little, 512, {5, 512 * 2}, 64).way, LaneWay::kTogether);
  EXPECT_EQ(cheapest_branch(1000, more, 512, block, 64).way, LaneWay::kBlocks);
  EXPECT_EQ(cheapest_branch(1000, {60, 1000 * 100}, 512, {60, 512 * 100}, 64).way, LaneWay::kOneByOne);
}

}  // namespace
}  // namespace weft
