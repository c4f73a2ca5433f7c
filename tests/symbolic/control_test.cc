// Loops, branches, scans and lanes.
#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_gradient;
using testing::expect_near;
using testing::options;
using testing::value_of;
using Exprs = std::vector<Expr>;
using Span = std::span<const Expr>;

/// Newton's square root: while |y - x| >= 1e-12: x = y, y = (x + a / x) / 2.
Expr newton_sqrt(const Expr& a) {
  return while_loop([](Span s) { return abs(s[1] - s[0]) >= 1e-12; },
                    [&](Span s) { return Exprs{s[1], (s[1] + a / s[1]) / 2}; }, {a, (a + 1) / 2})[1];
}

TEST(While, CapturesItsSurroundings) {
  const Expr a = placeholder<double>({}, "a");
  const auto f = function({a}, {newton_sqrt(a)}, {}, options());
  EXPECT_NEAR(f(Tensor::scalar_of(2.0)).scalar<double>(), 1.4142135623730951, 1e-15);
  EXPECT_NEAR(f(Tensor::scalar_of(1e6)).scalar<double>(), 1000, 1e-9);
}

TEST(While, IsDifferentiableWithoutABound) {
  const Expr a = placeholder<double>({}, "a");
  const Expr root = newton_sqrt(a);
  const Expr slope = grad(root, a);
  const auto f = function({a}, {root, slope}, {}, options());
  const Results r = f(Tensor::scalar_of(2.0));
  EXPECT_NEAR(r[0].scalar<double>(), 1.4142135623730951, 1e-12);
  EXPECT_NEAR(r[1].scalar<double>(), 0.3535533905932738, 1e-9);
  EXPECT_NEAR(f(Tensor::scalar_of(9.0))[1].scalar<double>(), 1.0 / 6, 1e-9);
}

TEST(While, ConditionsOnSumsAndCounts) {
  // until s > 100: s += k, k += 1
  const auto r =
      while_loop([](Span s) { return s[0] <= 100; }, [](Span s) { return Exprs{s[0] + s[1], s[1] + 1}; }, {0, 0});
  const Results v = function({}, r, {}, options())();
  expect_near(v[0], {105});
  expect_near(v[1], {15});
}

TEST(While, RunsNotAtAll) {
  const Expr x = placeholder<double>({}, "x");
  const auto loop = [&](const Expr& v) {
    return while_loop([](Span s) { return s[0] < 0; }, [](Span s) { return Exprs{s[0] * 2}; }, {v})[0];
  };
  const auto f = function({x}, {loop(x), grad(loop(x), x)}, {}, options());
  const Results r = f(Tensor::scalar_of(3.0));
  expect_near(r[0], {3});
  expect_near(r[1], {1});
}

TEST(While, NestsAndHoists) {
  // sum over i < 3, j < i of (i + 10 j) x, with an expression of the outer loop and one of neither inside.
  const Expr x = placeholder<double>({}, "x");
  const auto total = [&](const Expr& v) {
    return while_loop(
        [](Span s) { return s[0] < 3; },
        [&](Span s) {
          const Expr i = s[0];
          const auto inner = while_loop(
              [&](Span t) { return t[0] < i; },
              [&](Span t) { return Exprs{t[0] + 1, t[1] + (cast<double>(i) + 10 * cast<double>(t[0])) * exp(log(v))}; },
              {0, s[1]});
          return Exprs{i + 1, inner[1]};
        },
        {0, filled(ElementType::kF64, {}, 0)})[1];
  };
  // (1,0) (2,0) (2,1): 1 + 2 + 12
  const auto f = function({x}, {total(x), grad(total(x), x)}, {}, options());
  const Results r = f(Tensor::scalar_of(2.0));
  expect_near(r[0], {30}, 1e-12);
  expect_near(r[1], {15}, 1e-12);
}

TEST(While, RefusesWrongBodies) {
  const auto forever = [](Span s) { return s[0] < 1; };
  expect_error<UserError>(
      [&] { while_loop(forever, [](Span s) { return Exprs{cast<float>(s[0])}; }, {0}); },
      "[while_loop] the body changes the type of state 0: got tensor<f32>, expected tensor<i32> as at the start");
  expect_error<UserError>([&] { while_loop(forever, [](Span) { return Exprs{}; }, {0}); },
                          "number of values that the body returns: got 0, expected 1");
  expect_error<UserError>([&] { while_loop([](Span s) { return s[0]; }, [](Span s) { return Exprs{s[0]}; }, {0}); },
                          "[while_loop] the condition is not a truth value: got tensor<i32>, expected tensor<i1>");
  Expr leaked;
  while_loop(forever, [&](Span s) { return Exprs{leaked = s[0] + 1}; }, {0});
  expect_error<UserError>([&] { function({}, {leaked}, {}, options()); }, "is used outside of it");
}

TEST(Cond, RunsOneSide) {
  const Expr x = placeholder<double>({}, "x");
  const Expr y = cond(x > 0, [&] { return Exprs{log(x)}; }, [&] { return Exprs{-x}; })[0];
  const auto f = function({x}, {y, grad(y, x)}, {}, options());
  const Results zero = f(Tensor::scalar_of(0.0));
  expect_near(zero[0], {0});
  expect_near(zero[1], {-1});  // no NaN from the side not taken
  expect_near(f(Tensor::scalar_of(2.0))[1], {0.5});
  // The logarithm stands in a branch.
  const std::string text = function({x}, {y}, {}, options()).text();
  EXPECT_GT(text.find("stablehlo.log"), text.find("stablehlo.if")) << text;
}

TEST(Cond, InALoopAndWithCaptures) {
  // Collatz from 6: 8 steps.
  const auto r =
      while_loop([](Span s) { return s[0] > 1; },
                 [](Span s) {
                   const Expr n = s[0];
                   const Expr next = cond(
                       equal(remainder(n, 2), 0), [&] { return Exprs{n / 2}; }, [&] { return Exprs{3 * n + 1}; })[0];
                   return Exprs{next, s[1] + 1};
                 },
                 {6, 0});
  expect_near(value_of(r[1]), {8});
}

TEST(Cond, RefusesBranchesThatDiffer) {
  const Expr p = placeholder<bool>({}, "p");
  const Expr a = constant(Tensor::scalar_of(1.0f)), b = constant(Tensor::scalar_of(1));
  expect_error<UserError>([&] { cond(p, [&] { return Exprs{a}; }, [&] { return Exprs{b}; }); },
                          "[cond] the branches differ in the type of result 0: got tensor<f32> and tensor<i32>");
  expect_error<UserError>([&] { cond(p, [&] { return Exprs{a}; }, [&] { return Exprs{}; }); },
                          "different numbers of values: got 1 and 0");
  expect_error<UserError>([&] { cond(a, [&] { return Exprs{a}; }, [&] { return Exprs{a}; }); },
                          "[cond] the condition is not a truth value");
}

TEST(Scan, CapturesVariablesAndUpdatesThem) {
  // shared c = 0; 20 steps of c += increment.
  const Variable c = variable(Tensor::scalar_of(0.0f), "c");
  const Expr increment = placeholder<float>({}, "increment");
  const auto out = scan([&](Span carry, Span) { return Exprs{carry[0] + increment}; }, {c}, {}, 20);
  const auto f = function({increment}, {out[0]}, {{c, out[0]}}, options());
  EXPECT_FLOAT_EQ(f(Tensor::scalar_of(2.0f)).scalar<float>(), 40);
  expect_near(c.value(), {40});
  f(Tensor::scalar_of(1.0f));
  expect_near(c.value(), {60});
}

TEST(Scan, StacksOutputs) {
  const Expr x = placeholder<double>({4}, "x");
  const auto out =
      scan([](Span carry, Span v) { return Exprs{carry[0] + v[0], carry[0] * v[0], stack({v[0], carry[0]})}; },
           {filled(ElementType::kF64, {}, 0)}, {x});
  const Results r = function({x}, out, {}, options())(Tensor::of<double>({1, 2, 3, 4}, {4}));
  expect_near(r[0], {10});
  expect_near(r[1], {0, 2, 9, 24});
  expect_near(r[2], {1, 0, 2, 1, 3, 3, 4, 6});
}

TEST(Scan, OfNothing) {
  const Expr x = placeholder<double>({0, 2}, "x");
  const auto out = scan([](Span carry, Span v) { return Exprs{carry[0] + sum(v[0]), v[0]}; },
                        {filled(ElementType::kF64, {}, 7)}, {x});
  const Results r = function({x}, out, {}, options())(zeros<double>({0, 2}));
  expect_near(r[0], {7});
  EXPECT_EQ(r[1].shape(), (Shape{0, 2}));
}

TEST(Scan, GradientsThroughTime) {
  // h = w h + x with x = 1, 2, 3 from 0: 4.25, dh/dw = 2 w x0 + x1 = 3 at w = 0.5.
  const Expr w = placeholder<double>({}, "w");
  const auto h = [](const Expr& v) {
    return scan([&](Span carry, Span x) { return Exprs{v * carry[0] + x[0]}; }, {filled(ElementType::kF64, {}, 0)},
                {constant(Tensor::of<double>({1, 2, 3}, {3}))})[0];
  };
  const auto f = function({w}, {h(w), grad(h(w), w), grad(grad(h(w), w), w)}, {}, options());
  const Results r = f(Tensor::scalar_of(0.5));
  expect_near(r[0], {4.25});
  expect_near(r[1], {3.0});
  expect_near(r[2], {2.0});
  expect_gradient(
      [](const Expr& x) {
        return scan([](Span carry, Span v) { return Exprs{tanh(carry[0]) + v[0], carry[0] * v[0]}; }, {sum(x, {0})},
                    {x})[1];
      },
      Tensor::of<double>({0.3, -1.2, 2.1, 0.9, -0.4, 1.7}, {2, 3}));
}

TEST(Scan, SquaringToTheSecondDerivative) {
  // x -> x^2, 4 times: x^16.
  const Expr x = placeholder<double>({}, "x");
  const Expr y = scan([](Span carry, Span) { return Exprs{square(carry[0])}; }, {x}, {}, 4)[0];
  const Expr first = grad(y, x);
  const Results r = function({x}, {y, first, grad(first, x)}, {}, options())(Tensor::scalar_of(1.1));
  EXPECT_NEAR(r[0].scalar<double>(), 4.594972986, 1e-8);
  EXPECT_NEAR(r[1].scalar<double>(), 66.83597071, 1e-7);
  EXPECT_NEAR(r[2].scalar<double>(), 911.3996006, 1e-6);
}

TEST(Scan, RefusesWrongParts) {
  const Expr x = placeholder<double>({4}, "x"), y = placeholder<double>({3}, "y");
  const auto body = [](Span carry, Span) { return Exprs(carry.begin(), carry.end()); };
  expect_error<UserError>([&] { scan(body, {0}, {x, y}); }, "[scan] length of a sequence: got 3, expected 4");
  expect_error<UserError>([&] { scan(body, {0}, {}); }, "[scan] the number of steps is not known");
  expect_error<UserError>([&] { scan([](Span, Span) { return Exprs{}; }, {0}, {x}); },
                          "expected at least the 1 carries");
}

TEST(Pfor, RunsLanes) {
  const Expr x = placeholder<double>({3}, "x"), scale = placeholder<double>({}, "scale");
  const Expr y = pfor(3, [&](Expr i) { return square(at(x, i)) * scale; });
  expect_near(function({x, scale}, {y}, {}, options())(Tensor::of<double>({1, 2, 3}, {3}), Tensor::scalar_of(2.0))[0],
              {2, 8, 18});
  const Expr z = pfor(Exprs{x, stack({x, x}, 1)}, [](Span v) { return v[0] * sum(v[1]); });
  expect_near(function({x}, {z}, {}, options())(Tensor::of<double>({1, 2, 3}, {3}))[0], {2, 8, 18});
}

TEST(Pfor, LoopsEndLaneByLane) {
  // Trip counts 0, 3, 1, 1000.
  const Expr counts = constant(Tensor::of<int32_t>({0, 3, 1, 1000}, {4}));
  const Expr x = placeholder<double>({4}, "x");
  const Expr y = pfor(Exprs{counts, x}, [](Span lane) {
    const Expr n = lane[0], v = lane[1];
    return while_loop([&](Span s) { return s[0] < n; }, [&](Span s) { return Exprs{s[0] + 1, s[1] + v}; }, {0, v})[1];
  });
  const Results r = function({x}, {y, grad(sum(y), x)}, {}, options())(Tensor::of<double>({1, 2, 3, 4}, {4}));
  expect_near(r[0], {1, 8, 6, 4004});
  expect_near(r[1], {1, 4, 2, 1001});
}

TEST(Pfor, OfGradients) {
  // f = x > 0 ? log x : 0; the gradient at [1, 0] is [1, 0].
  const Expr x = placeholder<double>({2}, "x");
  const Expr slopes = pfor(Exprs{x}, [](Span lane) {
    const Expr v = lane[0];
    const Expr y = cond(v > 0, [&] { return Exprs{log(v)}; }, [&] { return Exprs{0 * v}; })[0];
    return grad(y, v);
  });
  expect_near(function({x}, {slopes}, {}, options())(Tensor::of<double>({1, 0}, {2}))[0], {1, 0});
}

TEST(Pfor, PerExampleGradients) {
  const Variable w = variable(Tensor::of<double>({1, -1}, {2}), "w");
  const Expr x = placeholder<double>({3, 2}, "x");
  const Expr g = pfor(Exprs{x}, [&](Span row) { return grad(square(dot(row[0], w)), w); });
  EXPECT_EQ(g.shape(), (Shape{3, 2}));
  // 2 (w·x) x
  expect_near(function({x}, {g}, {}, options())(Tensor::of<double>({1, 2, 3, 1, 0, 1}, {3, 2}))[0],
              {-2, -4, 12, 4, 0, -2});
}

TEST(Pfor, NestsAndTakesNoLanes) {
  const Expr table = pfor(2, [](Expr i) { return pfor(3, [&](Expr j) { return i * 10 + j; }); });
  expect_near(value_of(table), {0, 1, 2, 10, 11, 12});
  EXPECT_EQ(value_of(pfor(0, [](Expr i) { return i * 2; })).size(), 0);
  expect_near(value_of(pfor(2, [](Expr) { return constant(Tensor::scalar_of(5)); })), {5, 5});
}

TEST(Pfor, RefusesWrongLanes) {
  const Expr x = placeholder<double>({4}, "x"), y = placeholder<double>({3}, "y");
  expect_error<UserError>([&] { pfor(Exprs{x, y}, [](Span v) { return v[0]; }); },
                          "[pfor] number of lanes: got 3 and 4");
  expect_error<UserError>([&] { pfor(-1, [](Expr i) { return i; }); },
                          "[pfor] number of lanes: got -1, expected 0 or more");
  expect_error<UserError>([&] { pfor(Exprs{}, [](Span v) { return v[0]; }); }, "[pfor] there is nothing to run over");
}

TEST(Jacobians, OfLoops) {
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = scan([](Span carry, Span) { return Exprs{square(carry[0])}; }, {x}, {}, 4)[0];
  const Results r = function({x}, {jacobian(y, x)}, {}, options())(Tensor::of<double>({1.1, 1, 0}, {3}));
  expect_near(r[0], {66.83597071, 0, 0, 0, 16, 0, 0, 0, 0}, 1e-8);
}

}  // namespace
}  // namespace weft
