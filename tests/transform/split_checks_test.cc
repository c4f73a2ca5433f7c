// Checks taken out of a program, those of loops and branches too: what it returns beside its results makes the same check fail, with the same
// message, as running the program does.
#include "transform/split_checks.h"

#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ops/record.h"
#include "text/parse.h"
#include "transform/portable.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

/// The message of the first check that fails; empty when all hold.
std::string failure(const Module& module, const std::vector<Tensor>& args) {
  try {
    evaluate(module, "main", args);
  } catch (const UserError& error) { return error.what(); }
  return "";
}
/// The same of the program without checks, written for other compilers, and of the checks of what it returns.
std::string failure_after_split(const Module& module, const std::vector<Tensor>& args) {
  const SplitChecks split = split_checks(module, "main", true);
  verify(*split.program);
  EXPECT_NE(split.checks, nullptr);
  const auto portable = portable_program(*split.program, "main");
  verify(*portable);
  const std::vector<Tensor> all = evaluate(*portable, "main", args);
  const std::vector<Tensor> seen(all.begin() + static_cast<std::ptrdiff_t>(split.num_results), all.end());
  try {
    evaluate(*split.checks, "checks", seen);
  } catch (const UserError& error) { return error.what(); }
  // Where nothing fails, the results are the program's.
  const std::vector<Tensor> want = evaluate(module, "main", args);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(want[i].data<float>()[0], all[i].data<float>()[0]);
  return "";
}
void expect_same(const std::string& text, float x, const std::string& message) {
  const auto module = parse_module(text, "test");
  const std::vector<Tensor> args = {Tensor::scalar_of(x)};
  EXPECT_NE(failure(*module, args).find(message), std::string::npos) << failure(*module, args);
  EXPECT_EQ(failure(*module, args).empty(), message.empty());
  EXPECT_EQ(failure_after_split(*module, args), failure(*module, args)) << "x = " << x;
}

/// While x < 100: x ← 2·x, where x must not be 24; `before` and `after` are ops around the loop.
std::string doubling(const std::string& before = "", const std::string& after = "") {
  return R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %bad = stablehlo.constant dense<24.0> : tensor<f32>
  %end = stablehlo.constant dense<100.0> : tensor<f32>
  )" + before +
         R"(
  %y = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %ok = stablehlo.compare NE, %i, %bad : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "weft.check"(%ok, %i, %two) <{message = "i is {}, step {}"}> : (tensor<i1>, tensor<f32>, tensor<f32>) -> ()
    %n = stablehlo.multiply %i, %two : tensor<f32>
    %positive = stablehlo.compare GT, %n, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "weft.check"(%positive, %n) <{message = "n is {}"}> : (tensor<i1>, tensor<f32>) -> ()
    stablehlo.return %n : tensor<f32>
  }
  )" + after +
         R"(
  return %y : tensor<f32>
})";
}

TEST(SplitChecks, OfALoopReportWhatTheFirstOneSaw) {
  expect_same(doubling(), 3, "i is 24");
  expect_same(doubling(), 5, "");
  expect_same(doubling(), 200, "");
  // Beyond its failure the loop would never end.
  expect_same(doubling(), -1, "n is -2");
  expect_same(doubling(), 0, "n is 0");
}

TEST(SplitChecks, AroundALoopFailInProgramOrder) {
  const std::string nothing_negative = R"(
  %q = stablehlo.compare GE, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "weft.check"(%q, %x) <{message = "x is {}"}> : (tensor<i1>, tensor<f32>) -> ())";
  const std::string small = R"(
  %most = stablehlo.constant dense<150.0> : tensor<f32>
  %r = stablehlo.compare LT, %y, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "weft.check"(%r, %y) <{message = "y is {}"}> : (tensor<i1>, tensor<f32>) -> ())";
  const std::string text = doubling(nothing_negative, small);
  expect_same(text, -1, "x is -1");
  expect_same(text, 3, "i is 24");
  expect_same(text, 5, "y is 160");
  expect_same(text, 4, "");
}

TEST(SplitChecks, StopALoopThatWouldNotEnd) {
  // Without checks of its own.
  expect_same(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %end = stablehlo.constant dense<100.0> : tensor<f32>
  %q = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "weft.check"(%q, %x) <{message = "x is {}"}> : (tensor<i1>, tensor<f32>) -> ()
  %y = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.multiply %i, %two : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %y : tensor<f32>
})",
              0, "x is 0");
}

/// Branches within a loop, one of which has a loop with a check; the other checks, too.
const char* const kNested = R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %most = stablehlo.constant dense<8.0> : tensor<f32>
  %y = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.compare LT, %i, %three : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = "stablehlo.if"(%c) ({
      %m = stablehlo.while(%j = %i) : tensor<f32>
      cond {
        %p = stablehlo.compare LT, %j, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %k = stablehlo.add %j, %three : tensor<f32>
        %ok = stablehlo.compare NE, %j, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
        "weft.check"(%ok, %i, %j) <{message = "inner: {} {}"}> : (tensor<i1>, tensor<f32>, tensor<f32>) -> ()
        stablehlo.return %k : tensor<f32>
      }
      %sum = stablehlo.add %i, %one : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }, {
      %ok = stablehlo.compare NE, %i, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "weft.check"(%ok, %i) <{message = "outer: {}"}> : (tensor<i1>, tensor<f32>) -> ()
      %sum = stablehlo.add %i, %one : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %y : tensor<f32>
})";

TEST(SplitChecks, OfLoopsAndBranchesWithinEachOther) {
  expect_same(kNested, 1, "inner: 2.0 8.0");  // from 1 the inner loop meets 1, 4, 7; from 2 it meets 8
  expect_same(kNested, 2, "inner: 2.0 8.0");
  expect_same(kNested, 4, "outer: 8");
  expect_same(kNested, 9, "");
  expect_same(kNested, 1.5F, "");
}

TEST(SplitChecks, OfACondition) {
  const std::string text = R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %bad = stablehlo.constant dense<7.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %y = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %ok = stablehlo.compare NE, %i, %bad : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "weft.check"(%ok, %i) <{message = "condition: {}"}> : (tensor<i1>, tensor<f32>) -> ()
    %p = stablehlo.compare LT, %i, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %y : tensor<f32>
})";
  expect_same(text, 7, "condition: 7");
  expect_same(text, 2, "condition: 7");
  expect_same(text, 2.5F, "");
}

TEST(SplitChecks, OfLanesThatLeaveOnTheirOwnAreTheFirstLanes) {
  // The lanes of a loop, each leaving at its own iteration.
  std::string one = doubling();
  one.replace(one.find("@main"), 5, "@one");
  const auto module = parse_module(one, "test");
  vectorize(*module, "one", std::vector<int64_t>{0}, 4, {.name = "main"});
  bool has_lanes = false;
  const Function& f = module->get("main");
  for (uint32_t i = 0; i < f.num_ops(); ++i) has_lanes = has_lanes || f.def(OpId{i}).mnemonic == "weft.lane_while";
  ASSERT_TRUE(has_lanes);
  const auto expect = [&](const std::vector<float>& x, const std::string& message) {
    const std::vector<Tensor> args = {Tensor::of<float>(x, {4})};
    EXPECT_NE(failure(*module, args).find(message), std::string::npos) << failure(*module, args);
    EXPECT_EQ(failure_after_split(*module, args), failure(*module, args));
  };
  expect({5, 7, 5, 200}, "");
  // Lane 1 fails after three iterations, lane 2 in its first.
  expect({5, 3, 24, 200}, "i is 24.0, step 2.0");
  expect({5, 3, -1, 200}, "i is 24.0, step 2.0");
  expect({5, -1, 3, 200}, "n is -2");
}

}  // namespace
}  // namespace weft::test
