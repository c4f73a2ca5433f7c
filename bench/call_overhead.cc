// What a call of a compiled program costs: an add of four floats, called by checked run, by invoke and through a bound call, and
// the same add as a C function that the compiler may not inline.
// Prints `call_overhead NAME NANOSECONDS` lines; medians of blocks of calls.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "ir/target.h"
#include "text/parse.h"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 51, kCalls = 20000;

[[gnu::noinline]] void add_by_hand(const float* a, const float* b, float* out) {
  for (int i = 0; i < 4; ++i) out[i] = a[i] + b[i];
  asm volatile("" : : "r"(out) : "memory");
}

template <class Call>
void print_median(const char* name, Call&& call) {
  std::vector<double> ns;
  for (int block = 0; block < kBlocks; ++block) {
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
  }
  std::ranges::sort(ns);
  std::printf("call_overhead %s %.1f\n", name, ns[kBlocks / 2]);
}

}  // namespace

int main() {
  const std::shared_ptr<const Module> module = parse_module(R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)",
                                                            "add");
  const auto f = get_target("native").compile(module, "main");
  const std::vector<Tensor> args = {Tensor::of<float>({1, 2, 3, 4}, {4}), Tensor::of<float>({10, 20, 30, 40}, {4})};
  const Tensor result(ElementType::kF32, {4});
  const void* in[] = {args[0].raw(), args[1].raw()};
  void* out[] = {result.raw()};
  const auto bound = f->bind(in, out);
  bound->run();
  if (result.data<float>()[3] != 44) return 1;
  print_median("hand_written_ns", [&] {
    add_by_hand(static_cast<const float*>(in[0]), static_cast<const float*>(in[1]), static_cast<float*>(out[0]));
  });
  print_median("bound_ns", [&] { bound->run(); });
  print_median("invoke_ns", [&] { f->invoke(in, out); });
  print_median("run_ns", [&] { f->run(args); });
  return 0;
}
