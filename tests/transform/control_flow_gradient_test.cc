// Derivatives of loops and branches in every order, against finite differences.
#include "derivative_check.h"

namespace weft::test {
namespace {

/// x → sin(x·y) + x, n times, y captured.
constexpr const char* kCaptured = R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %yy = stablehlo.multiply %y, %y : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %a = stablehlo.multiply %v, %yy : tensor<f64>
    %b = stablehlo.sine %a : tensor<f64>
    %c = stablehlo.add %b, %x : tensor<f64>
    stablehlo.return %j, %c : tensor<i64>, tensor<f64>
  }
  %r = stablehlo.multiply %0#1, %y : tensor<f64>
  return %r : tensor<f64>
})";

TEST(LoopGradient, TripCountsZeroOneFive) {
  for (int64_t n : {0, 1, 5}) {
    SCOPED_TRACE(n);
    expect_derivatives(kCaptured, {scalar(0.4), scalar(0.9), integer(n)});
  }
}

TEST(LoopGradient, ThousandTrips) { expect_derivatives(kCaptured, {scalar(0.4), scalar(0.6), integer(1000)}); }

TEST(LoopGradient, CarriesThatSwapAndACarryThatStays) {
  expect_derivatives(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %w: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:5 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %w, %s = %w) : tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %m = stablehlo.multiply %a, %b : tensor<f64>
    %t = stablehlo.tanh %m : tensor<f64>
    %u = stablehlo.multiply %t, %c : tensor<f64>
    %v = stablehlo.multiply %u, %s : tensor<f64>
    stablehlo.return %j, %b, %v, %c, %a : tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
  %1 = stablehlo.add %0#1, %0#2 : tensor<f64>
  %2 = stablehlo.multiply %1, %0#3 : tensor<f64>
  %3 = stablehlo.multiply %2, %w : tensor<f64>
  return %3 : tensor<f64>
})",
                     {scalar(0.8), scalar(1.7), scalar(1.2), integer(6)});
}

TEST(LoopGradient, LoopInALoop) {
  expect_derivatives(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %vv = stablehlo.multiply %v, %y : tensor<f64>
    %1:2 = stablehlo.while(%k = %zero, %u = %vv) : tensor<i64>, tensor<f64>
    cond {
      %p = stablehlo.compare LE, %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i64>
      %a = stablehlo.multiply %u, %v : tensor<f64>
      %b = stablehlo.sine %a : tensor<f64>
      %c = stablehlo.add %b, %y : tensor<f64>
      stablehlo.return %l, %c : tensor<i64>, tensor<f64>
    }
    stablehlo.return %j, %1#1 : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})",
                     {scalar(0.8), scalar(0.3), integer(4)});
}

/// Branch 0: x·y; branch 1: sin(x)·x, then exp; branch 2: y alone.
constexpr const char* kCase = R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %z = stablehlo.multiply %x, %x : tensor<f64>
  %0:2 = "stablehlo.case"(%n) ({
    %a = stablehlo.multiply %x, %y : tensor<f64>
    %b = stablehlo.multiply %a, %z : tensor<f64>
    stablehlo.return %b, %y : tensor<f64>, tensor<f64>
  }, {
    %a = stablehlo.sine %x : tensor<f64>
    %b = stablehlo.multiply %a, %x : tensor<f64>
    %c = stablehlo.exponential %b : tensor<f64>
    stablehlo.return %c, %z : tensor<f64>, tensor<f64>
  }, {
    stablehlo.return %y, %x : tensor<f64>, tensor<f64>
  }) : (tensor<i32>) -> (tensor<f64>, tensor<f64>)
  %1 = stablehlo.multiply %0#0, %0#1 : tensor<f64>
  return %1 : tensor<f64>
})";

TEST(BranchGradient, EachBranch) {
  for (int32_t n : {0, 1, 2, 7, -1}) {
    SCOPED_TRACE(n);
    expect_derivatives(kCase, {scalar(0.4), scalar(0.9), Tensor::scalar_of<int32_t>(n)});
  }
}

TEST(BranchGradient, NothingFromTheBranchNotTaken) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.log %x : tensor<f64>
    stablehlo.return %a : tensor<f64>
  }, {
    stablehlo.return %zero : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
})",
                        "t");
  const size_t args[] = {0};
  gradient(*m, "f", args, "g");
  gradient(*m, "g", args, "gg");
  EXPECT_EQ(run(*m, "g", {scalar(0)})[0].scalar<double>(), 0);
  EXPECT_EQ(run(*m, "g", {scalar(4)})[0].scalar<double>(), 0.25);
  EXPECT_EQ(run(*m, "gg", {scalar(0)})[0].scalar<double>(), 0);
  EXPECT_EQ(run(*m, "gg", {scalar(4)})[0].scalar<double>(), -0.0625);
}

TEST(BranchGradient, BranchInALoop) {
  expect_derivatives(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %q = stablehlo.compare LT, %v, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %1 = "stablehlo.if"(%q) ({
      %a = stablehlo.exponential %v : tensor<f64>
      %b = stablehlo.multiply %a, %v : tensor<f64>
      stablehlo.return %b : tensor<f64>
    }, {
      %a = stablehlo.multiply %v, %y : tensor<f64>
      %b = stablehlo.sine %a : tensor<f64>
      stablehlo.return %b : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %j, %1 : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})",
                     {scalar(0.31), scalar(0.83), integer(7)});
}

TEST(BranchGradient, LoopInABranchInALoop) {
  const char* text = R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %h = stablehlo.remainder %i, %two : tensor<i64>
    %q = stablehlo.compare EQ, %h, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = "stablehlo.if"(%q) ({
      %2:2 = stablehlo.while(%k = %zero, %u = %v) : tensor<i64>, tensor<f64>
      cond {
        %p = stablehlo.compare LE, %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %l = stablehlo.add %k, %one : tensor<i64>
        %a = stablehlo.multiply %u, %v : tensor<f64>
        %b = stablehlo.sine %a : tensor<f64>
        %c = stablehlo.add %b, %y : tensor<f64>
        stablehlo.return %l, %c : tensor<i64>, tensor<f64>
      }
      stablehlo.return %2#1 : tensor<f64>
    }, {
      %a = stablehlo.multiply %v, %y : tensor<f64>
      %b = stablehlo.cosine %a : tensor<f64>
      stablehlo.return %b : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %j, %1 : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})";
  for (int64_t n : {0, 1, 2, 5}) {
    SCOPED_TRACE(n);
    expect_derivatives(text, {scalar(0.31), scalar(0.83), integer(n)});
  }
}

// h = w·h + x_k over x = 1, 2, 3 with w = .5: h = 4.25, dh/dw = 3 through all steps (2.5 when cut after one).
TEST(LoopGradient, RecurrenceIsNotTruncated) {
  auto m = parse_module(R"(
func.func @f(%w: tensor<f64>, %x: tensor<3xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<3> : tensor<i64>
  %h0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %h = %h0) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %s = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xf64>, tensor<i64>) -> tensor<1xf64>
    %t = stablehlo.reshape %s : (tensor<1xf64>) -> tensor<f64>
    %a = stablehlo.multiply %w, %h : tensor<f64>
    %b = stablehlo.add %a, %t : tensor<f64>
    stablehlo.return %j, %b : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})",
                        "t");
  const size_t args[] = {0, 1};
  gradient(*m, "f", args, "g", true);
  const auto out = run(*m, "g", {scalar(0.5), vector({1, 2, 3})});
  EXPECT_DOUBLE_EQ(out[0].scalar<double>(), 4.25);
  EXPECT_DOUBLE_EQ(out[1].scalar<double>(), 3.0);
  const std::vector<double> by_x = {0.25, 0.5, 1};
  for (size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(out[2].data<double>()[i], by_x[i]);
}

}  // namespace
}  // namespace weft::test
