// What of a program compiles, and why the rest does not: `weft check FILE.jl`.
#pragma once
#include <memory>

#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/diagnose/top_level.h"

namespace weft::julia {

struct CheckOptions {
  std::vector<std::string> entries;  // as read_entry takes them
  std::string explain;               // the function whose types are wanted; empty: none
  bool run = false;                  // the program runs, with all its effects, for the calls that it makes
};

/// A function of the program with argument types.
struct CheckedSignature {
  enum Status : uint8_t { kCompiled, kNotCompiled, kNotChecked };
  enum Origin : uint8_t {
    kEntry,
    kCall,
    kDeclared
  };  // asked for, called in the program, its declared types are concrete
  std::string function;
  std::string signature;  // f(Vector{Float64}(8), Int64)
  Status status = kNotChecked;
  Origin origin = kCall;
  bool by_integers = false;    // there is code for each value of its numbers
  std::string reason;          // not checked: why
  std::vector<size_t> causes;  // in Checked::causes
  Place definition;
};

struct Checked {
  std::vector<NotCompiled> causes;  // each place once
  std::vector<CheckedSignature> signatures;
  std::vector<FailedDefinition> failed;
  struct Explanation {
    Place definition;
    Explained types;
  };
  std::vector<Explanation> explained;
};

/// The program's top level is followed, not run, unless that is asked for. Throws UserError for a wrong entry.
Checked check_program(Evaluator& evaluator, const std::string& text, const std::string& file,
                      const CheckOptions& options);

/// The name of a cause in messages: "non-const global", "abstract field", …
const char* cause_text(Cause cause);

}  // namespace weft::julia
