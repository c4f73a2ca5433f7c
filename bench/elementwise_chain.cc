// A chain of fourteen elementwise ops on 2^24 floats, to its sum and to an array: ours, a hand-written AVX-512 loop and, where a peer
// is named (`elementwise_chain PYTHON bench/jax_chain.py`), JAX, in turns. The last lines are `elementwise_chain WHAT ratio R…`:
// our time over the hand-written loop's, then over the peer's.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "bench/kernels/chain.h"
#include "bench/median.h"
#include "bench/peer_process.h"
#include "weft/symbolic.h"

namespace {

using namespace weft;

constexpr int64_t kElements = int64_t{1} << 24;
constexpr int kRounds = 15;

template <class F>
double seconds_of(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Expr chain(const Expr& x) {
  const Expr a = x * 0.5f + 0.1f, b = tanh(a), c = exp(-(b * b)), d = log(c + 1.5f), e = d * b + a, f = e * e - d;
  return sqrt(f * f + 1.0f) / (1.0f + abs(e));
}

bool is_near(double got, double want, double tolerance) { return std::abs(got - want) <= tolerance * std::abs(want); }

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    setenv("OMP_NUM_THREADS", "2", 0);
    std::unique_ptr<bench::PeerProcess> peer;
    if (argc > 1) {
      peer = std::make_unique<bench::PeerProcess>(std::vector<std::string>(argv + 1, argv + argc));
      std::printf("peer: %s\n", peer->read_line().c_str());
    }
    Tensor x = zeros<float>({kElements});
    std::mt19937 random(0);
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < kElements; ++i) x.mutable_data<float>()[i] = normal(random);
    const float* in = x.data<float>().data();
    double truth = 0;
    for (int64_t i = 0; i < kElements; ++i) truth += bench::chain_scalar(static_cast<double>(in[i]));

    const Expr v = placeholder<float>({kElements}, "x");
    BoundCall array = function({v}, {chain(v)}, {}, {.partitions = 2}).bind({x});
    BoundCall total = function({v}, {sum(chain(v))}, {}, {.partitions = 2}).bind({x});
    std::vector<float> by_hand(kElements);
    double hand_sum = 0;

    for (const bool to_array : {false, true}) {
      const auto ours = [&] { to_array ? array.run() : total.run(); };
      const auto hand = [&] {
        if (to_array) {
          bench::chain_avx512(in, by_hand.data(), kElements);
        } else {
          hand_sum = bench::chain_sum_avx512(in, kElements);
        }
      };
      const char* what = to_array ? "array" : "sum";
      std::vector<double> mine, theirs, peers;
      for (int round = 0; round < kRounds; ++round) {
        mine.push_back(seconds_of(ours));
        theirs.push_back(seconds_of(hand));
        if (peer != nullptr) peers.push_back(std::stod(peer->ask(std::string("run ") + what + " 1")));
      }
      if (!to_array && (!is_near(total[0].data<float>()[0], truth, 1e-5) || !is_near(hand_sum, truth, 1e-5))) {
        std::fprintf(stderr, "sums differ: ours %.9g, by hand %.9g, in double %.9g\n",
                     static_cast<double>(total[0].data<float>()[0]), hand_sum, truth);
        return 1;
      }
      for (int64_t i = 0; to_array && i < kElements; i += 4099) {
        const double want = bench::chain_scalar(static_cast<double>(in[i]));
        const double got = array[0].data<float>()[static_cast<size_t>(i)], other = by_hand[static_cast<size_t>(i)];
        if (is_near(got, want, 2e-6) && is_near(other, want, 2e-6)) continue;
        std::fprintf(stderr, "element %lld differs: ours %.9g, by hand %.9g, in double %.9g\n",
                     static_cast<long long>(i), got, other, want);
        return 1;
      }
      std::printf("%s: ours %.2f ms, by hand %.2f ms", what, median(mine) * 1e3, median(theirs) * 1e3);
      if (peer != nullptr) std::printf(", peer %.2f ms", median(peers) * 1e3);
      std::printf(" (medians of %d)\nelementwise_chain %s ratio %.3f", kRounds, what, median(mine) / median(theirs));
      if (peer != nullptr) std::printf(" %.3f", median(mine) / median(peers));
      std::printf("\n");
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
