// Times of the tests of scale. Limits are five times what docs/benchmarks.md records for an idle machine.
#pragma once
#include <time.h>

#include <algorithm>
#include <cstdio>

namespace weft::scale {

/// What a limit is multiplied by: slower machines, and builds that check or do not optimize.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr double kSlack = 100;
#else
inline constexpr double kSlack = 5;
#endif

/// Seconds that this thread has computed: what others do on the machine does not count.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Seconds of this thread in the fastest of `runs` calls.
template <class Work>
double seconds_of(int runs, Work&& work) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

inline void report(const char* what, double seconds) { std::printf("%-50s %9.4f s\n", what, seconds); }

}  // namespace weft::scale
