// Functions that say what their derivative is, by attributes of the function:
//   weft.jvp = @rule                 arguments, then a tangent for each that has one → results, then their tangents
//   weft.vjp = [@forward, @backward] forward: arguments → results, then what backward needs; backward: that, then a cotangent
//                                    for each result that has one → a cotangent for each argument that has one
//   weft.checkpoint                  reverse mode keeps the arguments alone and runs the function again
#pragma once
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// Names are empty where there is no such rule.
struct DerivativeRule {
  std::string jvp = {}, forward = {}, backward = {};
  bool checkpoint = false;

  bool has_vjp() const { return !forward.empty(); }
  bool is_custom() const { return !jvp.empty() || has_vjp(); }
  bool exists() const { return is_custom() || checkpoint; }
  std::vector<std::string> functions() const;
};

/// UserError when an attribute is not of the form above.
DerivativeRule derivative_rule(const Function& f);
/// Replaces the attributes.
void set_derivative_rule(Function& f, const DerivativeRule& rule);
/// UserError when a rule does not exist or takes or returns other types than `f` asks for.
void verify_derivative_rule(const Function& f, const Module& module);
/// Those of `types` that have tangents.
std::vector<Type> tangent_types(const std::vector<Type>& types);

}  // namespace weft
