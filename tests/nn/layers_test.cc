// Layers, optimisers and schedules against their definitions.
#include "tests/symbolic/support.h"
#include "weft/nn.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::options;
using testing::value_of;

TEST(Random, EqualsThePublishedVector) {
  // Philox 4x32-10 of counter 0, key 0 (Random123's known answers).
  nn::Random random(0);
  EXPECT_EQ(random.bits(), 0x6627e8d5u);
  EXPECT_EQ(random.bits(), 0xe169c58du);
  EXPECT_EQ(random.bits(), 0xbc57ac4cu);
  EXPECT_EQ(random.bits(), 0x9b00dbd8u);
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  nn::Random random(7);
  constexpr int kCount = 200000;
  double sum = 0, squares = 0, uniform = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    const float u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_NEAR(uniform / kCount, 0.5, 0.005);
  int counts[3] = {};
  for (int i = 0; i < 30000; ++i) ++counts[random.below(3)];
  for (int c : counts) EXPECT_NEAR(c, 10000, 400);
}

TEST(Layers, DenseIsAProductAndABias) {
  const nn::Layer layer = nn::dense(2);
  const Expr x = placeholder<float>({1, 3}, "x");
  const Expr y = layer(x);
  ASSERT_EQ(layer.parameters().size(), 2u);
  EXPECT_EQ(layer.parameters()[0].name(), "dense.weight");
  layer.parameters()[0].set(Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  layer.parameters()[1].set(Tensor::of<float>({10, 20}, {2}));
  expect_near(function({x}, {y}, {}, options())(Tensor::of<float>({1, 0, -1}, {1, 3}))[0], {1 - 5 + 10, 2 - 6 + 20});
}

TEST(Layers, ShareTheirVariablesBetweenUses) {
  const nn::Layer net = nn::sequential(
      {nn::conv2d(4, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(), nn::flatten(), nn::dense(5)});
  EXPECT_EQ(net(placeholder<float>({2, 6, 6, 3})).shape(), (Shape{2, 5}));
  EXPECT_EQ(net(placeholder<float>({7, 6, 6, 3})).shape(), (Shape{7, 5}));
  EXPECT_EQ(net.parameters().size(), 4u);
  EXPECT_EQ(nn::count_elements(net.parameters()), 3 * 3 * 3 * 4 + 4 + 36 * 5 + 5);
  expect_error<UserError>([&] { net(placeholder<float>({2, 8, 6, 3})); },
                          "[dense] features of the input: got 48, expected 36");
}

TEST(Layers, AreDrawnFromTheirSeed) {
  const auto weights = [](uint64_t seed) {
    const nn::Layer layer = nn::dense(50);
    layer(placeholder<float>({1, 80}), seed);
    return testing::doubles(layer.parameters()[0].value());
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
  double squares = 0;
  for (double w : weights(3)) squares += w * w;
  EXPECT_NEAR(squares / 4000, 2.0 / 80, 0.002);  // He
}

TEST(Layers, RefuseWrongInputs) {
  expect_error<UserError>([] { nn::dense(2)(placeholder<float>({3})); }, "[dense] rank of the input: got shape [3]");
  expect_error<UserError>([] { nn::conv2d(2, {3, 3})(placeholder<float>({3, 3})); }, "[conv2d] rank of the input");
  expect_error<UserError>([] { nn::dense(0); }, "[dense] features: got 0");
  expect_error<UserError>([] { nn::conv2d(2, {3}); }, "[conv2d] window: got [3]");
}

/// Runs `steps` of an optimiser on loss = w^2 / 2 · 3 from w = 2; the gradient is 3 w.
std::vector<double> descend(const std::function<updates(const Expr&, const Variable&)>& optimiser, int steps) {
  const Variable w = variable(Tensor::scalar_of(2.0), "w");
  const Expr loss = 1.5 * square(w);
  const auto step = function({}, {loss}, optimiser(loss, w), options());
  std::vector<double> out;
  for (int i = 0; i < steps; ++i) {
    step();
    out.push_back(w.value().scalar<double>());
  }
  return out;
}

TEST(Optimisers, Sgd) {
  const auto plain =
      descend([](const Expr& l, const Variable& w) { return nn::sgd(l, {w}, {.learning_rate = 0.125}); }, 4);
  const auto heavy = descend(
      [](const Expr& l, const Variable& w) { return nn::sgd(l, {w}, {.learning_rate = 0.125, .momentum = 0.5}); }, 4);
  const auto nesterov = descend(
      [](const Expr& l, const Variable& w) {
        return nn::sgd(l, {w}, {.learning_rate = 0.125, .momentum = 0.5, .nesterov = true});
      },
      4);
  double a = 2, b = 2, vb = 0, c = 2, vc = 0;
  for (size_t i = 0; i < 4; ++i) {
    a -= 0.125 * 3 * a;
    vb = 0.5 * vb + 3 * b;
    b -= 0.125 * vb;
    const double g = 3 * c;
    vc = 0.5 * vc + g;
    c -= 0.125 * (g + 0.5 * vc);
    EXPECT_NEAR(plain[i], a, 1e-12);
    EXPECT_NEAR(heavy[i], b, 1e-12);
    EXPECT_NEAR(nesterov[i], c, 1e-12);
  }
}

TEST(Optimisers, Adam) {
  const auto got =
      descend([](const Expr& l, const Variable& w) { return nn::adam(l, {w}, {.learning_rate = 0.1}); }, 6);
  double w = 2, m = 0, v = 0;
  for (size_t i = 0; i < 6; ++i) {
    const double g = 3 * w, t = static_cast<double>(i + 1);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
    EXPECT_NEAR(got[i], w, 1e-7) << "step " << i;  // the rate 0.1 is an f32
  }
}

TEST(Schedules, EqualTheirFormulas) {
  const auto at = [](const nn::Schedule& s, double step) {
    return value_of(s(filled(ElementType::kF32, {}, step))).scalar<float>();
  };
  EXPECT_FLOAT_EQ(at(nn::constant_rate(0.3), 5), 0.3f);
  EXPECT_NEAR(at(nn::cosine_rate(1, 100, 0.1), 0), 1, 1e-6);
  EXPECT_NEAR(at(nn::cosine_rate(1, 100, 0.1), 50), 0.55, 1e-6);
  EXPECT_NEAR(at(nn::cosine_rate(1, 100, 0.1), 1000), 0.1, 1e-6);
  EXPECT_NEAR(at(nn::step_rate(0.8, 10, 0.5), 9), 0.8, 1e-6);
  EXPECT_NEAR(at(nn::step_rate(0.8, 10, 0.5), 29), 0.2, 1e-6);
  // In an optimiser: the rate halves after each step.
  const auto got = descend(
      [](const Expr& l, const Variable& w) { return nn::sgd(l, {w}, {.learning_rate = nn::step_rate(0.25, 1, 0.5)}); },
      3);
  EXPECT_NEAR(got[0], 2 * (1 - 0.75), 1e-7);
  EXPECT_NEAR(got[1], got[0] * (1 - 0.375), 1e-7);
  EXPECT_NEAR(got[2], got[1] * (1 - 0.1875), 1e-7);
}

TEST(Metrics, Accuracy) {
  const Expr logits = constant(Tensor::of<float>({0, 1, 5, 2, 3, 4, 1, 0}, {4, 2})),
             labels = constant(Tensor::of<int32_t>({1, 1, 1, 0}, {4}));
  EXPECT_FLOAT_EQ(value_of(nn::accuracy(logits, labels)).scalar<float>(), 0.75f);
}

TEST(Training, LearnsExclusiveOr) {
  const nn::Layer net =
      nn::sequential({nn::dense(8, {.initialization = nn::Initialization::kGlorot}), nn::tanh(), nn::dense(2)});
  const Expr x = placeholder<float>({4, 2}, "x"), y = placeholder<int32_t>({4}, "y");
  const Expr loss = softmax_cross_entropy(net(x, 3), y);
  const auto step = function({x, y}, {loss}, nn::adam(loss, net.parameters(), {.learning_rate = 0.05}), options());
  const Tensor points = Tensor::of<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}),
               classes = Tensor::of<int32_t>({0, 1, 1, 0}, {4});
  const float first = step(points, classes).scalar<float>();
  for (int i = 0; i < 300; ++i) step(points, classes);
  EXPECT_GT(first, 0.3f);
  EXPECT_LT(step(points, classes).scalar<float>(), 0.02f);
}

}  // namespace
}  // namespace weft
