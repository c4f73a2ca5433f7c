// Compiles functions while a program runs: the host's calls of the program's functions go to compiled code where there is some.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

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

/// Belongs to an evaluator, which must outlive it.
class JustInTime {
 public:
  JustInTime(Evaluator& evaluator, CompileMode mode, std::string target = "native");
  ~JustInTime();
  const CompileCounts& counts() const;
  /// Told of every signature that is not compiled, with why.
  std::function<void(const std::string& function, const std::string& why)> refused;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::julia
