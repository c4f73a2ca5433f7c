// Lanes that leave a loop at different steps: pfor over while_loop against a hand-written AVX-512 loop, in one run.
// The last line is `mandelbrot_lanes ratio R`: our time over the hand-written loop's.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/kernels/mandelbrot.h"
#include "bench/median.h"
#include "weft/symbolic.h"

namespace {

using namespace weft;

constexpr int64_t kSide = 1024, kPoints = kSide * kSide;
constexpr int kMaxSteps = 500;
constexpr int kRounds = 9;

template <class F>
double seconds_of(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

CompiledGraph compile_lanes() {
  const Expr cx = placeholder<float>({kPoints}, "cx"), cy = placeholder<float>({kPoints}, "cy");
  const Expr counts = pfor(std::vector<Expr>{cx, cy}, [](std::span<const Expr> c) {
    return while_loop([](std::span<const Expr> s) { return s[2] < kMaxSteps && s[0] * s[0] + s[1] * s[1] <= 4; },
                      [&](std::span<const Expr> s) {
                        const Expr &x = s[0], &y = s[1];
                        return std::vector<Expr>{x * x - y * y + c[0], 2 * x * y + c[1], s[2] + 1};
                      },
                      {0.0f, 0.0f, 0})[2];
  });
  return function({cx, cy}, {counts}, {}, {.partitions = 2});
}

int64_t count_differences(const int32_t* a, const int32_t* b) {
  int64_t n = 0;
  for (int64_t i = 0; i < kPoints; ++i) n += a[i] != b[i];
  return n;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    setenv("OMP_NUM_THREADS", "2", 0);
    Tensor cx = zeros<float>({kPoints}), cy = zeros<float>({kPoints});
    bench::mandelbrot_raster(cx.mutable_data<float>(), cy.mutable_data<float>(), kSide);
    std::vector<int32_t> expected(kPoints), by_hand(kPoints);
    bench::mandelbrot_scalar(cx.data<float>().data(), cy.data<float>().data(), expected.data(), kPoints, kMaxSteps);

    const auto begin = std::chrono::steady_clock::now();
    BoundCall call = compile_lanes().bind({cx, cy});
    std::printf("compiled in %.2f s\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    const auto hand = [&] {
      bench::mandelbrot_avx512(cx.data<float>().data(), cy.data<float>().data(), by_hand.data(), kPoints, kMaxSteps);
    };
    call.run();
    hand();
    const int64_t differ_ours = count_differences(call[0].data<int32_t>().data(), expected.data()),
                  differ_hand = count_differences(by_hand.data(), expected.data());
    if (differ_ours != 0 || differ_hand != 0) {
      std::fprintf(stderr,
                   "counts differ from the scalar loop's: ours at %lld points, the hand-written loop's at %lld\n",
                   static_cast<long long>(differ_ours), static_cast<long long>(differ_hand));
      return 1;
    }
    std::vector<double> ours, theirs;
    for (int round = 0; round < kRounds; ++round) {
      ours.push_back(seconds_of([&] { call.run(); }));
      theirs.push_back(seconds_of(hand));
    }
    std::printf("%lld points, at most %d steps, counts equal\nours %.2f ms, by hand %.2f ms (medians of %d)\n",
                static_cast<long long>(kPoints), kMaxSteps, median(ours) * 1e3, median(theirs) * 1e3, kRounds);
    std::printf("mandelbrot_lanes ratio %.3f\n", median(ours) / median(theirs));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
