// Small forms of the networks of bench/large_gradients.py: gradients by all weights against central differences along random directions.
#include <cmath>
#include <random>

#include "tests/symbolic/support.h"

namespace weft {
namespace {

class Weights {
 public:
  /// Uniform in (-scale, scale).
  Expr make(const Shape& shape, double scale) {
    std::uniform_real_distribution<double> at(-scale, scale);
    Tensor t = zeros<double>(shape);
    for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<double>()[i] = at(random_);
    values.push_back(t);
    names.push_back(placeholder<double>(shape, "w" + std::to_string(names.size())));
    return names.back();
  }
  Expr convolution(const Expr& x, int64_t out, int64_t window, int64_t stride) {
    const int64_t in = x.shape()[3];
    const Expr w = make({window, window, in, out}, std::sqrt(3.0 / static_cast<double>(window * window * in)));
    return conv2d(x, w, {.strides = {stride, stride}, .padding = Padding::kSame}) * make({out}, 1) + make({out}, 0.1);
  }
  Expr dense(const Expr& x, int64_t out) {
    const int64_t in = x.shape().back();
    return dot(x, make({in, out}, std::sqrt(3.0 / static_cast<double>(in)))) + make({out}, 0.1);
  }

  std::vector<Tensor> values;
  std::vector<Expr> names;

 private:
  std::mt19937 random_{11};
};

/// The loss is the mean square of y.
void expect_network_gradient(const Weights& weights, const Expr& y) {
  const Expr loss = mean(square(y));
  std::vector<Expr> outputs = grad(loss, weights.names);
  outputs.push_back(loss);
  const CompiledGraph f = function(weights.names, outputs, {}, testing::options());
  const auto call = [&](const std::vector<Tensor>& values) {
    std::vector<const Tensor*> args;
    for (const Tensor& t : values) args.push_back(&t);
    return f.call(args);
  };
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 3; ++trial) {
    const double h = 1e-6;
    std::vector<Tensor> up, down;
    double along = 0, size = 0;
    const Results here = call(weights.values);
    for (size_t k = 0; k < weights.values.size(); ++k) {
      up.push_back(weights.values[k].clone());
      down.push_back(weights.values[k].clone());
      for (int64_t i = 0; i < up[k].size(); ++i) {
        const double d = normal(random), g = here[k].data<double>()[static_cast<size_t>(i)];
        up[k].mutable_data<double>()[i] += h * d;
        down[k].mutable_data<double>()[i] -= h * d;
        along += g * d;
        size += g * g;
      }
    }
    const size_t last = weights.values.size();
    const double difference = (call(up)[last].scalar<double>() - call(down)[last].scalar<double>()) / (2 * h);
    EXPECT_NEAR(along, difference, 1e-6 * std::sqrt(size));
  }
}

TEST(NetworkGradients, Vgg) {
  Weights w;
  Expr x = w.make({2, 16, 16, 3}, 1);
  for (const int64_t out : {4, 0, 6, 6, 0}) x = out == 0 ? max_pool(x) : relu(w.convolution(x, out, 3, 1));
  expect_network_gradient(w, w.dense(relu(w.dense(flatten(x), 10)), 5));
}

TEST(NetworkGradients, ResNet) {
  Weights w;
  Expr x = relu(w.convolution(w.make({2, 16, 16, 3}, 1), 8, 7, 2));
  for (const int64_t stride : {1, 2}) {
    Expr y = relu(w.convolution(x, 4, 1, 1));
    y = relu(w.convolution(y, 4, 3, stride));
    x = relu(w.convolution(y, 8, 1, 1) + w.convolution(x, 8, 1, stride));
  }
  expect_network_gradient(w, w.dense(mean(x, {1, 2}), 5));
}

TEST(NetworkGradients, Gpt2) {
  constexpr int64_t kTokens = 6, kWidth = 8, kHeads = 2, kHead = kWidth / kHeads;
  Weights w;
  const auto normalized = [&](const Expr& x) {
    return (x - mean(x, {1}, true)) * rsqrt(variance(x, {1}, true) + 1e-5) * (1 + w.make({kWidth}, 0.1)) +
           w.make({kWidth}, 0.1);
  };
  const Expr row = iota(ElementType::kI32, {kTokens, kTokens}, 0),
             column = iota(ElementType::kI32, {kTokens, kTokens}, 1);
  Expr x = w.make({kTokens, kWidth}, 1);
  for (int layer = 0; layer < 2; ++layer) {
    const Expr qkv = w.dense(normalized(x), 3 * kWidth);
    const auto heads = [&](int64_t part) {
      const Expr mine = slice(qkv, {0, part * kWidth}, {kTokens, (part + 1) * kWidth});
      return transpose(reshape(mine, {kTokens, kHeads, kHead}), {1, 0, 2});
    };
    const Expr scores = matmul(heads(0), transpose(heads(1), {0, 2, 1})) / std::sqrt(static_cast<double>(kHead));
    const Expr attention = softmax(where(broadcast_to(column <= row, {kHeads, kTokens, kTokens}), scores, -1e30));
    x = x + w.dense(reshape(transpose(matmul(attention, heads(2)), {1, 0, 2}), {kTokens, kWidth}), kWidth);
    const Expr up = w.dense(normalized(x), 4 * kWidth);
    const Expr gelu = 0.5 * up * (1 + tanh(0.7978845608028654 * (up + 0.044715 * up * up * up)));
    x = x + w.dense(gelu, kWidth);
  }
  expect_network_gradient(w, x);
}

}  // namespace
}  // namespace weft
