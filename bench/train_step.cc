// The demo's training step against a peer's (docs/benchmarks.md), in alternating blocks. usage: train_step [PEER_COMMAND...]
// Also the cost of a bound call. The last line is `train_step ratio R`: our time over the peer's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/median.h"
#include "bench/peer_process.h"
#include "weft/nn.h"

namespace {

using namespace weft;

constexpr int64_t kBatch = 128;
constexpr int kBlocks = 5, kStepsPerBlock = 50, kWarmUp = 10;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

BoundCall compile_step() {
  const nn::Layer net = nn::sequential({nn::conv2d(16, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(),
                                        nn::conv2d(32, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(),
                                        nn::flatten(), nn::dense(128), nn::relu(), nn::dense(10)});
  const Expr images = placeholder<float>({kBatch, 28, 28, 1}, "images");
  const Expr labels = placeholder<int32_t>({kBatch}, "labels");
  const Expr loss = softmax_cross_entropy(net(images), labels);
  const CompiledGraph step =
      function({images, labels}, {loss}, nn::adam(loss, net.parameters(), {.learning_rate = 1e-3}), {.partitions = 2});
  nn::Random random(0);
  Tensor x = zeros<float>({kBatch, 28, 28, 1}), y = zeros<int32_t>({kBatch});
  for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = random.uniform();
  for (int64_t i = 0; i < kBatch; ++i) y.mutable_data<int32_t>()[i] = static_cast<int32_t>(random.below(10));
  return step.bind({x, y});
}

double median_step(BoundCall& step, int count) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    const double start = now();
    step.run();
    seconds.push_back(now() - start);
  }
  return median(seconds);
}

/// Seconds of one bound call that adds 4 floats: the least of several means, as other processes only add to it.
double bound_call() {
  const Expr a = placeholder<float>({4}, "a"), b = placeholder<float>({4}, "b");
  BoundCall add = function({a, b}, {a + b}).bind({ones<float>({4}), ones<float>({4})});
  constexpr int kCalls = 100000;
  double best = 1;
  for (int round = 0; round < 10; ++round) {
    const double start = now();
    for (int i = 0; i < kCalls; ++i) add.run();
    best = std::min(best, (now() - start) / kCalls);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    std::printf("bound call of an add of 4 floats: %.3f us\n", bound_call() * 1e6);
    const double begin = now();
    BoundCall step = compile_step();
    std::printf("compiled the step in %.2f s\n", now() - begin);
    median_step(step, kWarmUp);
    std::vector<double> ours, theirs;
    if (argc < 2) {
      for (int block = 0; block < kBlocks; ++block) ours.push_back(median_step(step, kStepsPerBlock));
      std::printf("ours %.3f ms (median of %d blocks); no peer was named\n", median(ours) * 1e3, kBlocks);
      return 0;
    }
    bench::PeerProcess peer({argv + 1, argv + argc});
    std::printf("peer: %s\n", peer.read_line().c_str());
    for (int block = 0; block < kBlocks; ++block) {
      ours.push_back(median_step(step, kStepsPerBlock));
      theirs.push_back(std::stod(peer.ask("run " + std::to_string(kStepsPerBlock))));
    }
    std::printf("loss ours %.4f, peer %s\n", static_cast<double>(step[0].scalar<float>()), peer.ask("loss").c_str());
    std::printf("ours %.3f ms, peer %.3f ms (medians of %d blocks of %d steps)\n", median(ours) * 1e3,
                median(theirs) * 1e3, kBlocks, kStepsPerBlock);
    std::printf("train_step ratio %.3f\n", median(ours) / median(theirs));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
