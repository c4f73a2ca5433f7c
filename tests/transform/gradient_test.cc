#include "derivative_check.h"

namespace weft::test {
namespace {

TEST(Gradient, StraightLineScalars) {
  expect_derivatives(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.multiply %x, %y : tensor<f64>
  %1 = stablehlo.sine %0 : tensor<f64>
  %2 = stablehlo.exponential %y : tensor<f64>
  %3 = stablehlo.divide %1, %2 : tensor<f64>
  %4 = stablehlo.add %3, %0 : tensor<f64>
  %5 = stablehlo.tanh %4 : tensor<f64>
  %6 = stablehlo.multiply %5, %x : tensor<f64>
  return %6 : tensor<f64>
})",
                     {scalar(0.7), scalar(1.3)});
}

TEST(Gradient, UnusedArgumentIsZero) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<f64>, %y: tensor<3xf64>, %n: tensor<i64>) -> tensor<f64> {
  %0 = stablehlo.multiply %x, %x : tensor<f64>
  return %0 : tensor<f64>
})",
                        "t");
  const size_t args[] = {1, 0};
  gradient(*m, "f", args, "g", true);
  const auto out = run(*m, "g", {scalar(3), vector({1, 2, 3}), integer(5)});
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].scalar<double>(), 9);
  EXPECT_EQ(out[1].shape(), Shape{3});
  for (double g : out[1].data<double>()) EXPECT_EQ(g, 0);
  EXPECT_EQ(out[2].scalar<double>(), 6);
}

constexpr const char* kNewton = R"(
func.func @f(%a: tensor<f64>) -> tensor<f64> {
  %half = stablehlo.constant dense<5.000000e-01> : tensor<f64>
  %eps = stablehlo.constant dense<1.000000e-12> : tensor<f64>
  %q0 = stablehlo.divide %a, %a : tensor<f64>
  %s0 = stablehlo.add %a, %q0 : tensor<f64>
  %y0 = stablehlo.multiply %s0, %half : tensor<f64>
  %0:2 = stablehlo.while(%x = %a, %y = %y0) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %p = stablehlo.compare GE, %m, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %y : tensor<f64>
    %s = stablehlo.add %y, %q : tensor<f64>
    %n = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %y, %n : tensor<f64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})";

TEST(Gradient, NewtonSquareRoot) {
  auto m = parse_module(kNewton, "newton.mlir");
  const size_t args[] = {0};
  gradient(*m, "f", args, "g", true);
  const auto out = run(*m, "g", {scalar(2)});
  EXPECT_NEAR(out[0].scalar<double>(), 1.414213562, 1e-9);
  EXPECT_NEAR(out[1].scalar<double>(), .3535533906, 1e-10);
  gradient(*m, "g", args, "gg");
  // Result 0 of g is the value, so gg is the derivative of that; the second derivative is that of f's gradient alone.
  gradient(*m, "f", args, "d");
  gradient(*m, "d", args, "dd");
  EXPECT_NEAR(run(*m, "dd", {scalar(2)})[0].scalar<double>(), -0.25 * std::pow(2, -1.5), 1e-10);
}

/// x → x^2, n times.
constexpr const char* kSquares = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = stablehlo.multiply %v, %v : tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})";

TEST(Gradient, SecondOrderThroughALoopInAllOrders) {
  expect_derivatives(kSquares, {scalar(1.1), integer(4)});
  const size_t args[] = {0};
  for (const std::string order : {"FF", "FR", "RF", "RR"}) {
    auto m = parse_module(kSquares, "squares.mlir");
    // The inner derivative, by the second letter; then the outer.
    std::string text;
    const auto derive = [&](char mode, const std::string& f, const std::string& as) {
      if (mode == 'R') {
        gradient(*m, f, args, as);
        return;
      }
      jvp(*m, f, args, as + "_jvp");
      // d/dx as a function of x: the tangent result for tangent one.
      auto wrapped = std::make_unique<Function>(as);
      OpBuilder b(*wrapped, wrapped->body(), m.get());
      std::vector<Value> in = {wrapped->add_arg(wrapped->body(), Type::scalar(ElementType::kF64)),
                               wrapped->add_arg(wrapped->body(), Type::scalar(ElementType::kI64))};
      in.push_back(b.scalar(ElementType::kF64, 1));
      const Function& callee = m->get(as + "_jvp");
      const std::vector<Value> out = b.create("func.call", in, {{"callee", as + "_jvp"}}, callee.result_types());
      b.yield(std::span(&out.back(), 1));
      m->add(std::move(wrapped));
    };
    derive(order[1], "f", "d");
    derive(order[0], "d", "dd");
    EXPECT_NEAR(run(*m, "f", {scalar(1.1), integer(4)})[0].scalar<double>(), 4.594972986, 1e-9) << order;
    EXPECT_NEAR(run(*m, "d", {scalar(1.1), integer(4)})[0].scalar<double>(), 66.83597071, 1e-8) << order;
    EXPECT_NEAR(run(*m, "dd", {scalar(1.1), integer(4)})[0].scalar<double>(), 911.3996006, 1e-7) << order;
  }
}

}  // namespace
}  // namespace weft::test
