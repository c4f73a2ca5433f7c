// pfor against a loop over the lanes: loops that lanes leave apart, branches that they take apart, nesting, calls, recursion.
#include "transform/vectorize.h"

#include <cmath>

#include "lane_check.h"
#include "ops/record.h"
#include "random_program.h"
#include "text/print.h"
#include "transform/gradient.h"

namespace weft {
namespace {

using std::vector;

const char* kCountDown = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i32>) -> (tensor<f64>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.sine %a : tensor<f64>
    %h = stablehlo.multiply %s, %half : tensor<f64>
    %b = stablehlo.add %h, %x : tensor<f64>
    stablehlo.return %b, %j : tensor<f64>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<f64>, tensor<i32>
})";

TEST(Vectorize, WhileWithTripCountsPerLane) {
  const auto got = expect_lanes_equal_loop(
      kCountDown, {0, 0}, 4, {Tensor::of<double>({0.5, -1, 2, 1}, {4}), Tensor::of<int32_t>({0, 3, 1, 1000}, {4})});
  EXPECT_EQ(got[0].data<double>()[0], 0.5);  // no trip
  EXPECT_EQ(got[0].data<double>()[2], 0.5 * std::sin(2.0) + 2);
  EXPECT_EQ(got[1].data<int32_t>()[3], 1000);
  const auto module = parse_module(kCountDown, "test");
  EXPECT_EQ(count_ops(vectorize(*module, "f", vector<int64_t>{0, 0}, 4), "weft.lane_while"), 1u);
}

TEST(Vectorize, WhileWithUniformTripCountStaysAWhile) {
  expect_lanes_equal_loop(kCountDown, {0, kUniform}, 3,
                          {Tensor::of<double>({0.5, -1, 2}, {3}), Tensor::scalar_of<int32_t>(5)});
  const auto module = parse_module(kCountDown, "test");
  const Function& f = vectorize(*module, "f", vector<int64_t>{0, kUniform}, 3);
  EXPECT_EQ(count_ops(f, "weft.lane_while"), 0u);
  EXPECT_EQ(count_ops(f, "stablehlo.while"), 1u);
}

TEST(Vectorize, ZeroAndOneLane) {
  expect_lanes_equal_loop(kCountDown, {0, 0}, 0, {Tensor::of<double>({}, {0}), Tensor::of<int32_t>({}, {0})});
  expect_lanes_equal_loop(kCountDown, {0, 0}, 1, {Tensor::of<double>({0.25}, {1}), Tensor::of<int32_t>({7}, {1})});
}

// pain P27: no elements, and lanes along an axis of them.
TEST(Vectorize, ZeroSizeArrays) {
  const char* text = R"(
func.func @f(%v: tensor<f64>, %x: tensor<0xf64>) -> (tensor<0xf64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %vv = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f64>) -> tensor<0xf64>
  %q = stablehlo.multiply %x, %x : tensor<0xf64>
  %r = stablehlo.multiply %vv, %q : tensor<0xf64>
  %s = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0xf64>, tensor<f64>) -> tensor<f64>
  return %r, %s : tensor<0xf64>, tensor<f64>
})";
  const auto got =
      expect_lanes_equal_loop(text, {kUniform, 1}, 7, {Tensor::scalar_of(2.0), Tensor::of<double>({}, {0, 7})});
  EXPECT_EQ(got[0].shape(), (Shape{7, 0}));
  expect_lanes_equal_loop(text, {0, 1}, 0, {Tensor::of<double>({}, {0}), Tensor::of<double>({}, {0, 0})});
}

TEST(Vectorize, NothingVaries) {
  const auto got = expect_lanes_equal_loop(kCountDown, {kUniform, kUniform}, 2,
                                           {Tensor::scalar_of(0.5), Tensor::scalar_of<int32_t>(3)});
  EXPECT_EQ(got[0].shape(), Shape{2});
}

// Inner trip count depends on the outer counter and on the lane.
const char* kNested = R"(
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<2xf64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%b = %a, %k = %zero) : tensor<2xf64>, tensor<i32>
    cond {
      %go = stablehlo.compare LE, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %c = stablehlo.cosine %b : tensor<2xf64>
      %d = stablehlo.multiply %c, %x : tensor<2xf64>
      stablehlo.return %d, %k1 : tensor<2xf64>, tensor<i32>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %q#0, %j : tensor<2xf64>, tensor<i32>
  }
  return %r#0 : tensor<2xf64>
})";

TEST(Vectorize, NestedWhile) {
  expect_lanes_equal_loop(kNested, {1, 0}, 3,
                          {Tensor::of<double>({1, 2, 3, 4, 5, 6}, {2, 3}), Tensor::of<int32_t>({0, 4, 2}, {3})});
  expect_lanes_equal_loop(kNested, {1, kUniform}, 3,
                          {Tensor::of<double>({1, 2, 3, 4, 5, 6}, {2, 3}), Tensor::scalar_of<int32_t>(3)});
  expect_lanes_equal_loop(kNested, {kUniform, 0}, 3,
                          {Tensor::of<double>({1, 2}, {2}), Tensor::of<int32_t>({0, 4, 2}, {3})});
}

TEST(Vectorize, PforInPfor) {
  const auto module = parse_module(kNested, "test");
  const vector<int64_t> axes = {0, 0}, uniform_x = {kUniform, 0}, uniform_n = {0, kUniform};
  vectorize(*module, "f", axes, 3, {.name = "g"});
  vectorize(*module, "g", axes, 2, {.name = "both"});
  vectorize(*module, "g", uniform_x, 2, {.name = "n_only"});
  vectorize(*module, "g", uniform_n, 2, {.name = "x_only"});
  verify(*module);
  vector<double> x;
  for (int i = 0; i < 12; ++i) x.push_back(0.3 * i - 1);
  const Tensor xs = Tensor::of<double>(x, {2, 3, 2}), ns = Tensor::of<int32_t>({0, 1, 2, 3, 4, 0}, {2, 3});
  const auto both = evaluate(*module, "both", vector<Tensor>{xs, ns});
  const auto n_only = evaluate(*module, "n_only", vector<Tensor>{slice_at(xs, 0, 1), ns});
  const auto x_only = evaluate(*module, "x_only", vector<Tensor>{xs, slice_at(ns, 0, 1)});
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const Tensor xij = slice_at(slice_at(xs, 0, i), 0, j), x1j = slice_at(slice_at(xs, 0, 1), 0, j);
      const Tensor nij = slice_at(slice_at(ns, 0, i), 0, j), n1j = slice_at(slice_at(ns, 0, 1), 0, j);
      EXPECT_TRUE(
          same_bits(slice_at(slice_at(both[0], 0, i), 0, j), evaluate(*module, "f", vector<Tensor>{xij, nij})[0]));
      EXPECT_TRUE(
          same_bits(slice_at(slice_at(n_only[0], 0, i), 0, j), evaluate(*module, "f", vector<Tensor>{x1j, nij})[0]));
      EXPECT_TRUE(
          same_bits(slice_at(slice_at(x_only[0], 0, i), 0, j), evaluate(*module, "f", vector<Tensor>{xij, n1j})[0]));
    }
  }
}

// x > 0 ? log x : 0 (pain P09).
const char* kLogOrZero = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %l = stablehlo.log %x : tensor<f64>
    stablehlo.return %l : tensor<f64>
  }, {
    stablehlo.return %zero : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";

TEST(Vectorize, BranchNotTakenMakesNoNan) {
  const auto got = expect_lanes_equal_loop(kLogOrZero, {0}, 4, {Tensor::of<double>({1, 0, -3, std::exp(1.0)}, {4})});
  EXPECT_EQ(got[0].data<double>()[1], 0);
  EXPECT_EQ(got[0].data<double>()[3], 1);
}

TEST(Vectorize, GradientOfBranchNotTakenIsZero) {
  const auto module = parse_module(kLogOrZero, "test");
  // pfor of the gradient.
  gradient(*module, "f", vector<size_t>{0}, "g");
  vectorize(*module, "g", vector<int64_t>{0}, 2, {.name = "lanes_of_gradient"});
  const auto a = evaluate(*module, "lanes_of_gradient", vector<Tensor>{Tensor::of<double>({1, 0}, {2})});
  EXPECT_EQ(a[0].data<double>()[0], 1);
  EXPECT_EQ(a[0].data<double>()[1], 0);
  // The derivative of the pfor, pulled back from (1, 1).
  vectorize(*module, "f", vector<int64_t>{0}, 2, {.name = "lanes"});
  vjp(*module, "lanes", vector<size_t>{0}, "derivative_of_lanes");
  const auto b = evaluate(*module, "derivative_of_lanes",
                          vector<Tensor>{Tensor::of<double>({1, 0}, {2}), Tensor::of<double>({1, 1}, {2})});
  EXPECT_EQ(b[0].data<double>()[0], 1);
  EXPECT_EQ(b[0].data<double>()[1], 0);
}

// Rows whose norm is small are left alone: norm r > .5 ? norm r : 1 (pain P09, second program).
TEST(Vectorize, NormOfTheZeroRowHasZeroGradient) {
  const auto module = parse_module(R"(
func.func @f(%r: tensor<2xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %half = stablehlo.constant dense<0.25> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %sq = stablehlo.multiply %r, %r : tensor<2xf64>
  %s = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  %p = stablehlo.compare GT, %s, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %n = "stablehlo.if"(%p) ({
    %t = stablehlo.sqrt %s : tensor<f64>
    stablehlo.return %t : tensor<f64>
  }, {
    stablehlo.return %one : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %n : tensor<f64>
})",
                                   "test");
  const Tensor rows = Tensor::of<double>({1, 2, 3, 4, 0, 0}, {3, 2});
  const double expected[] = {1 / std::sqrt(5.0), 2 / std::sqrt(5.0), 0.6, 0.8, 0, 0};
  gradient(*module, "f", vector<size_t>{0}, "g");
  vectorize(*module, "g", vector<int64_t>{0}, 3, {.name = "lanes_of_gradient"});
  const auto a = evaluate(*module, "lanes_of_gradient", vector<Tensor>{rows});
  vectorize(*module, "f", vector<int64_t>{0}, 3, {.name = "lanes"});
  vjp(*module, "lanes", vector<size_t>{0}, "derivative_of_lanes");
  const auto b = evaluate(*module, "derivative_of_lanes", vector<Tensor>{rows, Tensor::of<double>({1, 1, 1}, {3})});
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(a[0].data<double>()[i], expected[i], 1e-15);
    EXPECT_NEAR(b[0].data<double>()[i], expected[i], 1e-15);
  }
}

TEST(Vectorize, CaseTakenApartWithIndicesOutOfRange) {
  const char* text = R"(
func.func @f(%k: tensor<i32>, %x: tensor<2xf64>, %y: tensor<f64>) -> (tensor<2xf64>, tensor<f64>) {
  %yy = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %r:2 = "stablehlo.case"(%k) ({
    %q = stablehlo.divide %x, %yy : tensor<2xf64>
    stablehlo.return %q, %y : tensor<2xf64>, tensor<f64>
  }, {
    %l = stablehlo.log %x : tensor<2xf64>
    %e = stablehlo.exponential %y : tensor<f64>
    stablehlo.return %l, %e : tensor<2xf64>, tensor<f64>
  }, {
    %two = stablehlo.constant dense<2.0> : tensor<f64>
    stablehlo.return %x, %two : tensor<2xf64>, tensor<f64>
  }) : (tensor<i32>) -> (tensor<2xf64>, tensor<f64>)
  return %r#0, %r#1 : tensor<2xf64>, tensor<f64>
})";
  const Tensor k = Tensor::of<int32_t>({0, 1, 2, -1, 7}, {5});
  const Tensor x = Tensor::of<double>({1, 2, 3, 4, 0, -1, -5, 6, 7, 8}, {5, 2}),
               y = Tensor::of<double>({3, 0, 0, 0, 1}, {5});
  expect_lanes_equal_loop(text, {0, 0, 0}, 5, {k, x, y});
  expect_lanes_equal_loop(text, {0, kUniform, kUniform}, 5,
                          {k, Tensor::of<double>({1, 2}, {2}), Tensor::scalar_of(0.5)});
  expect_lanes_equal_loop(text, {kUniform, 0, kUniform}, 5, {Tensor::scalar_of<int32_t>(1), x, Tensor::scalar_of(0.5)});
}

TEST(Vectorize, CheapBranchesBecomeSelect) {
  const auto module = parse_module(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %n = stablehlo.negate %x : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})",
                                   "test");
  expect_lanes_equal_loop(*module, {0}, 3, {Tensor::of<double>({1.5, -2, 0}, {3})});
  const Function& f = vectorize(*module, "f", vector<int64_t>{0}, 3);
  EXPECT_EQ(count_ops(f, "stablehlo.select"), 1u);
  EXPECT_EQ(count_ops(f, "weft.lane_while"), 0u);
}

// A check inside a branch fails only for lanes that take it; the first failing lane is reported.
TEST(Vectorize, InactiveLanesNeverFail) {
  const char* text = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %nine = stablehlo.constant dense<9.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %ok = stablehlo.compare LT, %x, %nine : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "weft.check"(%ok, %x) {site = "domain", message = "too large: {}"} : (tensor<i1>, tensor<f64>) -> ()
    stablehlo.return %x : tensor<f64>
  }, {
    stablehlo.return %zero : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";
  expect_lanes_equal_loop(text, {0}, 3, {Tensor::of<double>({1, -50, 8}, {3})});
  const auto module = parse_module(text, "test");
  vectorize(*module, "f", vector<int64_t>{0}, 3, {.name = "g"});
  try {
    evaluate(*module, "g", vector<Tensor>{Tensor::of<double>({1, 50, 80}, {3})});
    FAIL() << "lane 1 fails its check";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("too large: 50"), std::string::npos) << e.what();
  }
}

// pfor b: for i: s[b] += x[i]; the counter stays one scalar, so no gather appears (pain P22).
TEST(Vectorize, UniformCounterStaysScalar) {
  const auto module = parse_module(R"(
func.func @f(%s: tensor<f64>, %x: tensor<5xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %s) : tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %e = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<5xf64>, tensor<i32>) -> tensor<1xf64>
    %v = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>
    %b = stablehlo.add %a, %v : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})",
                                   "test");
  const Tensor s = Tensor::of<double>({10, 20}, {2});
  expect_lanes_equal_loop(*module, {0, kUniform}, 2, {s, Tensor::of<double>({1, 2, 3, 4, 5}, {5})});
  expect_lanes_equal_loop(*module, {0, 1}, 2, {s, Tensor::of<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5, 2})});
  for (const vector<int64_t>& axes : {vector<int64_t>{0, kUniform}, vector<int64_t>{0, 0}}) {
    const Function& f = vectorize(*module, "f", axes, 2);
    EXPECT_EQ(count_ops(f, "stablehlo.gather"), 0u);
    EXPECT_EQ(count_ops(f, "stablehlo.dynamic_slice"), 1u);
    EXPECT_EQ(count_ops(f, "stablehlo.while"), 1u);
  }
}

// x → x+1 ten times over [1,2,3]; jacobian of x → x², four times, at 1.1 (pain P25).
TEST(Vectorize, LoopsOverLanesAndTheirDerivatives) {
  const auto plus = parse_module(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<10> : tensor<i32>
  %step = stablehlo.constant dense<1.0> : tensor<f64>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.add %a, %step : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})",
                                 "test");
  const auto got = expect_lanes_equal_loop(*plus, {0}, 3, {Tensor::of<double>({1, 2, 3}, {3})});
  EXPECT_EQ(got[0].data<double>()[0], 11);
  EXPECT_EQ(got[0].data<double>()[2], 13);

  const auto squares = parse_module(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.multiply %a, %a : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})",
                                    "test");
  const Tensor x = Tensor::of<double>({1.1, 0.5, -2}, {3});
  const auto derivative = [](double v) { return 16 * std::pow(v, 15); };
  gradient(*squares, "f", vector<size_t>{0}, "g");
  vectorize(*squares, "g", vector<int64_t>{0}, 3, {.name = "lanes_of_gradient"});
  vectorize(*squares, "f", vector<int64_t>{0}, 3, {.name = "lanes"});
  vjp(*squares, "lanes", vector<size_t>{0}, "gradient_of_lanes");
  jvp(*squares, "lanes", "forward_of_lanes");
  const Tensor ones = Tensor::of<double>({1, 1, 1}, {3});
  const auto a = evaluate(*squares, "lanes_of_gradient", vector<Tensor>{x});
  const auto b = evaluate(*squares, "gradient_of_lanes", vector<Tensor>{x, ones});
  const auto c = evaluate(*squares, "forward_of_lanes", vector<Tensor>{x, ones});
  EXPECT_NEAR(a[0].data<double>()[0], 66.83597071, 1e-8);
  for (size_t i = 0; i < 3; ++i) {
    const double expected = derivative(x.data<double>()[i]);
    EXPECT_NEAR(a[0].data<double>()[i], expected, 1e-12 * std::fabs(expected));
    EXPECT_NEAR(b[0].data<double>()[i], expected, 1e-12 * std::fabs(expected));
    EXPECT_NEAR(c[1].data<double>()[i], expected, 1e-12 * std::fabs(expected));
  }
}

// Stacks per lane: the gradient of a loop whose trip counts differ, in both orders of the two transforms.
TEST(Vectorize, GradientWithTripCountsPerLane) {
  const auto module = parse_module(kCountDown, "test");
  const Tensor x = Tensor::of<double>({0.5, -1, 2, 1}, {4}), n = Tensor::of<int32_t>({0, 3, 1, 1000}, {4});
  gradient(*module, "f", vector<size_t>{0}, "g");
  vectorize(*module, "g", vector<int64_t>{0, 0}, 4, {.name = "lanes_of_gradient"});
  vectorize(*module, "f", vector<int64_t>{0, 0}, 4, {.name = "lanes"});
  vjp(*module, "lanes", vector<size_t>{0}, "gradient_of_lanes");
  verify(*module);
  const auto a = evaluate(*module, "lanes_of_gradient", vector<Tensor>{x, n});
  const auto b = evaluate(*module, "gradient_of_lanes", vector<Tensor>{x, n, Tensor::of<double>({1, 1, 1, 1}, {4})});
  for (size_t lane = 0; lane < 4; ++lane) {
    // a' = cos(a)·a'/2 + 1, forward by hand.
    double value = x.data<double>()[lane], tangent = 1;
    for (int i = 0; i < n.data<int32_t>()[lane]; ++i) {
      tangent = 0.5 * std::cos(value) * tangent + 1;
      value = 0.5 * std::sin(value) + x.data<double>()[lane];
    }
    EXPECT_NEAR(a[0].data<double>()[lane], tangent, 1e-13) << lane;
    EXPECT_NEAR(b[0].data<double>()[lane], tangent, 1e-13) << lane;
  }
}

// One lane takes 200 steps, the others none: work is that of the one lane (pains P20 and P21), counted in trips of the body.
TEST(Vectorize, LanesThatAreDoneDoNoWork) {
  const auto module = parse_module(R"(
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %j = func.call @step(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func private @step(%i: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<200> : tensor<i32>
  %ok = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "weft.check"(%ok) {message = "a lane went too far"} : (tensor<i1>) -> ()
  %j = stablehlo.add %i, %one : tensor<i32>
  return %j : tensor<i32>
})",
                                   "test");
  // Any lane that ran on beyond its own count would fail the check at the longest lane's end or give a wrong count.
  vector<int32_t> n(16, 1);
  n[7] = 200;
  n[3] = 0;
  const auto got = expect_lanes_equal_loop(*module, {0}, 16, {Tensor::of<int32_t>(n, {16})});
  for (size_t i = 0; i < n.size(); ++i) EXPECT_EQ(got[0].data<int32_t>()[i], n[i]);
}

TEST(Vectorize, CallsAreVectorizedOncePerPattern) {
  const auto module = parse_module(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %a:2 = func.call @g(%x, %y) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %b:2 = func.call @g(%a#0, %y) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %c:2 = func.call @g(%y, %b#1) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %b#0, %c#1 : tensor<f64>, tensor<f64>
}
func.func private @g(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %p = stablehlo.multiply %x, %y : tensor<f64>
  %s = stablehlo.add %y, %y : tensor<f64>
  return %p, %s : tensor<f64>, tensor<f64>
})",
                                   "test");
  const size_t before = module->functions().size();
  expect_lanes_equal_loop(*module, {0, kUniform}, 3, {Tensor::of<double>({1, 2, 3}, {3}), Tensor::scalar_of(0.5)});
  // @f over lanes, @g with the first argument varying; the third call does not vary and stays @g itself.
  EXPECT_EQ(module->functions().size(), before + 2);
}

const char* kPower = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare LE, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    stablehlo.return %one : tensor<f64>
  }, {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %n, %one : tensor<i32>
    %q = func.call @f(%x, %m) : (tensor<f64>, tensor<i32>) -> tensor<f64>
    %v = stablehlo.multiply %x, %q : tensor<f64>
    stablehlo.return %v : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";

TEST(Vectorize, Recursion) {
  const Tensor x = Tensor::of<double>({2, 3, 0.5}, {3}), n = Tensor::of<int32_t>({3, 0, 5}, {3});
  const auto got = expect_lanes_equal_loop(kPower, {0, 0}, 3, {x, n});
  EXPECT_EQ(got[0].data<double>()[0], 8);
  EXPECT_EQ(got[0].data<double>()[2], 0.03125);
  expect_lanes_equal_loop(kPower, {0, kUniform}, 3, {x, Tensor::scalar_of<int32_t>(4)});
}

TEST(Vectorize, ReplacesItselfAndKeepsCallersRight) {
  const auto module = parse_module(kPower, "test");
  vectorize(*module, "f", vector<int64_t>{0, 0}, 3, {.name = "f"});
  verify(*module);
  const auto got =
      evaluate(*module, "f", vector<Tensor>{Tensor::of<double>({2, 3, 0.5}, {3}), Tensor::of<int32_t>({3, 0, 5}, {3})});
  EXPECT_EQ(got[0].data<double>()[0], 8);
  EXPECT_EQ(got[0].data<double>()[1], 1);
}

/// Bits, NaN payloads aside.
bool same_value(const Tensor& a, const Tensor& b) {
  if (a.element_type() != ElementType::kF64) return same_bits(a, b);
  for (size_t i = 0; i < static_cast<size_t>(a.size()); ++i) {
    const double x = a.data<double>()[i], y = b.data<double>()[i];
    if (std::memcmp(&x, &y, sizeof x) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return a.shape() == b.shape();
}

/// Lanes against a loop for `name` of the random program `seed`; which arguments vary follows from the seed.
void expect_random_lanes(Module& module, const std::string& name, uint32_t seed) {
  constexpr int64_t kLanes = 3;
  const uint32_t mask = seed % 8;
  const vector<int64_t> axes = {(mask & 1) != 0 ? 0 : kUniform, (mask & 2) != 0 ? 1 : kUniform,
                                (mask & 4) != 0 ? 0 : kUniform};
  vector<double> m(18);
  for (size_t i = 0; i < m.size(); ++i) m[i] = 0.37 * static_cast<double>(i) - 2.5;
  const vector<Tensor> args = {
      axes[0] == 0 ? Tensor::of<double>({0.75, -1.5, 0}, {3}) : Tensor::scalar_of(0.75),
      axes[1] == 1 ? Tensor::of<double>(m, {2, 3, 3}) : Tensor::of<double>({1, -2, 3, 0.5, -0.0, 7}, {2, 3}),
      axes[2] == 0 ? Tensor::of<int32_t>({0, 1, -4}, {3}) : Tensor::scalar_of<int32_t>(1)};
  vectorize(module, name, axes, kLanes, {.name = "over_lanes"});
  verify(module);
  const auto got = evaluate(module, "over_lanes", args);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    vector<Tensor> one;
    for (size_t i = 0; i < args.size(); ++i)
      one.push_back(axes[i] == kUniform ? args[i] : slice_at(args[i], axes[i], lane));
    const auto expected = evaluate(module, name, one);
    for (size_t r = 0; r < expected.size(); ++r) {
      ASSERT_TRUE(same_value(slice_at(got[r], 0, lane), expected[r]))
          << "seed " << seed << ", lane " << lane << ", result " << r << "\n"
          << print_function(module.get(name)) << print_function(module.get("over_lanes"));
    }
  }
}

TEST(Vectorize, RandomPrograms) {
  for (uint32_t seed = 0; seed < 200; ++seed) expect_random_lanes(*RandomProgram(seed).make(20), "f", seed);
}

TEST(Vectorize, GradientsOfRandomPrograms) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const auto module = RandomProgram(seed).make(12);
    gradient(*module, "f", vector<size_t>{0, 1}, "g");
    expect_random_lanes(*module, "g", seed);
  }
}

// The derivative of the function over lanes against the derivative of each lane: what an inactive lane would have computed must
// not come back, as NaN least of all.
TEST(Vectorize, DerivativesOverLanesOfRandomPrograms) {
  constexpr int64_t kLanes = 3;
  vector<double> m(18);
  for (size_t i = 0; i < m.size(); ++i) m[i] = 0.37 * static_cast<double>(i) - 2.5;
  const vector<Tensor> args = {Tensor::of<double>({0.75, -1.5, 0}, {3}), Tensor::of<double>(m, {3, 2, 3}),
                               Tensor::of<int32_t>({0, 1, -4}, {3}), Tensor::of<double>({1, 1, -2}, {3}),
                               Tensor::of<double>(vector<double>(18, 0.5), {3, 2, 3})};
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const auto module = RandomProgram(seed).make(12);
    vjp(*module, "f", vector<size_t>{0, 1}, "one");
    vectorize(*module, "f", vector<int64_t>{0, 0, 0}, kLanes, {.name = "lanes"});
    vjp(*module, "lanes", vector<size_t>{0, 1}, "all");
    const auto got = evaluate(*module, "all", args);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      vector<Tensor> slices;
      for (const Tensor& t : args) slices.push_back(slice_at(t, 0, lane));
      const auto expected = evaluate(*module, "one", slices);
      for (size_t r = 0; r < expected.size(); ++r) {
        const Tensor part = slice_at(got[r], 0, lane);
        for (size_t i = 0; i < static_cast<size_t>(part.size()); ++i) {
          const double x = part.data<double>()[i], y = expected[r].data<double>()[i];
          ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= 1e-12 * std::fabs(y))
              << "seed " << seed << ", lane " << lane << ", result " << r << ": got " << x << ", expected " << y << "\n"
              << print_function(module->get("f"));
        }
      }
    }
  }
}

TEST(Vectorize, WrongMarksAreNamed) {
  const auto module = parse_module(kPower, "test");
  const auto message = [&](vector<int64_t> axes, int64_t lanes) {
    try {
      vectorize(*module, "f", axes, lanes);
    } catch (const UserError& e) { return std::string(e.what()); }
    return std::string("no error");
  };
  EXPECT_NE(message({0}, 3).find("got 1, expected one for each of 2 arguments"), std::string::npos);
  EXPECT_NE(message({1, 0}, 3).find("lane axis of argument 0: got 1, expected 0 to 0"), std::string::npos);
  EXPECT_NE(message({0, 0}, -1).find("number of lanes: got -1"), std::string::npos);
}

TEST(Vectorize, ReductionBodyWithVaryingCaptureIsRefused) {
  const auto module = parse_module(R"(
func.func @f(%x: tensor<3xf64>, %s: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %t = stablehlo.multiply %b, %s : tensor<f64>
    %u = stablehlo.add %a, %t : tensor<f64>
    stablehlo.return %u : tensor<f64>
  }) : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})",
                                   "test");
  try {
    vectorize(*module, "f", vector<int64_t>{kUniform, 0}, 2);
    FAIL() << "the body uses a value that varies by lane";
  } catch (const Unsupported& e) {
    EXPECT_NE(std::string(e.what()).find("[stablehlo.reduce]"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace weft
