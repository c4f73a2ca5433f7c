// Where two ways of running a program part: the first op whose results differ.
#pragma once
#include <optional>
#include <string>

#include "ir/target.h"
#include "reduce/reduce.h"

namespace weft::reduce {

/// A target and how it is to compile.
struct Way {
  std::string name;  // for messages
  const Target* target = nullptr;
  CompileOptions options;
};

/// What differs when @main runs on its first input both ways, each in a process of its own: "result 0: …", "error on native: …",
/// "crash on native: signal 11"; empty when nothing does. Floats may differ by 3 ulp, or normwise by 16·eps·√n.
std::string difference(const Program& program, const Way& a, const Way& b, double seconds = 60);

struct FirstDifference {
  std::string op;  // mnemonic and type of the result
  Loc loc;
  std::string reason;  // as difference() says
  /// @main up to this op, returning its results.
  Program program;
};
/// The first op in program order whose results differ although its operands agree: found by cutting @main, whose calls are
/// inlined, short. Nothing when no cut program differs (ops that only together go wrong).
std::optional<FirstDifference> first_difference(const Program& program, const Way& a, const Way& b);

}  // namespace weft::reduce
