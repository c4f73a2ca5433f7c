// Times of a compiled program and of its steps: what `weft bench` prints.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/account.h"
#include "ir/target.h"

namespace weft::cli {

struct StepTime {
  int step = 0;        // of ProgramAccount::steps
  int64_t runs = 0;    // a call
  double seconds = 0;  // a call, inner steps not included
};

struct Measurement {
  std::vector<double> seconds;  // of each call, sorted
  double compile_seconds = 0;
  double other_cores = 0;         // work of other processes meanwhile
  std::vector<StepTime> steps;    // of one profiled call on average, longest first
  std::vector<StepEvent> events;  // of the last profiled call
  ProgramAccount account;
  std::string explanation;  // of a target that gives no account
  double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
  double best() const { return seconds.empty() ? 0 : seconds[0]; }
  /// Memory that the steps of one call read and write, each operand and result of a step once.
  double bytes_moved() const;
  /// Values that lie in the arena between steps.
  int64_t temporaries() const;
};

/// Compiles, warms up and calls for about `seconds`; then calls a profiled copy, when `profiled`.
Measurement measure(const Target& target, std::shared_ptr<const Module> module, const std::string& entry,
                    std::span<const Tensor> args, const CompileOptions& options, double seconds, bool profiled);

}  // namespace weft::cli
