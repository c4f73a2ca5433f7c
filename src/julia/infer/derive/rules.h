// Rules for derivatives that a program has of its own.
#pragma once
#include <optional>

#include "julia/run/evaluator.h"

namespace weft::julia {

/// Of calls: what gives a value and its pullback instead, or that the value is a constant.
struct DerivativeRule {
  Value function;             // rrule, or the object of Zygote whose method @adjoint defines; undefined: constant
  bool takes_callee = false;  // rrule: the callee is an argument, and the pullback gives something for it first
};

/// What the types of a call are, the callee first.
std::optional<DerivativeRule> rule_for(Evaluator& e, const Value* callee, const std::vector<const Type*>& types);

}  // namespace weft::julia
