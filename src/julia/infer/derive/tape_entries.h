// What a tape's entries are made of.
#pragma once
#include "ir/target.h"
#include "julia/infer/border/compiled.h"
#include "julia/infer/derive/tape.h"

namespace weft::julia {

/// The reverse derivative of a call by the leaves of which some number is tracked.
struct IntrinsicDerivative {
  TracedCall call;
  std::vector<size_t> by;
  std::unique_ptr<Executable> code;
};

/// A call with a rule of the program's own.
struct CustomRule {
  Value back;
  bool has_callee = false;  // the rule gives a derivative for the callee as well
  Places result;
  std::vector<Places> arguments;  // the callee first
};

/// Intrinsics that hand values on as they are, and those that call functions on them: tracked numbers stay tracked.
bool hands_values_on(std::string_view intrinsic);
/// Functions of elements that one program may do for all of them.
bool is_of_elements(std::string_view intrinsic);

}  // namespace weft::julia
