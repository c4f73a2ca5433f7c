// Values, effects and errors of loops, branches, calls, stacks, lanes and checks, on the evaluator.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "eval/evaluator.h"
#include "ops/control_flow/check_rules.h"
#include "ops/record.h"
#include "text/parse.h"

namespace weft {
namespace {

using std::vector;

vector<Tensor> run(const std::string& text, const vector<Tensor>& args = {}) {
  const auto module = parse_module(text, "test");
  return evaluate(*module, "f", args);
}

/// The message of the error that running gives; "no error" without one.
template <class E>
std::string failure(const std::string& text, const vector<Tensor>& args = {}) {
  try {
    run(text, args);
  } catch (const E& e) { return e.what(); }
  return "no error";
}
#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST(While, NewtonsSquareRoot) {
  const auto got = run(R"(
func.func @f(%a: tensor<f64>) -> tensor<f64> {
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %r:2 = stablehlo.while(%x = %zero, %y = %a) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %go = stablehlo.compare GE, %m, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %y : tensor<f64>
    %s = stablehlo.add %y, %q : tensor<f64>
    %z = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %y, %z : tensor<f64>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})",
                       {Tensor::scalar_of(2.0)});
  EXPECT_NEAR(got[0].scalar<double>(), std::sqrt(2.0), 1e-12);
}

TEST(Case, IndexOutOfRangeTakesTheLastBranch) {
  for (auto [index, expected] : vector<std::pair<int32_t, int32_t>>{{0, 10}, {1, 20}, {2, 30}, {3, 30}, {-1, 30}}) {
    const auto got = run(R"(
func.func @f(%i: tensor<i32>) -> tensor<i32> {
  %r = "stablehlo.case"(%i) ({
    %c = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<20> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }, {
    %c = stablehlo.constant dense<30> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
})",
                         {Tensor::scalar_of(index)});
    EXPECT_EQ(got[0].scalar<int32_t>(), expected);
  }
}

const char* kFibonacci = R"(
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %p = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %n : tensor<i32>
  }, {
    %a = stablehlo.subtract %n, %one : tensor<i32>
    %b = stablehlo.subtract %n, %two : tensor<i32>
    %x = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
    %y = func.call @f(%b) : (tensor<i32>) -> tensor<i32>
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
})";

TEST(Call, Recursion) { EXPECT_EQ(run(kFibonacci, {Tensor::scalar_of<int32_t>(15)})[0].scalar<int32_t>(), 610); }

TEST(Call, EndlessRecursionIsTheUsersError) {
  EXPECT_SAYS(failure<UserError>(R"(
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %r = func.call @f(%n) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
})",
                                 {Tensor::scalar_of<int32_t>(1)}),
              "recursion too deep");
}

TEST(Stack, LastInFirstOutAndValuesArePure) {
  const auto got = run(R"(
func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %s0 = "weft.stack_new"() : () -> !weft.stack<tensor<2xf32>>
  %s1 = "weft.stack_push"(%s0, %x) : (!weft.stack<tensor<2xf32>>, tensor<2xf32>) -> !weft.stack<tensor<2xf32>>
  %s2 = "weft.stack_push"(%s1, %y) : (!weft.stack<tensor<2xf32>>, tensor<2xf32>) -> !weft.stack<tensor<2xf32>>
  %s3, %a = "weft.stack_pop"(%s2) : (!weft.stack<tensor<2xf32>>) -> (!weft.stack<tensor<2xf32>>, tensor<2xf32>)
  %s4, %b = "weft.stack_pop"(%s3) : (!weft.stack<tensor<2xf32>>) -> (!weft.stack<tensor<2xf32>>, tensor<2xf32>)
  %s5, %empty = "weft.stack_pop"(%s4) : (!weft.stack<tensor<2xf32>>) -> (!weft.stack<tensor<2xf32>>, tensor<2xf32>)
  %s6, %again = "weft.stack_pop"(%s1) : (!weft.stack<tensor<2xf32>>) -> (!weft.stack<tensor<2xf32>>, tensor<2xf32>)
  return %a, %b, %empty, %again : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
})",
                       {Tensor::of<float>({1, 2}, {2}), Tensor::of<float>({3, 4}, {2})});
  EXPECT_EQ(got[0].data<float>()[1], 4);
  EXPECT_EQ(got[1].data<float>()[1], 2);
  EXPECT_EQ(got[2].data<float>()[0], 0);  // an empty stack gives zeros
  EXPECT_EQ(got[3].data<float>()[0], 1);  // the stack of one value is still what it was
}

// Each of 100000 trips pushes; the stack is then emptied. Also a stack of that depth must not end in deep recursion when dropped.
TEST(Stack, DeepStacks) {
  const auto got = run(R"(
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %s = "weft.stack_new"() : () -> !weft.stack<tensor<i32>>
  %r:2 = "stablehlo.while"(%zero, %s) ({
  ^bb0(%i: tensor<i32>, %t: !weft.stack<tensor<i32>>):
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %t: !weft.stack<tensor<i32>>):
    %u = "weft.stack_push"(%t, %i) : (!weft.stack<tensor<i32>>, tensor<i32>) -> !weft.stack<tensor<i32>>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %u : tensor<i32>, !weft.stack<tensor<i32>>
  }) : (tensor<i32>, !weft.stack<tensor<i32>>) -> (tensor<i32>, !weft.stack<tensor<i32>>)
  %rest, %top = "weft.stack_pop"(%r#1) : (!weft.stack<tensor<i32>>) -> (!weft.stack<tensor<i32>>, tensor<i32>)
  return %top : tensor<i32>
})",
                       {Tensor::scalar_of<int32_t>(100000)});
  EXPECT_EQ(got[0].scalar<int32_t>(), 99999);
}

const char* kLaneWhile = R"(
func.func @f(%x: tensor<4xf64>, %limit: tensor<f64>) -> (tensor<4xf64>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = "weft.lane_while"(%x, %zero, %limit) <{lanes = array<i64: 4>, num_carries = 2 : i64, varies = array<i64: 1, 0, 0>}> ({
  ^bb0(%a: tensor<f64>, %n: tensor<i32>, %m: tensor<f64>):
    %go = stablehlo.compare LT, %a, %m : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>, %n: tensor<i32>, %m: tensor<f64>):
    %b = stablehlo.add %a, %a : tensor<f64>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %k = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %b, %k : tensor<f64>, tensor<i32>
  }) : (tensor<4xf64>, tensor<i32>, tensor<f64>) -> (tensor<4xf64>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xi32>
})";

TEST(LaneWhile, EachLaneLeavesOnItsOwn) {
  const auto got = run(kLaneWhile, {Tensor::of<double>({1, 100, 3, 0.001}, {4}), Tensor::scalar_of(10.0)});
  const double values[] = {16, 100, 12, 16.384};
  const int32_t trips[] = {4, 0, 2, 14};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(got[0].data<double>()[i], values[i]);
    EXPECT_EQ(got[1].data<int32_t>()[i], trips[i]);
  }
}

TEST(LaneWhile, CapturesAreRefused) {
  std::string text = kLaneWhile;
  text.replace(text.find("LT, %a, %m"), 10, "LT, %a, %limit");
  EXPECT_SAYS(failure<UserError>(text, {}), "uses values from outside");
}

std::string check_program(const std::string& check) {
  return "func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>) {\n  " + check + "\n  return\n}";
}
const vector<Tensor> kClose = {Tensor::of<double>({1, -2}, {2}),
                               Tensor::of<double>({1 + 4 * std::numeric_limits<double>::epsilon(), -2}, {2})};
const vector<Tensor> kEqual = {Tensor::of<double>({1, std::nan("")}, {2}), Tensor::of<double>({1, -std::nan("")}, {2})};

TEST(Check, ExpectEq) {
  const std::string p = check_program("check.expect_eq %x, %y : tensor<2xf64>");
  EXPECT_EQ(failure<UserError>(p, kEqual), "no error");
  EXPECT_SAYS(failure<UserError>(p, kClose), "values differ at [0]: got 1.0, expected 1.0000000000000009");
}

TEST(Check, ExpectClose) {
  EXPECT_SAYS(
      failure<UserError>(
          check_program("check.expect_close %x, %y, max_ulp_difference = 3 : tensor<2xf64>, tensor<2xf64>"), kClose),
      "values differ at [0]");
  EXPECT_EQ(
      failure<UserError>(
          check_program("check.expect_close %x, %y, max_ulp_difference = 4 : tensor<2xf64>, tensor<2xf64>"), kClose),
      "no error");
  EXPECT_SAYS(failure<UserError>(check_program("check.expect_close %x, %y, max_ulp_difference = 9, min_ulp_difference "
                                               "= 5 : tensor<2xf64>, tensor<2xf64>"),
                                 kClose),
              "largest difference: got 4 ulp");
}

TEST(Check, ExpectAlmostEq) {
  const vector<Tensor> near = {Tensor::of<double>({1, 2}, {2}), Tensor::of<double>({1.00005, 2}, {2})},
                       far = {near[0], Tensor::of<double>({1.0002, 2}, {2})};
  const std::string p = check_program("check.expect_almost_eq %x, %y : tensor<2xf64>");
  EXPECT_EQ(failure<UserError>(p, near), "no error");
  EXPECT_SAYS(failure<UserError>(p, far), "values differ at [0]");
  EXPECT_EQ(failure<UserError>(check_program("check.expect_almost_eq %x, %y, tolerance = 0.1 : tensor<2xf64>"), far),
            "no error");
  // As a custom call the tolerance is 1e-3.
  EXPECT_EQ(
      failure<UserError>(
          check_program("stablehlo.custom_call @check.expect_almost_eq(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> ()"),
          far),
      "no error");
}

TEST(Check, ExpectEqConst) {
  const std::string p = check_program("check.expect_eq_const %x, dense<[1.0, -2.0]> : tensor<2xf64>");
  EXPECT_EQ(failure<UserError>(p, kClose), "no error");
  EXPECT_SAYS(failure<UserError>(p, {kClose[1], kClose[0]}), "values differ at [0]");
}

TEST(Check, UserCheckSaysItsMessageWithValues) {
  const std::string p = R"(
func.func @f(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %ok = stablehlo.compare LE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.check"(%ok, %i, %n) {site = "bounds", message = "index {} of an array of {}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
  return %i : tensor<i64>
})";
  EXPECT_EQ(failure<UserError>(p, {Tensor::scalar_of<int64_t>(3), Tensor::scalar_of<int64_t>(3)}), "no error");
  EXPECT_EQ(failure<UserError>(p, {Tensor::scalar_of<int64_t>(4), Tensor::scalar_of<int64_t>(3)}),
            "index 4 of an array of 3");
}

TEST(Check, FirstFailureInProgramOrderIsReported) {
  EXPECT_EQ(failure<UserError>(R"(
func.func @f(%p: tensor<i1>) {
  "weft.check"(%p) {message = "first"} : (tensor<i1>) -> ()
  "weft.check"(%p) {message = "second"} : (tensor<i1>) -> ()
  return
})",
                               {Tensor::scalar_of(false)}),
            "first");
}

TEST(CustomCall, UnknownTargetIsNamed) {
  EXPECT_SAYS(failure<Unsupported>(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %r = stablehlo.custom_call @nobody.knows(%x) : (tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})",
                                   {Tensor::scalar_of(1.0)}),
              "@nobody.knows");
}

TEST(CustomCall, TypesOfKnownTargetsAreChecked) {
  const auto message = [](const std::string& call) {
    try {
      parse_module(check_program(call), "test");
    } catch (const UserError& e) { return std::string(e.what()); }
    return std::string("no error");
  };
  EXPECT_SAYS(message("stablehlo.custom_call @check.expect_eq(%x) : (tensor<2xf64>) -> ()"),
              "number of operands: got 1, expected 2");
  EXPECT_SAYS(
      message("%r = stablehlo.custom_call @check.expect_eq(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>"),
      "number of results: got 1, expected 0");
  EXPECT_EQ(message("%r = stablehlo.custom_call @check.eq(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<i1>"),
            "no error");
}

// The sound score: a norm of errors within 16·eps·√n passes, infinities in other places do not.
TEST(CompareTensors, NormwiseErrorPassesOnlyWhenNotStrict) {
  CheckRule exact;
  const double eps = std::numeric_limits<double>::epsilon(), inf = std::numeric_limits<double>::infinity();
  const Tensor a = Tensor::of<double>({1000, eps}, {2}), b = Tensor::of<double>({1000, 0}, {2}),
               c = Tensor::of<double>({1000, inf}, {2});
  EXPECT_TRUE(compare_tensors(a, b, exact, true).has_value());
  EXPECT_FALSE(compare_tensors(a, b, exact, false).has_value());
  EXPECT_TRUE(compare_tensors(c, b, exact, false).has_value());
  EXPECT_TRUE(compare_tensors(Tensor::of<double>({1001, 0}, {2}), b, exact, false).has_value());
}

// Distances between representable numbers across zero, and of 16-bit floats.
TEST(CompareTensors, UlpDistance) {
  CheckRule rule;
  rule.kind = CheckRule::kUlp;
  rule.max_ulp = 2;
  const float tiny = std::numeric_limits<float>::denorm_min();
  const auto differ = [&](auto x, auto y) {
    return compare_tensors(Tensor::scalar_of(x), Tensor::scalar_of(y), rule, true).has_value();
  };
  EXPECT_FALSE(differ(tiny, -tiny));
  EXPECT_TRUE(differ(2 * tiny, -tiny));
  EXPECT_FALSE(differ(bf16(1.0f), bf16(1.015625f)));  // two steps of 2^-7
  EXPECT_TRUE(differ(bf16(1.0f), bf16(1.0234375f)));
  EXPECT_TRUE(differ(std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(differ(std::nan(""), std::nan("")));
}

/// The error of parsing and verifying a program that is to be refused.
std::string refusal(const std::string& body) {
  try {
    parse_module("func.func @f(%x: tensor<f64>, %n: tensor<i32>, %p: tensor<i1>) -> tensor<f64> {\n" + body + "\n}",
                 "test");
  } catch (const UserError& e) { return e.what(); }
  return "no error";
}

TEST(Types, ConstraintsAreNamed) {
  EXPECT_SAYS(refusal(R"(
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }, {
  ^bb0(%a: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) : (tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>)"),
              "result of the condition: got tensor<f64>, expected tensor<i1> (while_c1)");
  EXPECT_SAYS(refusal(R"(
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<f64>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>):
    stablehlo.return %n : tensor<i32>
  }) : (tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>)"),
              "(while_c2)");
  EXPECT_SAYS(refusal(R"(
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<f64>
  }, {
    stablehlo.return %n : tensor<i32>
  }) : (tensor<i32>) -> tensor<f64>
  return %r : tensor<f64>)"),
              "(case_c3)");
  EXPECT_SAYS(refusal(R"(
  %r = "stablehlo.if"(%n) ({
    stablehlo.return %x : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %r : tensor<f64>)"),
              "type of the predicate: got tensor<i32>, expected tensor<i1>");
  EXPECT_SAYS(refusal("  %r = func.call @nobody(%x) : (tensor<f64>) -> tensor<f64>\n  return %r : tensor<f64>"),
              "there is no function @nobody");
  EXPECT_SAYS(refusal("  %r = func.call @f(%x) : (tensor<f64>) -> tensor<f64>\n  return %r : tensor<f64>"),
              "number of arguments of @f: got 1, expected 3");
}

}  // namespace
}  // namespace weft
