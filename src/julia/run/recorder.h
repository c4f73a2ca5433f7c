// Sees every call while it runs, in the place of the evaluator: how derivatives are taken of what the host runs.
#pragma once
#include "julia/run/evaluator.h"

namespace weft::julia {

class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;
  virtual Value call_intrinsic(const IntrinsicEntry& intrinsic, std::span<const Value> arguments) = 0;
  /// The callee comes first among the values. Nothing: the method's code is to run.
  virtual std::optional<Value> call_method(std::span<const Value> all, std::span<const Keyword> keywords) = 0;
};

/// Null: calls run as they are.
extern constinit thread_local Recorder* recorder;

}  // namespace weft::julia
