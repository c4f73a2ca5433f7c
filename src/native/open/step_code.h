// Code of single ops that have no form for all extents: compiled when a call brings new extents, and kept.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ir/target.h"

namespace weft::native {

/// Thread-safe. Callers of other extents go on while code is made.
class StepCode {
 public:
  static constexpr size_t kMost = 64;
  /// Compiles a function of static types.
  using Compile = std::function<std::unique_ptr<Executable>(std::shared_ptr<const Module>, const std::string& entry)>;

  explicit StepCode(Compile compile) : compile_(std::move(compile)) {}

  /// Code of the step for the values of the names; `function` says what it computes then, and is asked only when there is none yet.
  std::shared_ptr<const Executable> get(int64_t step, std::span<const int64_t> values,
                                        const std::function<std::unique_ptr<Function>()>& function);

 private:
  struct Made {
    std::mutex mutex;  // held while it is made
    std::shared_ptr<const Executable> code;
    uint64_t used = 0;
  };

  const Compile compile_;
  std::mutex mutex_;
  std::map<std::vector<int64_t>, std::shared_ptr<Made>> kept_;  // by step and values
  uint64_t clock_ = 0;
};

}  // namespace weft::native
