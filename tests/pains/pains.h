// What users of today's systems suffer from, one test a row: the value that is right, or the law that must hold. Times are compared as
// ratios of the best of several runs, so that a busy machine does not decide.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ir/target.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft::pains {

/// Seconds of this thread: other processes and other threads do not count.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <class Body>
double best_thread_seconds(int runs, Body&& body) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double begin = thread_seconds();
    body();
    best = std::min(best, thread_seconds() - begin);
  }
  return best;
}

/// The least of up to ten ratios of times, measured until one is at most `enough`: something else may hold the machine for a while.
template <class Ratio>
double least_ratio(double enough, Ratio&& ratio) {
  double least = 1e300;
  for (int attempt = 0; attempt < 10 && least > enough; ++attempt) least = std::min(least, ratio());
  return least;
}

inline std::shared_ptr<Module> parsed(const std::string& text) { return parse_module(text, "pain"); }

inline std::unique_ptr<Executable> compiled(const std::string& text, const CompileOptions& options = {}) {
  return get_target("native").compile(parsed(text), "main", options);
}

/// The program with @main replaced by its gradient by argument 0.
inline std::shared_ptr<Module> gradient_of(const std::string& text) {
  auto module = parsed(text);
  const size_t first[] = {0};
  gradient(*module, "main", first, "main", false);
  return module;
}

template <class T>
std::vector<T> values(const Tensor& t) {
  const auto data = t.data<T>();
  return {data.begin(), data.end()};
}

}  // namespace weft::pains
