// Times of the tests of scale. Limits are five times what docs/benchmarks.md records for an idle machine.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>

namespace weft::scale {

/// Wall-clock seconds of the fastest of `runs` calls.
template <class Work>
double seconds_of(int runs, Work&& work) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

inline void report(const char* what, double seconds) { std::printf("%-50s %9.4f s\n", what, seconds); }

}  // namespace weft::scale
