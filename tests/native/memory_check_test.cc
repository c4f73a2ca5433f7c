// The proof of memory plans: it accepts what the planner makes and finds every plan that was spoilt.
#include <gtest/gtest.h>

#include "native/schedule/memory_check.h"
#include "native/schedule/schedule.h"
#include "text/parse.h"

namespace weft::native {
namespace {

struct NoLibraries : LibraryChooser {
  int choose(const OpView&, std::string&) override { return -1; }
  int choose_with(const OpView&, const Epilogue&, std::string&) override { return -1; }
};

struct Planned {
  std::unique_ptr<Module> module;
  Block steps;
  MemoryPlan plan;
  MemoryPlanInput rules;
  explicit Planned(const std::string& text, bool fuse = false) : module(parse_module(text, "test.mlir")) {
    NoLibraries libraries;
    steps = schedule(function(), libraries, fuse);
    plan = plan_memory(function(), steps, rules);
  }
  const Function& function() const { return module->get("main"); }
  std::string verdict() const {
    try {
      check_memory_plan(function(), steps, plan, rules);
    } catch (const InternalError& error) { return error.what(); }
    return "";
  }
};

const char* const kTwoLive = R"(
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %x = stablehlo.sine %a : tensor<8x8xf32>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.add %y, %x : tensor<8x8xf32>
  %w = stablehlo.transpose %z, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %w : tensor<8x8xf32>
})";

TEST(MemoryCheck, AcceptsWhatThePlannerMakes) { EXPECT_EQ(Planned(kTwoLive).verdict(), ""); }

TEST(MemoryCheck, FindsAValueThatIsWrittenOverWhileItIsNeeded) {
  Planned p(kTwoLive);
  std::vector<int> arena;
  for (size_t b = 0; b < p.plan.buffers.size(); ++b) {
    if (p.plan.buffers[b].home == Home::kArena) arena.push_back(static_cast<int>(b));
  }
  ASSERT_GE(arena.size(), 2U);
  // The second value over half of the first.
  p.plan.buffers[static_cast<size_t>(arena[1])].offset = p.plan.buffers[static_cast<size_t>(arena[0])].offset + 128;
  p.plan.arena_bytes += 128;
  EXPECT_NE(p.verdict().find("is written over"), std::string::npos) << p.verdict();
}

TEST(MemoryCheck, FindsAKernelThatReadsElsewhereWhatItWrites) {
  Planned p(kTwoLive);
  const Function& f = p.function();
  const auto ops = f.ops(f.body());
  // %y, the transpose of %x, in the place of %x.
  p.plan.buffer_of[f.result(ops[1])] = p.plan.find(f.result(ops[0]));
  EXPECT_NE(p.verdict().find("reads at other places"), std::string::npos) << p.verdict();
}

TEST(MemoryCheck, FindsACarryThatIsLost) {
  const std::string text = R"(
func.func @main(%a: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %a) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
    %t = stablehlo.add %s, %y : tensor<8xf32>
    stablehlo.return %j, %t, %s : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  }
  return %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>
})";
  const Planned good(text);
  EXPECT_EQ(good.verdict(), "");
  ASSERT_EQ(good.plan.carries.size(), 1U);
  // Both carries in one buffer; a carry whose move is left out.
  Planned joined(text);
  CarryPlan& carry = joined.plan.carries.begin()->second;
  carry.buffers[2] = carry.buffers[1];
  EXPECT_NE(joined.verdict(), "");
  Planned swapped(text);
  CarryPlan& moves = swapped.plan.carries.begin()->second;
  for (size_t i = 0; i < moves.exchange.size(); ++i) {
    if (moves.buffers[i] < 0) continue;
    std::swap(moves.buffers[1], moves.buffers[2]);
    break;
  }
  EXPECT_NE(swapped.verdict(), "");
}

TEST(MemoryCheck, FindsAResultThatIsOverwritten) {
  Planned p(R"(
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = stablehlo.sine %a : tensor<8xf32>
  %y = stablehlo.cosine %a : tensor<8xf32>
  return %x, %y : tensor<8xf32>, tensor<8xf32>
})");
  EXPECT_EQ(p.verdict(), "");
  const Function& f = p.function();
  const auto ops = f.ops(f.body());
  p.plan.buffer_of[f.result(ops[1])] = p.plan.find(f.result(ops[0]));
  EXPECT_NE(p.verdict(), "");
}

}  // namespace
}  // namespace weft::native
