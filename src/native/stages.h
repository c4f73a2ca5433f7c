// The time that stages of compiling take, for `--timings`.
#pragma once
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ir/target.h"

namespace weft::native {

/// Stages by name in order of their first appearance; a stage that runs several times is one.
class Stages {
 public:
  /// Runs `body` as part of a stage; time of stages within it is theirs alone.
  template <class Body>
  decltype(auto) time(const char* name, Body&& body) {
    const Scope scope(*this, name);
    return std::forward<Body>(body)();
  }
  void count(const char* name, size_t n, const char* unit);
  void report(const CompileOptions& options) const;

 private:
  using Clock = std::chrono::steady_clock;
  class Scope {
   public:
    Scope(Stages& stages, const char* name) : stages_(stages), index_(stages.find(name)), begin_(Clock::now()) {
      stages_.open_.push_back(0);
    }
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Stages& stages_;
    const size_t index_;
    const Clock::time_point begin_;
  };
  size_t find(const char* name);

  std::vector<CompileStage> stages_;
  std::vector<double> open_;  // seconds of the stages within each open one
};

}  // namespace weft::native
