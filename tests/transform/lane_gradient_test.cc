// Derivatives of lanes that leave a loop on their own, and of stacks.
#include "derivative_check.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

/// Per lane: x → sin(x·y_lane·w) + x0_lane, n_lane times; w is the same for all lanes, so is the start when `start` says so.
std::string lanes(bool start_varies) {
  const std::string start = start_varies ? "tensor<4xf64>" : "tensor<f64>", flag = start_varies ? "1" : "0";
  return R"(
func.func @f(%x: )" +
         start + R"(, %y: tensor<4xf64>, %w: tensor<f64>, %n: tensor<4xi64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %zs = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = "weft.lane_while"(%zero, %x, %n, %y, %w) <{lanes = array<i64: 4>, num_carries = 2 : i64, varies = array<i64: 0, )" +
         flag + R"(, 1, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %v: tensor<f64>, %m: tensor<i64>, %a: tensor<f64>, %b: tensor<f64>):
    %p = stablehlo.compare LT, %i, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i64>, %v: tensor<f64>, %m: tensor<i64>, %a: tensor<f64>, %b: tensor<f64>):
    %one = stablehlo.constant dense<1> : tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    %c = stablehlo.multiply %v, %a : tensor<f64>
    %d = stablehlo.multiply %c, %b : tensor<f64>
    %e = stablehlo.sine %d : tensor<f64>
    %g = stablehlo.add %e, %a : tensor<f64>
    stablehlo.return %j, %g : tensor<i64>, tensor<f64>
  }) : (tensor<i64>, )" +
         start + R"(, tensor<4xi64>, tensor<4xf64>, tensor<f64>) -> (tensor<4xi64>, tensor<4xf64>)
  %1 = stablehlo.multiply %0#1, %0#1 : tensor<4xf64>
  %r = stablehlo.reduce(%1 init: %zs) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";
}

TEST(LaneGradient, EachLaneHasItsOwnTripCount) {
  expect_derivatives(lanes(true), {vector({0.3, 0.8, -0.4, 0.6}), vector({0.9, 0.5, 1.1, 0.4}), scalar(0.8),
                                   Tensor::of<int64_t>({0, 3, 1, 1000}, {4})});
}

TEST(LaneGradient, AStartThatAllLanesShare) {
  expect_derivatives(lanes(false),
                     {scalar(0.3), vector({0.9, 0.5, 1.1, 0.4}), scalar(0.8), Tensor::of<int64_t>({0, 3, 1, 20}, {4})});
}

/// @f: the sum of sin over three lanes of @h, or of its derivative by its first argument; all lanes share the second.
std::string sum_over_lanes(const std::string& h, bool of_gradient) {
  auto m = parse_module(h, "h");
  const size_t first[] = {0};
  if (of_gradient) gradient(*m, "h", first, "h");
  const int64_t axes[] = {0, kUniform, 0};
  vectorize(*m, "h", axes, 3, {.name = "lanes"});
  std::string text = "module {\n";
  for (const auto& f : m->functions()) text += print_function(*f) + "\n";
  return text + R"(
func.func @f(%x: tensor<3xf64>, %y: tensor<f64>, %n: tensor<3xi64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = func.call @lanes(%x, %y, %n) : (tensor<3xf64>, tensor<f64>, tensor<3xi64>) -> tensor<3xf64>
  %1 = stablehlo.sine %0 : tensor<3xf64>
  %r = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
})";
}

constexpr const char* kNested = R"(
func.func @h(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
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

TEST(LaneGradient, LoopInABranchInALoopOverLanes) {
  for (bool of_gradient : {false, true}) {
    SCOPED_TRACE(of_gradient);
    expect_derivatives(sum_over_lanes(kNested, of_gradient),
                       {vector({0.31, 0.7, -0.2}), scalar(0.83), Tensor::of<int64_t>({0, 5, 2}, {3})});
  }
}

constexpr const char* kBranches = R"(
func.func @h(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %k = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>
  %z = stablehlo.multiply %x, %x : tensor<f64>
  %0 = "stablehlo.case"(%k) ({
    %a = stablehlo.multiply %z, %y : tensor<f64>
    %b = stablehlo.exponential %a : tensor<f64>
    stablehlo.return %b : tensor<f64>
  }, {
    %a = stablehlo.sine %x : tensor<f64>
    %b = stablehlo.multiply %a, %y : tensor<f64>
    stablehlo.return %b : tensor<f64>
  }, {
    stablehlo.return %y : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
})";

TEST(LaneGradient, BranchesThatLanesTakeApart) {
  for (bool of_gradient : {false, true}) {
    SCOPED_TRACE(of_gradient);
    expect_derivatives(sum_over_lanes(kBranches, of_gradient),
                       {vector({0.31, 0.7, -0.2}), scalar(0.83), Tensor::of<int64_t>({0, 1, 2}, {3})});
  }
}

TEST(StackGradient, PushAndPop) {
  expect_derivatives(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %c = stablehlo.constant dense<2.0> : tensor<f64>
  %s0 = "weft.stack_new"() : () -> !weft.stack<tensor<f64>>
  %s1 = "weft.stack_push"(%s0, %c) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
  %s2 = "weft.stack_push"(%s1, %x) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
  %s3 = "weft.stack_push"(%s2, %y) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
  %p1:2 = "weft.stack_pop"(%s3) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %p2:2 = "weft.stack_pop"(%p1#0) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %p3:2 = "weft.stack_pop"(%p2#0) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %a = stablehlo.multiply %p1#1, %p1#1 : tensor<f64>
  %b = stablehlo.sine %p2#1 : tensor<f64>
  %d = stablehlo.multiply %a, %b : tensor<f64>
  %e = stablehlo.multiply %d, %p3#1 : tensor<f64>
  return %e : tensor<f64>
})",
                     {scalar(0.7), scalar(1.3)});
}

}  // namespace
}  // namespace weft::test
