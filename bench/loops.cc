// Loops in one call and small products, each against hand-written C++ (bench/kernels/loops.h) in one run, on one thread.
// One line each: `loops NAME ratio R`, our time over the hand-written one's, with what both take and how far their results differ.
// usage: loops [NAME…]     (none: all)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/kernels/loops.h"
#include "bench/median.h"
#include "weft/symbolic.h"

namespace {

using namespace weft;

constexpr int kRounds = 25;

template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Tensor random_floats(Shape shape, unsigned seed, float low = -1, float high = 1) {
  Tensor t = zeros<float>(std::move(shape));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(low, high);
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[static_cast<size_t>(i)] = number(random);
  return t;
}

const float* of(const Tensor& t) { return t.data<float>().data(); }

/// Compares and prints. `hand` writes to `want`, as many floats as our results hold together.
void compare(const char* name, const CompiledGraph& graph, const std::vector<Tensor>& args, int64_t units,
             const std::function<void(float* want)>& hand, size_t results = 1) {
  BoundCall call = graph.bind(args);
  call.run();
  std::vector<float> got;
  for (size_t r = 0; r < results; ++r) {
    const Tensor t = call[r];
    for (int64_t i = 0; i < t.size(); ++i) {
      got.push_back(t.element_type() == ElementType::kI32
                        ? static_cast<float>(t.data<int32_t>()[static_cast<size_t>(i)])
                        : t.data<float>()[static_cast<size_t>(i)]);
    }
  }
  std::vector<float> want(got.size());
  hand(want.data());
  double difference = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    difference = std::max(difference, std::fabs(static_cast<double>(got[i]) - want[i]));
    size = std::max(size, std::fabs(static_cast<double>(want[i])));
  }
  std::vector<double> ours, theirs;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(seconds_of([&] { call.run(); }));
    theirs.push_back(seconds_of([&] { hand(want.data()); }));
  }
  const double least = *std::ranges::min_element(ours), least_hand = *std::ranges::min_element(theirs);
  std::printf(
      "loops %-15s ratio %.3f  (medians %.4g and %.4g ns each of %lld, least %.4g and %.4g; largest difference %.2g of "
      "%.3g)\n",
      name, median(ours) / median(theirs), median(ours) / static_cast<double>(units) * 1e9,
      median(theirs) / static_cast<double>(units) * 1e9, static_cast<long long>(units),
      least / static_cast<double>(units) * 1e9, least_hand / static_cast<double>(units) * 1e9, difference, size);
}

const FunctionOptions kOneThread = {.partitions = 1};

std::vector<Expr> lorenz_step(const Expr& x, const Expr& y, const Expr& z) {
  const float h = 0.01f;
  const auto slope = [](const Expr& u, const Expr& v, const Expr& w) {
    return std::vector<Expr>{10.0f * (v - u), u * (28.0f - w) - v, u * v - (8.0f / 3) * w};
  };
  const auto moved = [&](float by, const std::vector<Expr>& k) {
    return slope(x + by * k[0], y + by * k[1], z + by * k[2]);
  };
  const std::vector<Expr> k1 = slope(x, y, z), k2 = moved(0.005f, k1), k3 = moved(0.005f, k2), k4 = moved(h, k3);
  const auto next = [&](const Expr& u, size_t i) {
    return u + (h / 6) * (k1[i] + 2.0f * k2[i] + 2.0f * k3[i] + k4[i]);
  };
  return {next(x, 0), next(y, 1), next(z, 2)};
}

CompiledGraph lorenz_graph(int steps, bool contracted) {
  const Expr x = placeholder<float>({}, "x"), y = placeholder<float>({}, "y"), z = placeholder<float>({}, "z");
  const std::vector<Expr> end = while_loop([&](std::span<const Expr> s) { return s[0] < steps; },
                                           [](std::span<const Expr> s) {
                                             const std::vector<Expr> n = lorenz_step(s[1], s[2], s[3]);
                                             return std::vector<Expr>{s[0] + 1, n[0], n[1], n[2]};
                                           },
                                           {0, x, y, z});
  return function({x, y, z}, {end[1], end[2], end[3]}, {}, {.partitions = 1, .contract = contracted});
}

// A chaotic system: results agree for a few hundred steps, which is what is compared; times are of all.
void lorenz(bool contracted) {
  constexpr int kSteps = 1000000;
  const Tensor one = Tensor::scalar_of(1.0f);
  const auto by = [&](int steps, float* want) {
    want[0] = want[1] = want[2] = 1;
    contracted ? bench::lorenz_contracted(want, steps) : bench::lorenz(want, steps);
  };
  BoundCall few = lorenz_graph(500, contracted).bind({one, one, one});
  few.run();
  float want[3];
  by(500, want);
  for (size_t i = 0; i < 3; ++i) {
    const float got = few[i].data<float>()[0];
    if (std::fabs(got - want[i]) > 0.05f) {
      std::fprintf(stderr, "lorenz: got %g, expected %g after 500 steps\n", static_cast<double>(got),
                   static_cast<double>(want[i]));
      std::exit(1);
    }
  }
  compare(
      contracted ? "lorenz_fused" : "lorenz", lorenz_graph(kSteps, contracted), {one, one, one}, kSteps,
      [&](float* w) { by(kSteps, w); }, 3);
}

void collatz() {
  constexpr int kNumbers = 100000;
  const Expr n = placeholder<int32_t>({}, "n");
  const Expr total = while_loop([&](std::span<const Expr> s) { return s[0] <= n; },
                                [](std::span<const Expr> s) {
                                  const Expr steps = while_loop(
                                      [](std::span<const Expr> c) { return not_equal(c[0], 1); },
                                      [](std::span<const Expr> c) {
                                        const Expr odd = not_equal(elementwise("stablehlo.and", c[0], 1), 0);
                                        const Expr half = elementwise("stablehlo.shift_right_arithmetic", c[0], 1);
                                        return std::vector<Expr>{where(odd, 3 * c[0] + 1, half), c[1] + 1};
                                      },
                                      {s[0], 0})[1];
                                  return std::vector<Expr>{s[0] + 1, s[1] + steps};
                                },
                                {1, 0})[1];
  const int32_t steps = bench::collatz(kNumbers);
  compare("collatz", function({n}, {total}, {}, kOneThread), {Tensor::scalar_of(int32_t{kNumbers})}, steps,
          [&](float* want) { want[0] = static_cast<float>(bench::collatz(kNumbers)); });
}

void affine() {
  constexpr int kSteps = 1000000;
  const Expr a = placeholder<float>({}, "a"), b = placeholder<float>({}, "b");
  const Expr c =
      while_loop([](std::span<const Expr> s) { return s[0] < kSteps; },
                 [&](std::span<const Expr> s) { return std::vector<Expr>{s[0] + 1, a * s[1] + b}; }, {0, 0.0f})[1];
  compare("affine", function({a, b}, {c}, {}, kOneThread), {Tensor::scalar_of(0.9f), Tensor::scalar_of(0.3f)}, kSteps,
          [&](float* want) { want[0] = bench::affine(0.9f, 0.3f, 0, kSteps); });
}

void sgd() {
  constexpr int kSamples = 1000, kFeatures = 32, kBatch = 32, kSteps = 2000;
  const Expr x = placeholder<float>({kSamples, kFeatures}, "x"), y = placeholder<float>({kSamples}, "y"),
             index = placeholder<int32_t>({kSteps, kBatch}, "index");
  const Expr w = while_loop([](std::span<const Expr> s) { return s[0] < kSteps; },
                            [&](std::span<const Expr> s) {
                              const Expr rows = at(index, s[0]);
                              const Expr loss = mean(square(dot(take(x, rows), s[1]) - take(y, rows)));
                              return std::vector<Expr>{s[0] + 1, s[1] - 0.01f * grad(loss, s[1])};
                            },
                            {0, filled(ElementType::kF32, {kFeatures}, 0)})[1];
  const Tensor xs = random_floats({kSamples, kFeatures}, 1), ys = random_floats({kSamples}, 2);
  Tensor order = zeros<int32_t>({kSteps, kBatch});
  std::mt19937 random(3);
  for (int64_t i = 0; i < order.size(); ++i)
    order.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(random() % kSamples);
  compare("sgd", function({x, y, index}, {w}, {}, kOneThread), {xs, ys, order}, kSteps, [&](float* want) {
    std::fill(want, want + kFeatures, 0.0f);
    bench::sgd(of(xs), of(ys), order.data<int32_t>().data(), want, kFeatures, kBatch, kSteps, 0.01f);
  });
}

void products() {
  constexpr int64_t kSide = 4096;
  const Tensor a = random_floats({kSide}, 4), b = random_floats({kSide, kSide}, 5);
  const Expr v = placeholder<float>({kSide}, "v"), m = placeholder<float>({kSide, kSide}, "m");
  compare("vector_matrix", function({v, m}, {dot(v, m)}, {}, kOneThread), {a, b}, kSide * kSide,
          [&](float* want) { bench::vector_matrix(of(a), of(b), want, kSide, kSide); });
  compare("matrix_vector", function({v, m}, {dot(m, v)}, {}, kOneThread), {a, b}, kSide * kSide,
          [&](float* want) { bench::matrix_vector(of(b), of(a), want, kSide, kSide); });
  const Tensor points = random_floats({1000000, 3}, 6), turn = random_floats({3, 3}, 7);
  const Expr p = placeholder<float>({1000000, 3}, "p"), t = placeholder<float>({3, 3}, "t");
  compare("thin_product", function({p, t}, {dot(p, t)}, {}, kOneThread), {points, turn}, 1000000,
          [&](float* want) { bench::thin_product(of(points), of(turn), want, 1000000); });
  const Tensor left = random_floats({100000, 4, 4}, 8), right = random_floats({100000, 4, 4}, 9);
  const Expr l = placeholder<float>({100000, 4, 4}, "l"), r = placeholder<float>({100000, 4, 4}, "r");
  compare("small_products", function({l, r}, {matmul(l, r)}, {}, kOneThread), {left, right}, 100000,
          [&](float* want) { bench::small_products(of(left), of(right), want, 100000); });
}

void kepler() {
  constexpr int64_t kLanes = int64_t{1} << 20;
  const Expr ecc = placeholder<float>({kLanes}, "e"), m = placeholder<float>({kLanes}, "m");
  const Expr e = pfor(std::vector<Expr>{ecc, m}, [](std::span<const Expr> a) {
    return while_loop([](std::span<const Expr> s) { return abs(s[1]) > 1e-5f && s[2] < 100; },
                      [&](std::span<const Expr> s) {
                        const Expr step = (s[0] - a[0] * sin(s[0]) - a[1]) / (1.0f - a[0] * cos(s[0]));
                        return std::vector<Expr>{s[0] - step, step, s[2] + 1};
                      },
                      {a[1], 1.0f, 0})[0];
  });
  const Tensor es = random_floats({kLanes}, 10, 0, 0.95f), ms = random_floats({kLanes}, 11, 0, 3.1f);
  compare("kepler", function({ecc, m}, {e}, {}, kOneThread), {es, ms}, kLanes,
          [&](float* want) { bench::kepler(of(es), of(ms), want, kLanes); });
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::vector<std::pair<std::string, std::function<void()>>> all = {{"lorenz", [] { lorenz(false); }},
                                                                          {"lorenz_fused", [] { lorenz(true); }},
                                                                          {"collatz", collatz},
                                                                          {"affine", affine},
                                                                          {"sgd", sgd},
                                                                          {"products", products},
                                                                          {"kepler", kepler}};
  try {
    for (const auto& [name, run] : all) {
      if (argc < 2 || std::find(argv + 1, argv + argc, name) != argv + argc) run();
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
