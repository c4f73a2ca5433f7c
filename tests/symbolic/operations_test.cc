// Values of the operations against closed forms and NumPy's rules of broadcasting.
#include <limits>

#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_gradient;
using testing::expect_near;
using testing::value_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Expr matrix(std::vector<double> v, Shape s) { return constant(Tensor::of<double>(v, std::move(s))); }

TEST(Broadcasting, AlignsShapesAtTheLastAxis) {
  const Expr a = matrix({1, 2, 3, 4, 5, 6}, {2, 3}), row = matrix({10, 20, 30}, {3}),
             column = matrix({100, 200}, {2, 1});
  EXPECT_EQ((a + row).shape(), (Shape{2, 3}));
  expect_near(value_of(a + row), {11, 22, 33, 14, 25, 36});
  expect_near(value_of(a + column), {101, 102, 103, 204, 205, 206});
  EXPECT_EQ((row + column).shape(), (Shape{2, 3}));
  expect_near(value_of(row + column), {110, 120, 130, 210, 220, 230});
  expect_near(value_of(2 * a - 1), {1, 3, 5, 7, 9, 11});
  EXPECT_EQ((matrix({}, {0, 3}) + row).shape(), (Shape{0, 3}));
  EXPECT_EQ(value_of(matrix({}, {0, 3}) + row).size(), 0);
}

TEST(Broadcasting, NumbersTakeTheOtherType) {
  EXPECT_EQ((constant(Tensor::of<int32_t>({1, 2}, {2})) + 1).element_type(), ElementType::kI32);
  EXPECT_EQ((matrix({1}, {1}) + 1).element_type(), ElementType::kF64);
  EXPECT_EQ(where(matrix({1, -1}, {2}) > 0, 1, 0).element_type(), ElementType::kI32);
  EXPECT_EQ(where(matrix({1, -1}, {2}) > 0, 1.5, 0).element_type(), ElementType::kF32);
}

TEST(Elementwise, EqualsClosedForms) {
  const std::vector<double> points = {-2.5, -1, -0.25, 0, 0.5, 1, 3};
  const Expr x = matrix(points, {7});
  const auto check = [&](const Expr& e, double (*f)(double)) {
    std::vector<double> expected;
    for (double p : points) expected.push_back(f(p));
    expect_near(value_of(e), expected, 1e-12);
  };
  check(abs(x), [](double v) { return std::fabs(v); });
  check(exp(x), [](double v) { return std::exp(v); });
  check(expm1(x), [](double v) { return std::expm1(v); });
  check(log(x), [](double v) { return std::log(v); });
  check(log1p(x), [](double v) { return std::log1p(v); });
  check(sqrt(x), [](double v) { return std::sqrt(v); });
  check(rsqrt(x), [](double v) { return 1 / std::sqrt(v); });
  check(tanh(x), [](double v) { return std::tanh(v); });
  check(sin(x), [](double v) { return std::sin(v); });
  check(cos(x), [](double v) { return std::cos(v); });
  check(erf(x), [](double v) { return std::erf(v); });
  check(sign(x), [](double v) { return double((v > 0) - (v < 0)); });
  check(floor(x), [](double v) { return std::floor(v); });
  check(ceil(x), [](double v) { return std::ceil(v); });
  check(round(x), [](double v) { return std::nearbyint(v); });
  check(sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); });
  check(square(x), [](double v) { return v * v; });
  check(relu(x), [](double v) { return std::max(v, 0.0); });
  check(pow(x, 2), [](double v) { return v * v; });
  check(maximum(x, 0.25), [](double v) { return std::max(v, 0.25); });
  check(minimum(0.25, x), [](double v) { return std::min(v, 0.25); });
  check(clamp(x, -1, 0.5), [](double v) { return std::min(std::max(v, -1.0), 0.5); });
  check(remainder(x, 2), [](double v) { return std::fmod(v, 2); });
  check(atan2(x, 2), [](double v) { return std::atan2(v, 2); });
  check(-x, [](double v) { return -v; });
  check(1 / x, [](double v) { return 1 / v; });
  check(elementwise("tanh", x), [](double v) { return std::tanh(v); });
  check(where(x < 0, -1, x), [](double v) { return v < 0 ? -1 : v; });
}

TEST(Elementwise, ComparesAndCombines) {
  const Expr a = matrix({1, 2, 3}, {3}), b = matrix({2, 2, 2}, {3});
  expect_near(value_of(a < b), {1, 0, 0});
  expect_near(value_of(a <= b), {1, 1, 0});
  expect_near(value_of(a > b), {0, 0, 1});
  expect_near(value_of(a >= b), {0, 1, 1});
  expect_near(value_of(equal(a, b)), {0, 1, 0});
  expect_near(value_of(not_equal(a, b)), {1, 0, 1});
  expect_near(value_of(a > 1 && a < 3), {0, 1, 0});
  expect_near(value_of(a < 2 || a > 2), {1, 0, 1});
  expect_near(value_of(!(a < 2)), {0, 1, 1});
  expect_near(value_of(is_finite(matrix({1, kInf, kNan}, {3}))), {1, 0, 0});
}

TEST(Structure, MovesElements) {
  const Expr a = matrix({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_EQ(reshape(a, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(flatten(matrix({0, 1, 2, 3, 4, 5, 6, 7}, {2, 2, 2})).shape(), (Shape{2, 4}));
  expect_near(value_of(transpose(a)), {0, 3, 1, 4, 2, 5});
  expect_near(value_of(transpose(a, {0, 1})), {0, 1, 2, 3, 4, 5});
  expect_near(value_of(broadcast_to(matrix({1, 2}, {2, 1}), {2, 2})), {1, 1, 2, 2});
  expect_near(value_of(slice(a, {0, 0}, {2, 3}, {1, 2})), {0, 2, 3, 5});
  expect_near(value_of(dynamic_slice(a, {1, 5}, {1, 2})), {4, 5});  // the window is moved inside
  expect_near(value_of(dynamic_update_slice(a, matrix({9, 8}, {1, 2}), {1, 0})), {0, 1, 2, 9, 8, 5});
  expect_near(value_of(at(a, 1)), {3, 4, 5});
  EXPECT_EQ(at(at(a, 1), 2).shape(), Shape{});
  expect_near(value_of(at(at(a, 1), 2)), {5});
  expect_near(value_of(concatenate({a, a}, 1)), {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expect_near(value_of(stack({at(a, 0), at(a, 1)}, 1)), {0, 3, 1, 4, 2, 5});
  expect_near(value_of(pad(matrix({1, 2}, {2}), {1}, {2}, 7)), {7, 1, 2, 7, 7});
  expect_near(value_of(reverse(a, {1})), {2, 1, 0, 5, 4, 3});
  expect_near(value_of(take(a, constant(Tensor::of<int32_t>({1, 0, 7}, {3})))), {3, 4, 5, 0, 1, 2, 3, 4, 5});
  expect_near(value_of(take(a, 1)), {3, 4, 5});
  expect_near(value_of(one_hot(constant(Tensor::of<int32_t>({2, 0}, {2})), 3)), {0, 0, 1, 1, 0, 0});
  expect_near(value_of(iota(ElementType::kF64, {2, 2}, 1)), {0, 1, 0, 1});
  EXPECT_EQ(expand_dims(a, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(squeeze(expand_dims(a, 0)).shape(), (Shape{2, 3}));
  expect_near(value_of(cast<int32_t>(matrix({1.75, -1.75}, {2}))), {1, -1});
}

TEST(Reductions, FollowNumPy) {
  const Expr a = matrix({1, 5, 3, 4, 2, 6}, {2, 3});
  expect_near(value_of(sum(a)), {21});
  expect_near(value_of(sum(a, {0})), {5, 7, 9});
  expect_near(value_of(sum(a, {-1})), {9, 12});
  EXPECT_EQ(sum(a, {1}, true).shape(), (Shape{2, 1}));
  expect_near(value_of(mean(a, {1})), {3, 4});
  expect_near(value_of(mean(constant(Tensor::of<int32_t>({1, 2}, {2})))), {1.5});
  expect_near(value_of(max(a, {1})), {5, 6});
  expect_near(value_of(min(a, {0})), {1, 2, 3});
  expect_near(value_of(prod(a, {1})), {15, 48});
  expect_near(value_of(variance(a, {1})), {8.0 / 3, 8.0 / 3});
  expect_near(value_of(sum(a > 2)), {4});
  expect_near(value_of(mean(a > 2)), {4.0 / 6});
  expect_near(value_of(any(a > 5, {1})), {0, 1});
  expect_near(value_of(all(a > 1, {1})), {0, 1});
  expect_near(value_of(argmax(a, 1)), {1, 2});
  expect_near(value_of(argmax(matrix({3, 3, 1}, {3}), 0)), {0});     // the first of equals
  expect_near(value_of(argmax(matrix({3, kNan, 9}, {3}), 0)), {1});  // NaN is the maximum
  expect_near(value_of(sum(matrix({}, {0, 2}), {0})), {0, 0});
}

TEST(Reductions, ExponentialsDoNotOverflow) {
  const Expr a = matrix({1000, 1000, -kInf, 0}, {2, 2});
  expect_near(value_of(logsumexp(a, 1)), {1000 + std::log(2.0), 0});
  expect_near(value_of(softmax(a)), {0.5, 0.5, 0, 1});
  expect_near(value_of(log_softmax(a)), {-std::log(2.0), -std::log(2.0), -kInf, 0});
  expect_near(value_of(logsumexp(matrix({-kInf, -kInf}, {2}), 0)), {-kInf});
  EXPECT_EQ(logsumexp(a, 1, true).shape(), (Shape{2, 1}));
}

TEST(Reductions, CrossEntropy) {
  const Expr logits = matrix({1, 2, 3, -kInf, 0, 0}, {2, 3}), labels = constant(Tensor::of<int32_t>({2, 1}, {2}));
  const double first = std::log(std::exp(1) + std::exp(2) + std::exp(3)) - 3, second = std::log(2.0);
  expect_near(value_of(softmax_cross_entropy(logits, labels)), {(first + second) / 2}, 1e-12);
}

TEST(Contractions, Products) {
  const Expr a = matrix({1, 2, 3, 4, 5, 6}, {2, 3}), v = matrix({1, 0, -1}, {3});
  expect_near(value_of(dot(v, v)), {2});
  expect_near(value_of(dot(a, v)), {-2, -2});
  expect_near(value_of(dot(matrix({1, 1}, {2}), a)), {5, 7, 9});
  expect_near(value_of(dot(a, transpose(a))), {14, 32, 32, 77});
  const Expr batch = matrix({1, 0, 0, 1, 0, 1, 1, 0}, {2, 2, 2});
  expect_near(value_of(matmul(batch, a)), {1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3});
  EXPECT_EQ(matmul(matrix({1, 2}, {1, 1, 2}), matrix(std::vector<double>(12, 1), {3, 2, 2})).shape(), (Shape{3, 1, 2}));
}

/// The definition, with zeros around the image.
std::vector<double> convolve(const std::vector<double>& x, int64_t h, int64_t w, const std::vector<double>& k,
                             int64_t kh, int64_t kw, int64_t stride, int64_t pad_top, int64_t pad_left, int64_t oh,
                             int64_t ow) {
  std::vector<double> out;
  for (int64_t i = 0; i < oh; ++i) {
    for (int64_t j = 0; j < ow; ++j) {
      double total = 0;
      for (int64_t p = 0; p < kh; ++p) {
        for (int64_t q = 0; q < kw; ++q) {
          const int64_t r = i * stride + p - pad_top, c = j * stride + q - pad_left;
          if (r >= 0 && r < h && c >= 0 && c < w)
            total += x[static_cast<size_t>(r * w + c)] * k[static_cast<size_t>(p * kw + q)];
        }
      }
      out.push_back(total);
    }
  }
  return out;
}

TEST(Convolutions, EqualTheDefinition) {
  std::vector<double> image(20), kernel = {1, -2, 0.5, 3, 0, -1};
  for (size_t i = 0; i < image.size(); ++i) image[i] = std::sin(static_cast<double>(i));
  const Expr x = matrix(image, {1, 4, 5, 1}), k = matrix(kernel, {2, 3, 1, 1});
  const Expr valid = conv2d(x, k);
  EXPECT_EQ(valid.shape(), (Shape{1, 3, 3, 1}));
  expect_near(value_of(valid), convolve(image, 4, 5, kernel, 2, 3, 1, 0, 0, 3, 3), 1e-12);
  // SAME puts the odd cell of padding after the image.
  const Expr same = conv2d(x, k, {.padding = Padding::kSame});
  EXPECT_EQ(same.shape(), x.shape());
  expect_near(value_of(same), convolve(image, 4, 5, kernel, 2, 3, 1, 0, 1, 4, 5), 1e-12);
  const Expr strided = conv2d(x, k, {.strides = {2, 2}, .padding = Padding::kSame});
  EXPECT_EQ(strided.shape(), (Shape{1, 2, 3, 1}));
  expect_near(value_of(strided), convolve(image, 4, 5, kernel, 2, 3, 2, 0, 1, 2, 3), 1e-12);
  // Depthwise: each channel by its own kernel.
  const Expr two =
      conv2d(matrix({1, 10, 2, 20, 3, 30, 4, 40}, {1, 2, 2, 2}), matrix({1, 2, 1, 3}, {1, 2, 1, 2}), {.groups = 2});
  expect_near(value_of(two), {3, 80, 7, 180});
}

TEST(Pooling, EqualsTheDefinition) {
  const Expr x = matrix({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1});
  expect_near(value_of(max_pool(x)), {5});
  expect_near(value_of(max_pool(x, {.padding = Padding::kSame})), {5, 6, 8, 9});
  expect_near(value_of(max_pool(x, {.window = {2, 2}, .strides = {1, 1}})), {5, 6, 8, 9});
  expect_near(value_of(avg_pool(x)), {3});
  // Padding is not counted.
  expect_near(value_of(avg_pool(x, {.padding = Padding::kSame})), {3, 4.5, 7.5, 9});
  expect_near(value_of(max_pool(matrix({-1, -2, -3, -4}, {1, 2, 2, 1}),
                                {.window = {3, 3}, .strides = {1, 1}, .padding = Padding::kSame})),
              {-1, -1, -1, -1});
}

TEST(Gradients, AgreeWithFiniteDifferences) {
  const Tensor v = Tensor::of<double>({0.3, -1.2, 2.1, 0.9, -0.4, 1.7}, {2, 3});
  expect_gradient([](const Expr& x) { return tanh(x) * exp(-x) + log1p(square(x)); }, v);
  expect_gradient([](const Expr& x) { return x / sum(square(x), {1}, true); }, v);
  expect_gradient([](const Expr& x) { return softmax(x); }, v);
  expect_gradient([](const Expr& x) { return log_softmax(x, 0); }, v);
  expect_gradient([](const Expr& x) { return logsumexp(x, 1); }, v);
  expect_gradient([](const Expr& x) { return max(x, {1}) - min(x, {0, 1}); }, v);
  expect_gradient([](const Expr& x) { return prod(x, {1}); }, v);
  expect_gradient([](const Expr& x) { return variance(x, {1}); }, v);
  expect_gradient([](const Expr& x) { return dot(x, transpose(x)); }, v);
  expect_gradient([](const Expr& x) { return matmul(stack({x, 2 * x}), transpose(x)); }, v);
  expect_gradient([](const Expr& x) { return take(x, constant(Tensor::of<int32_t>({1, 1, 0}, {3}))); }, v);
  expect_gradient([](const Expr& x) { return concatenate({x, reverse(slice(x, {0, 0}, {1, 3}), {1})}, 0); }, v);
  expect_gradient([](const Expr& x) { return pad(x, {0, 1}, {1, 0}, 2) * 3; }, v);
  expect_gradient(
      [](const Expr& x) { return dynamic_update_slice(x, square(dynamic_slice(x, {0, 1}, {1, 2})), {1, 0}); }, v);
  expect_gradient([](const Expr& x) { return where(x > 0, log(where(x > 0, x, 1)), x * x); }, v);
  expect_gradient([](const Expr& x) { return softmax_cross_entropy(x, constant(Tensor::of<int32_t>({2, 0}, {2}))); },
                  v);
  expect_gradient([](const Expr& x) { return x * stop_gradient(filled(ElementType::kF64, {}, 3)); }, v);
  Tensor image = zeros<double>({1, 4, 5, 2});
  for (int64_t i = 0; i < image.size(); ++i) image.mutable_data<double>()[i] = std::sin(1.7 * static_cast<double>(i));
  Tensor kernel = zeros<double>({2, 3, 2, 2});
  for (int64_t i = 0; i < kernel.size(); ++i) kernel.mutable_data<double>()[i] = std::cos(2.3 * static_cast<double>(i));
  expect_gradient([&](const Expr& x) { return conv2d(x, kernel, {.strides = {2, 1}, .padding = Padding::kSame}); },
                  image);
  expect_gradient([&](const Expr& k) { return conv2d(image, k, {.strides = {1, 2}}); }, kernel);
  expect_gradient([](const Expr& x) { return max_pool(x, {.padding = Padding::kSame}); }, image);
  expect_gradient([](const Expr& x) { return avg_pool(x, {.padding = Padding::kSame}); }, image);
}

TEST(Gradients, ConstantsToDerivatives) {
  const Expr x = placeholder<double>({}, "x");
  expect_near(function({x}, {grad(x * stop_gradient(x), x)}, {}, testing::options())(Tensor::scalar_of(3.0))[0], {3});
  // relu at 0: half, as the maximum of equals.
  expect_near(function({x}, {grad(relu(x), x)}, {}, testing::options())(Tensor::scalar_of(0.0))[0], {0.5});
}

}  // namespace
}  // namespace weft
