// Matrices of derivatives, products with them, gradients of examples, and rules of the caller's.
#include <complex>

#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::options;
using testing::value_of;
using Exprs = std::vector<Expr>;
using Span = std::span<const Expr>;

Tensor vec(std::vector<double> v) {
  const auto n = static_cast<int64_t>(v.size());
  return Tensor::of<double>(v, {n});
}

TEST(Jacobians, BatchJacobianOfSquares) {
  const Expr x = placeholder<float>({2, 2}, "x");
  for (const auto direction : {JacobianOptions::kAuto, JacobianOptions::kForward, JacobianOptions::kReverse}) {
    const Expr j = batch_jacobian(square(x), x, {.direction = direction});
    EXPECT_EQ(j.shape(), (Shape{2, 2, 2}));
    const Results r = function({x}, {j}, {}, options())(Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
    expect_near(r[0], {2, 0, 0, 4, 6, 0, 0, 8});
  }
}

TEST(Jacobians, EitherWayAndInChunks) {
  // y = (w·x)²: dy_i/dx_j = 2 (w·x)_i w_ij.
  const Expr x = placeholder<double>({3}, "x"), w = placeholder<double>({2, 3}, "w");
  const Expr y = square(dot(w, x));
  const Tensor at = vec({1, 2, -1}), weights = Tensor::of<double>({1, 0, 2, 0.5, 1, 1}, {2, 3});
  for (const JacobianOptions o :
       {JacobianOptions{}, JacobianOptions{.direction = JacobianOptions::kForward},
        JacobianOptions{.direction = JacobianOptions::kReverse, .chunk = 1},
        JacobianOptions{.direction = JacobianOptions::kForward, .chunk = 2}, JacobianOptions{.memory = 1}}) {
    expect_near(function({x, w}, {jacobian(y, x, o)}, {}, options())(at, weights)[0], {-2, 0, -4, 1.5, 3, 3});
  }
}

TEST(Jacobians, SeveralInputsAndOutputs) {
  const Expr a = placeholder<double>({2}, "a"), b = placeholder<double>({}, "b"), c = placeholder<double>({1}, "c");
  // Of neither output c is a part, of the second a is none: zeros.
  const auto j = jacobian(Exprs{a * b, square(b)}, Exprs{a, b, c});
  ASSERT_EQ(j.size(), 2U);
  ASSERT_EQ(j[0].size(), 3U);
  const Results r = function({a, b, c}, {j[0][0], j[0][1], j[0][2], j[1][0], j[1][1], j[1][2]}, {}, options())(
      vec({3, 4}), Tensor::scalar_of(5.0), vec({6}));
  expect_near(r[0], {5, 0, 0, 5});
  expect_near(r[1], {3, 4});
  expect_near(r[2], {0, 0});
  EXPECT_EQ(r[2].shape(), (Shape{2, 1}));
  expect_near(r[3], {0, 0});
  expect_near(r[4], {10});
  expect_near(r[5], {0});
  const Expr none = jacobian(a, c);
  expect_near(function({a, c}, {none, grad(sum(a), c)}, {}, options())(vec({1, 2}), vec({1}))[0], {0, 0});
}

TEST(Jacobians, OfComplexNumbers) {
  using C = std::complex<double>;
  const Expr z = placeholder(ElementType::kC128, {2}, "z");
  const Expr j = jacobian(z * z, z), g = grad(sum(elementwise("real", z * z)), z);
  const Results r = function({z}, {j, g}, {}, options())(Tensor::of<C>({C(1, 2), C(3, -1)}, {2}));
  const auto of_square = r[0].data<C>(), of_real = r[1].data<C>();
  const C expected[] = {C(2, 4), 0, 0, C(6, -2)};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(of_square[i], expected[i]) << i;
  // Re z² = x² - y²: d/dx - i d/dy = 2x + 2iy.
  EXPECT_EQ(of_real[0], C(2, 4));
  EXPECT_EQ(of_real[1], C(6, -2));
}

TEST(Jacobians, OfJacobians) {
  // x³: first 3x², second 6x on the diagonal of three axes; the same of one of the other mode.
  const Expr x = placeholder<double>({2}, "x");
  const Expr y = x * x * x;
  for (const auto inner : {JacobianOptions::kForward, JacobianOptions::kReverse}) {
    for (const auto outer : {JacobianOptions::kForward, JacobianOptions::kReverse}) {
      const Expr second = jacobian(jacobian(y, x, {.direction = inner}), x, {.direction = outer, .chunk = 3});
      expect_near(function({x}, {second}, {}, options())(vec({2, -1}))[0], {12, 0, 0, 0, 0, 0, 0, -6});
    }
  }
}

TEST(Jacobians, OfNothing) {
  const Expr x = placeholder<double>({0, 7}, "x"), v = placeholder<double>({}, "v");
  const Results r = function({x, v}, {jacobian(v * square(x), v), jacobian(sum(x), x)}, {}, options())(
      zeros<double>({0, 7}), Tensor::scalar_of(1.0));
  EXPECT_EQ(r[0].shape(), (Shape{0, 7}));
  EXPECT_EQ(r[1].shape(), (Shape{0, 7}));
}

TEST(Jacobians, RefuseWhatHasNone) {
  const Expr x = placeholder<double>({3}, "x"), i = placeholder<int32_t>({3}, "i"), y = placeholder<double>({2}, "y");
  expect_error<UserError>([&] { jacobian(i, x); }, "[jacobian] no derivative of a value that is not floating-point");
  expect_error<UserError>([&] { jacobian(x, i); }, "[jacobian] no derivative by a value that is not floating-point");
  expect_error<UserError>([&] { batch_jacobian(x, y); },
                          "[batch_jacobian] number of examples: got tensor<3xf64> by tensor<2xf64>");
  expect_error<UserError>([&] { jacobian(x, x, {.chunk = -1}); }, "[jacobian] chunk: got -1");
  expect_error<UserError>([&] { hessian(x, x); }, "[hessian] the loss is not a floating-point number");
  expect_error<UserError>([&] { jvp(x, x, y); }, "[jvp] tangent 0: got tensor<2xf64>, expected tensor<3xf64>");
  expect_error<UserError>([&] { vjp(Exprs{x}, Exprs{x}, {}); }, "[vjp] number of cotangents: got 0, expected 1");
}

TEST(Products, WithTheJacobianAndTheHessian) {
  const Expr x = placeholder<double>({3}, "x"), w = constant(Tensor::of<double>({1, 0, 2, 0.5, 1, 1}, {2, 3}));
  const Expr y = square(dot(w, x));
  const Expr v = constant(vec({1, 0.5, -1})), u = constant(vec({2, 1}));
  const Expr j = jacobian(y, x), h = hessian(sum(y), x);
  const Results r = function({x}, {jvp(y, x, v), dot(j, v), vjp(y, x, u), dot(u, j), hvp(sum(y), x, v), dot(h, v)}, {},
                             options())(vec({1, 2, -1}));
  for (size_t i = 0; i < 6; i += 2) expect_near(r[i], testing::doubles(r[i + 1]), 1e-13);
  expect_near(r[0], {2, 0.0});  // -2 + 4, 1.5 + 1.5 - 3
}

TEST(Products, OfSeveral) {
  const Expr a = placeholder<double>({2}, "a"), b = placeholder<double>({}, "b");
  const Exprs t = jvp(Exprs{a * b, square(b)}, Exprs{a, b}, {1, 10});  // a number stands for all elements
  const Exprs c = vjp(Exprs{a * b, square(b)}, Exprs{a, b}, {constant(vec({1, 2})), 3});
  const Exprs h = hvp(sum(a * a) * b, Exprs{a, b}, {1, 0});
  const Results r =
      function({a, b}, {t[0], t[1], c[0], c[1], h[0], h[1]}, {}, options())(vec({3, 4}), Tensor::scalar_of(5.0));
  expect_near(r[0], {35, 45});
  expect_near(r[1], {100});
  expect_near(r[2], {5, 10});
  expect_near(r[3], {41});  // 3 + 8 + 30
  expect_near(r[4], {10, 10});
  expect_near(r[5], {14});
}

TEST(Hessians, OfLossesOfExamples) {
  // log(1 + (w·x)²) for each row of x; the Hessian by w is f'' x xᵀ with f'' = 2 (1 - s²) / (1 + s²)².
  const Variable w = variable(vec({0.5, -1}), "w");
  const Expr x = placeholder<double>({3, 2}, "x");
  const Expr h = pfor(x, [&](const Expr& row) { return hessian(log1p(square(dot(row, w))), w); });
  const std::vector<double> rows = {1, 2, 0.3, -0.7, 2, 0};
  std::vector<double> expected;
  for (size_t i = 0; i < 6; i += 2) {
    const double s = 0.5 * rows[i] - rows[i + 1], f = 2 * (1 - s * s) / ((1 + s * s) * (1 + s * s));
    for (double a : {rows[i], rows[i + 1]}) {
      for (double b : {rows[i], rows[i + 1]}) expected.push_back(f * a * b);
    }
  }
  expect_near(function({x}, {h}, {}, options())(Tensor::of<double>(rows, {3, 2}))[0], expected, 1e-12);
}

TEST(Hessians, ThroughPforOfWhile) {
  // Lane i doubles x_i i times and cubes it: gradients and Hessian of the sum run through lanes that leave a loop apart.
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = pfor(std::tuple(x, iota(ElementType::kI32, {3})), [](const Expr& v, const Expr& n) {
    const Expr s =
        while_loop([&](Span c) { return c[0] < n; }, [](Span c) { return Exprs{c[0] + 1, c[1] * 2}; }, {0, v})[1];
    return s * s * s;
  });
  const Expr g = grad(sum(y), x);
  const Results r = function({x}, {g, hessian(sum(y), x), hvp(sum(y), x, 1)}, {}, options())(vec({1, 2, 3}));
  // d/dx (2^i x)³ = 3·8^i x², then 6·8^i x.
  expect_near(r[0], {3, 96, 1728});
  expect_near(r[1], {6, 0, 0, 0, 96, 0, 0, 0, 1152});
  expect_near(r[2], {6, 96, 1152});
}

// ---- examples ----------------------------------------------------------------------------------------------------------

/// The loss of one example of a two-layer perceptron; the squared length of its gradient has two products.
struct Perceptron {
  Variable w1 = variable(Tensor::of<double>({0.1, -0.4, 0.3, 0.8, 0.5, -0.2}, {2, 3}), "w1");
  Variable w2 = variable(Tensor::of<double>({0.7, -0.1, 0.2}, {3}), "w2");
  Expr loss(const Expr& x, const Expr& y) const { return square(dot(tanh(dot(x, w1)), w2) - y); }
};

TEST(Examples, ClippedGradientsAreThoseOfEachOneClipped) {
  const Perceptron p;
  const Expr x = placeholder<double>({4, 2}, "x"), y = placeholder<double>({4}, "y");
  const std::tuple data(x, y);
  const auto loss = [&](const Expr& a, const Expr& b) { return p.loss(a, b); };
  const double bound = 0.5;
  const ClippedGradients clipped = clipped_grad(data, loss, {p.w1, p.w2}, bound);
  const Exprs each = pfor(data, [&](const Expr& a, const Expr& b) { return grad(p.loss(a, b), {p.w1, p.w2}); });
  const auto f =
      function({x, y}, {clipped.gradients[0], clipped.gradients[1], clipped.norms, each[0], each[1]}, {}, options());
  const Results r = f(Tensor::of<double>({1, 2, -0.5, 0.3, 0, 0, 2, 2}, {4, 2}), vec({1, -1, 0, 3}));
  const std::vector<double> g1 = testing::doubles(r[3]), g2 = testing::doubles(r[4]), norms = testing::doubles(r[2]);
  std::vector<double> sum1(6), sum2(3);
  bool some_clipped = false, some_kept = false;
  for (size_t i = 0; i < 4; ++i) {
    double squares = 0;
    for (size_t k = 0; k < 6; ++k) squares += g1[i * 6 + k] * g1[i * 6 + k];
    for (size_t k = 0; k < 3; ++k) squares += g2[i * 3 + k] * g2[i * 3 + k];
    EXPECT_NEAR(norms[i], std::sqrt(squares), 1e-13);
    const double scale = std::min(1.0, bound / std::max(std::sqrt(squares), 1e-300));
    (scale < 1 ? some_clipped : some_kept) = true;
    for (size_t k = 0; k < 6; ++k) sum1[k] += scale * g1[i * 6 + k];
    for (size_t k = 0; k < 3; ++k) sum2[k] += scale * g2[i * 3 + k];
  }
  EXPECT_TRUE(some_clipped && some_kept);
  expect_near(r[0], sum1, 1e-13);
  expect_near(r[1], sum2, 1e-13);
}

TEST(Examples, LengthsOfGradientsFormNoProducts) {
  // 64 examples of a layer 300 x 200 on three rows each: the gradients of all are 64·300·200 numbers, which nothing holds.
  constexpr int64_t kExamples = 64, kIn = 300, kOut = 200;
  const Variable w = variable(full<double>({kIn, kOut}, 0.01), "w");
  const Expr x = placeholder<double>({kExamples, 3, kIn}, "x");
  const auto norm = [&](const Expr& one) { return squared_grad_norm(sum(square(dot(one, w))), {w}); };
  const CompiledGraph f = function({x}, {pfor(x, norm)}, {}, options());
  EXPECT_EQ(f.text().find("64x300x200"), std::string::npos) << f.text();
  const Expr plain = pfor(x, [&](const Expr& one) { return sum(square(grad(sum(square(dot(one, w))), w))); });
  Tensor data(ElementType::kF64, {kExamples, 3, kIn});
  for (int64_t i = 0; i < data.size(); ++i) data.mutable_data<double>()[i] = static_cast<double>(i % 17) * 0.1 - 0.7;
  expect_near(f(data)[0], testing::doubles(function({x}, {plain}, {}, options())(data)[0]), 1e-10);
}

TEST(Examples, GradientsOfTablesAreIndicesAndValues) {
  // Rows 4, 1, 4 of a table: the gradient is three rows with their indices, and add_at takes them into the table in place.
  const Variable table = variable(Tensor::of<double>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {5, 2}), "table");
  const Expr ids = placeholder<int32_t>({3}, "ids");
  const Expr rows = take(table, ids);
  const Expr loss = sum(square(rows) * constant(Tensor::of<double>({1, 2, 3}, {3, 1})));
  const Expr values = grad(loss, rows);
  const auto f = function({ids}, {values, grad(loss, table), add_at(constant(zeros<double>({5, 2})), ids, values)},
                          {{table, add_at(table, ids, -0.1 * values)}}, options());
  const Results r = f(Tensor::of<int32_t>({4, 1, 4}, {3}));
  expect_near(r[0], {16, 18, 8, 12, 48, 54});
  expect_near(r[1], {0, 0, 8, 12, 0, 0, 0, 0, 64, 72});
  expect_near(r[2], testing::doubles(r[1]));
  expect_near(table.value(), {0, 1, 1.2, 1.8, 4, 5, 6, 7, 1.6, 1.8});
  expect_error<UserError>(
      [&] { add_at(table, ids, table); },
      "[add_at] the values are not a row for each index: got tensor<5x2xf64>, expected tensor<3x2xf64>");
}

// ---- rules of the caller's -------------------------------------------------------------------------------------------------

TEST(Rules, CustomJvpInAllModes) {
  // log(1 + eˣ) with its derivative written so that it holds for large x, where the plain one is inf / inf.
  const auto softplus = [](const Expr& x) {
    return custom_jvp([](Span s) { return Exprs{log1p(exp(s[0]))}; },
                      [](Span s, Span t) { return Exprs{log1p(exp(s[0])), t[0] * sigmoid(s[0])}; }, {x})[0];
  };
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = softplus(x);
  const Results r = function({x},
                             {grad(sum(y), x), jvp(y, x, 2), grad(sum(grad(sum(y), x)), x),
                              pfor(x, [&](const Expr& e) { return grad(softplus(e), e); })},
                             {}, options())(vec({0, 1000, -1000}));
  expect_near(r[0], {0.5, 1, 0});
  expect_near(r[1], {1, 2, 0});
  expect_near(r[2], {0.25, 0, 0});
  expect_near(r[3], {0.5, 1, 0});
}

TEST(Rules, ReachThroughJacobians) {
  // Second derivatives over Jacobians in chunks: without the rule they would be inf / inf at 1000.
  const auto softplus = [](Span s) { return Exprs{log1p(exp(s[0]))}; };
  const auto rule = [](Span s, Span t) { return Exprs{log1p(exp(s[0])), t[0] * sigmoid(s[0])}; };
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = custom_jvp(softplus, rule, {x})[0];
  for (const auto direction : {JacobianOptions::kForward, JacobianOptions::kReverse}) {
    const JacobianOptions o{.direction = direction, .chunk = 2};
    const Expr j = jacobian(y, x, o);
    const Results r =
        function({x}, {j, grad(sum(square(j)), x), jacobian(j, x, o)}, {}, options())(vec({0, 1000, -1000}));
    expect_near(r[0], {0.5, 0, 0, 0, 1, 0, 0, 0, 0});
    expect_near(r[1], {0.25, 0, 0});
    std::vector<double> second(27);
    second[0] = 0.25;
    expect_near(r[2], second);
  }
}

TEST(Rules, CustomVjpKeepsWhatItIsTold) {
  // The gradient is clipped to ±1 on its way back.
  const auto clipped = [](const Expr& x, const Expr& scale) {
    return custom_vjp([](Span s) { return Exprs{s[0] * s[1]}; }, [](Span s) { return Exprs{s[0] * s[1], s[1]}; },
                      [](Span kept, Span c) { return Exprs{clamp(c[0] * kept[0], -1, 1), 0 * c[0]}; }, {x, scale})[0];
  };
  const Expr x = placeholder<double>({}, "x"), s = placeholder<double>({}, "s");
  const Exprs g = grad(3 * clipped(x, s), {x, s});
  const auto f = function({x, s}, {g[0], g[1], 3 * clipped(x, s)}, {}, options());
  const Results r = f(Tensor::scalar_of(2.0), Tensor::scalar_of(5.0));
  expect_near(r[0], {1});
  expect_near(r[1], {0});
  expect_near(r[2], {30});
  expect_near(f(Tensor::scalar_of(2.0), Tensor::scalar_of(0.25))[0], {0.75});
}

TEST(Rules, CheckpointsRunAgain) {
  const Expr x = placeholder<double>({4}, "x"), w = placeholder<double>({}, "w");
  const auto chain = [&](const Expr& v) { return sin(exp(v * w)); };
  const Expr plain = sum(chain(chain(x)));
  const Expr saved = sum(checkpoint([&](Span s) { return Exprs{chain(chain(s[0]))}; }, {x})[0]);
  const auto f = function({x, w}, {grad(plain, x), grad(saved, x), grad(plain, w), grad(saved, w)}, {}, options());
  const Results r = f(vec({0.1, 0.2, 0.3, -1}), Tensor::scalar_of(0.7));
  expect_near(r[1], testing::doubles(r[0]), 1e-14);
  expect_near(r[3], testing::doubles(r[2]), 1e-14);
}

TEST(Rules, RefuseWhatDoesNotFit) {
  const Expr x = placeholder<double>({3}, "x"), y = placeholder<double>({3}, "y");
  const auto f = [](Span s) { return Exprs{exp(s[0])}; };
  expect_error<UserError>(
      [&] { custom_jvp(f, [](Span s, Span) { return Exprs{s[0]}; }, {x}); },
      "[custom_jvp] number of results of the rule (results, then their tangents): got 1, expected 2");
  expect_error<UserError>([&] { custom_vjp(f, f, [](Span, Span c) { return Exprs{sum(c[0])}; }, {x}); },
                          "[custom_vjp] result 0 of backward (a cotangent for each floating-point input): got "
                          "tensor<f64>, expected tensor<3xf64>");
  expect_error<UserError>(
      [&] {
        custom_jvp([&](Span s) { return Exprs{s[0] * y}; }, [](Span s, Span t) { return Exprs{s[0], t[0]}; }, {x});
      },
      "[custom_jvp] a function uses an expression of its surroundings, of which the rule says nothing: got "
      "tensor<3xf64>");
}

}  // namespace
}  // namespace weft
