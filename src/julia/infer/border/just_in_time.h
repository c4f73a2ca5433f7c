// Compiles functions while a program runs: the host's calls of the program's functions go to compiled code where there is some.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/target.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

enum class CompileMode : uint8_t {
  kNever,
  kAuto,    // functions with loops, recursion or whole-array operations
  kAlways,  // every function of the program that can be
};

struct CompileCounts {
  size_t compiled = 0;  // signatures
  size_t refused = 0;   // signatures that the host runs
  size_t calls = 0;     // of compiled code
};

/// What a signature cost, in seconds.
struct SignatureTimes {
  std::string call;  // f(Vector{Float64}(3), Int64)
  double infer = 0, generate = 0, run = 0;
  size_t calls = 0;
};

/// Belongs to an evaluator, which must outlive it.
class JustInTime {
 public:
  /// `native`: how the target makes code.
  JustInTime(Evaluator& evaluator, CompileMode mode, std::string target = "native", CompileOptions native = {});
  ~JustInTime();
  const CompileCounts& counts() const;
  /// From now on each signature's times are taken; in the order of their first calls.
  void take_times();
  const std::vector<SignatureTimes>& times() const;
  /// Told of every signature that is not compiled, with why.
  std::function<void(const std::string& function, const std::string& why)> refused;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::julia
