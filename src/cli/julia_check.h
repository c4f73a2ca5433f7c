// `weft check FILE.jl`: syntax, names, and what compiles.
#pragma once
#include <string>
#include <vector>

#include "cli/exit_codes.h"

namespace weft::cli {

struct JuliaCheckOptions {
  std::vector<std::string> entries;  // calls such as f(Vector{Float64}(8))
  std::string explain;               // prints the types of this function's expressions instead
  bool run = false;                  // runs the program for the calls that it makes
  bool json = false;
};

/// Checks of several files, one after another.
class JuliaCheck {
 public:
  explicit JuliaCheck(const JuliaCheckOptions& options) : options_(options) {}
  /// Causes go to standard error, what compiles to standard output; or everything is kept for the JSON text.
  void file(const std::string& name);
  /// Writes the JSON text, when that is asked for.
  void finish();
  /// kUser for faults and for what the program could change to be compiled, kUnsupported where only features are missing.
  ExitCode code() const { return has_errors_ ? kUser : is_unsupported_ ? kUnsupported : kDone; }

 private:
  const JuliaCheckOptions& options_;
  bool has_errors_ = false, is_unsupported_ = false;
  std::string json_;  // of files
};

}  // namespace weft::cli
