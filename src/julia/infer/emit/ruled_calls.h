// Calls of functions that have rules for their derivatives, the library's or the program's, in code that is differentiated.
#pragma once
#include "julia/infer/compiler.h"
#include "julia/infer/derive/rules.h"

namespace weft::julia {

/// What is written while it lives is differentiated, or is not.
class Differentiated {
 public:
  explicit Differentiated(Compiler& c, bool is = true) : c_(c), before_(c.is_differentiated()) {
    c.set_differentiated(is);
  }
  ~Differentiated() { c_.set_differentiated(before_); }
  Differentiated(const Differentiated&) = delete;
  Differentiated& operator=(const Differentiated&) = delete;

 private:
  Compiler& c_;
  bool before_;
};

/// _with_rule(f, rule, arguments…), of arguments that are floating-point numbers and arrays of these.
Abstract with_rule(Compiler& c, std::span<const Abstract> arguments);

/// A call for which the program has a rule. Nothing: the rule declines, the call is to be written as any other.
std::optional<Abstract> call_by_rule(Compiler& c, const DerivativeRule& rule, const Abstract& callee,
                                     const std::vector<Abstract>& arguments,
                                     const std::vector<std::pair<Symbol, Abstract>>& keywords);

/// The value without a derivative: of arrays, a new one.
Abstract without_derivative(Compiler& c, const Abstract& v);

}  // namespace weft::julia
