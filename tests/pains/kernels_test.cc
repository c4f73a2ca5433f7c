// Rows whose complaint is a kernel that is slow for what it computes.
#include <cmath>
#include <limits>
#include <random>

#include "ir/account.h"
#include "tests/pains/pains.h"

namespace weft::pains {
namespace {

std::vector<float> random_floats(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<float> out(n);
  for (float& x : out) x = real(random);
  return out;
}

/// Threads that wait for each other would be timed too.
CompileOptions serial() {
  CompileOptions options;
  options.partitions = 1;
  return options;
}

double seconds_of(const Executable& f, const std::vector<Tensor>& args, int runs = 15) {
  std::vector<const void*> in;
  for (const Tensor& t : args) in.push_back(t.raw());
  std::vector<Tensor> out;
  std::vector<void*> places;
  for (const Type t : f.result_types()) {
    out.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    places.push_back(out.back().raw());
  }
  return best_thread_seconds(runs, [&] { f.invoke(in.data(), places.data()); });
}

std::string convolution(const std::string& x, const std::string& w, const std::string& y, int groups) {
  return "stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, "
         "1], [1, 1]]} "
         "{batch_group_count = 1 : i64, feature_group_count = " +
         std::to_string(groups) + " : i64} : (" + x + ", " + w + ") -> " + y;
}

/// Steps that run a prepared kernel.
size_t library_steps(const Executable& f) {
  size_t n = 0;
  for (const StepAccount& step : f.account()->steps) n += step.kind == "library" ? 1 : 0;
  return n;
}

// P34: a gradient by the weights of a convolution takes several times as long as the convolution; a depthwise one longer than a full one.
TEST(Pains, P34_ConvolutionGradientsAndDepthwise) {
  const std::string x = "tensor<8x16x64x64xf32>", w = "tensor<32x16x3x3xf32>", y = "tensor<8x32x64x64xf32>";
  const auto forward = compiled("func.func @main(%x: " + x + ", %w: " + w + ") -> " + y +
                                    " {\n  %0 = " + convolution(x, w, y, 1) + "\n  return %0 : " + y + "\n}",
                                serial());
  auto module = parsed("func.func @main(%x: " + x + ", %w: " + w + ", %c: " + y + ") -> tensor<f32> {\n  %0 = " +
                       convolution(x, w, y, 1) + "\n  %1 = stablehlo.multiply %0, %c : " + y +
                       "\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %s = stablehlo.reduce(%1 init: %z) "
                       "applies stablehlo.add "
                       "across dimensions = [0, 1, 2, 3] : (" +
                       y + ", tensor<f32>) -> tensor<f32>\n  return %s : tensor<f32>\n}");
  const size_t weights[] = {1};
  gradient(*module, "main", weights, "main", false);
  const auto backward = get_target("native").compile(module, "main", serial());
  const std::vector<Tensor> args = {Tensor::of(random_floats(8 * 16 * 64 * 64, 1), {8, 16, 64, 64}),
                                    Tensor::of(random_floats(32 * 16 * 9, 2), {32, 16, 3, 3}),
                                    Tensor::of(random_floats(8 * 32 * 64 * 64, 3), {8, 32, 64, 64})};
  EXPECT_GE(library_steps(*forward), 1u);
  EXPECT_GE(library_steps(*backward), 1u);
  // Sums of some elements by hand.
  const auto dw = backward->run(args)[0];
  const auto at = [](const Tensor& t, int64_t a, int64_t b, int64_t i, int64_t j) {
    const Shape& s = t.shape();
    if (i < 0 || j < 0 || i >= s[2] || j >= s[3]) return 0.0;
    return static_cast<double>(t.data<float>()[static_cast<size_t>(((a * s[1] + b) * s[2] + i) * s[3] + j)]);
  };
  for (const auto& [o, c, p, q] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t>{0, 0, 0, 0}, {31, 15, 2, 1}, {7, 3, 1, 2}}) {
    double sum = 0;
    for (int64_t b = 0; b < 8; ++b) {
      for (int64_t i = 0; i < 64; ++i) {
        for (int64_t j = 0; j < 64; ++j) sum += at(args[2], b, o, i, j) * at(args[0], b, c, i + p - 1, j + q - 1);
      }
    }
    EXPECT_NEAR(at(dw, o, c, p, q), sum, 1e-2) << o << " " << c << " " << p << " " << q;
  }
  double forward_seconds = 0;
  const double ratio = least_ratio(1.5, [&] {
    forward_seconds = seconds_of(*forward, {args[0], args[1]});
    return seconds_of(*backward, args) / forward_seconds;
  });
  EXPECT_LE(ratio, 1.5) << "the gradient by the weights, over the forward convolution's " << forward_seconds << " s";

  const std::string dx = "tensor<8x64x32x32xf32>", depth = "tensor<64x1x3x3xf32>";
  const auto depthwise = compiled("func.func @main(%x: " + dx + ", %w: " + depth + ") -> " + dx +
                                      " {\n  %0 = " + convolution(dx, depth, dx, 64) + "\n  return %0 : " + dx + "\n}",
                                  serial());
  const std::vector<Tensor> small = {Tensor::of(random_floats(8 * 64 * 32 * 32, 4), {8, 64, 32, 32}),
                                     Tensor::of(random_floats(64 * 9, 5), {64, 1, 3, 3})};
  const auto out = depthwise->run(small)[0];
  for (const int64_t c : {0, 33, 63}) {
    double sum = 0;
    for (int64_t p = 0; p < 3; ++p) {
      for (int64_t q = 0; q < 3; ++q) sum += at(small[0], 5, c, 31 + p - 1, 7 + q - 1) * at(small[1], c, 0, p, q);
    }
    EXPECT_NEAR(at(out, 5, c, 31, 7), sum, 1e-5);
  }
  // It has a thirty-second of the full convolution's products and half of its elements.
  EXPECT_LE(least_ratio(1, [&] { return seconds_of(*depthwise, small) / seconds_of(*forward, {args[0], args[1]}); }),
            1.0);
}

/// c[n] = tanh(c · W), `steps` times.
std::string recurrence(int64_t n, int64_t steps) {
  const std::string c = "tensor<1x" + std::to_string(n) + "xf32>",
                    w = "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "xf32>";
  return "func.func @main(%c0: " + c + ", %w: " + w + ") -> " + c + R"( {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %c0) : tensor<i32>, )" +
         c + R"(
  cond {
    %n = stablehlo.constant dense<)" +
         std::to_string(steps) + R"(> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : ()" +
         c + ", " + w + ") -> " + c + R"(
    %t = stablehlo.tanh %d : )" +
         c + "\n    stablehlo.return %j, %t : tensor<i32>, " + c + "\n  }\n  return %r#1 : " + c + "\n}";
}

// P35: a library call for a tiny or skinny product costs more than the product. XLA took 715 ns a step of the first on the machine on
// which the row was written, plain loops in C are compared with here.
TEST(Pains, P35_TinyAndSkinnyProducts) {
  constexpr int64_t kWidth = 64, kSteps = 2000;
  const auto f = compiled(recurrence(kWidth, kSteps), serial());
  for (const StepAccount& step : f->account()->steps) EXPECT_NE(step.kind, "library");
  std::vector<float> w = random_floats(kWidth * kWidth, 1);
  for (float& x : w) x *= 0.2f;
  const std::vector<float> start = random_floats(kWidth, 2);
  const std::vector<Tensor> args = {Tensor::of(start, {1, kWidth}), Tensor::of(w, {kWidth, kWidth})};
  std::vector<float> c(kWidth), d(kWidth);
  const auto by_hand = [&] {
    c = start;
    for (int64_t s = 0; s < kSteps; ++s) {
      for (int64_t j = 0; j < kWidth; ++j) d[static_cast<size_t>(j)] = 0;
      for (int64_t i = 0; i < kWidth; ++i) {
        for (int64_t j = 0; j < kWidth; ++j)
          d[static_cast<size_t>(j)] += c[static_cast<size_t>(i)] * w[static_cast<size_t>(i * kWidth + j)];
      }
      for (int64_t j = 0; j < kWidth; ++j) c[static_cast<size_t>(j)] = std::tanh(d[static_cast<size_t>(j)]);
    }
  };
  by_hand();
  const auto got = values<float>(f->run(args)[0]);
  for (size_t j = 0; j < kWidth; ++j) EXPECT_NEAR(got[j], c[j], 1e-4) << j;
  EXPECT_LE(least_ratio(1, [&] { return seconds_of(*f, args) / best_thread_seconds(5, by_hand); }), 1.0);

  constexpr int64_t kRows = 1'000'000;
  const std::string x = "tensor<1000000x3xf32>", m = "tensor<3x3xf32>";
  const auto skinny = compiled("func.func @main(%x: " + x + ", %m: " + m + ") -> " + x +
                                   " {\n  %0 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (" + x +
                                   ", " + m + ") -> " + x + "\n  return %0 : " + x + "\n}",
                               serial());
  const std::vector<float> rows = random_floats(kRows * 3, 3), square = random_floats(9, 4);
  std::vector<float> out(kRows * 3);
  const auto loops = [&] {
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < 3; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < 3; ++k)
          sum += rows[static_cast<size_t>(r * 3 + k)] * square[static_cast<size_t>(k * 3 + j)];
        out[static_cast<size_t>(r * 3 + j)] = sum;
      }
    }
  };
  loops();
  const std::vector<Tensor> given = {Tensor::of(rows, {kRows, 3}), Tensor::of(square, {3, 3})};
  const auto product = values<float>(skinny->run(given)[0]);
  for (size_t i = 0; i < out.size(); i += 997) EXPECT_NEAR(product[i], out[i], 1e-5) << i;
  EXPECT_LE(least_ratio(1.5, [&] { return seconds_of(*skinny, given) / best_thread_seconds(5, loops); }), 1.5);
}

}  // namespace
}  // namespace weft::pains
