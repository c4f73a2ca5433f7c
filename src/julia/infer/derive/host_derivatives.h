// Derivatives of functions that are not compiled: the host runs them on a tape.
#pragma once
#include <functional>
#include <string>

#include "julia/run/evaluator.h"

namespace weft::julia {

/// (f, arguments…): the value, then a gradient for each argument. `of_first`: of the value's first part, where it has parts.
Value host_gradient(Evaluator& e, std::span<const Value> call, bool of_first);
/// (f, arguments…): a matrix for each argument; nothing for one that is no number or array of them.
Value host_jacobian(Evaluator& e, std::span<const Value> call);
/// (type of the tape, f, arguments…): the value and the tape.
Value host_pullback(Evaluator& e, std::span<const Value> call);
/// (tape, cotangent): a gradient for each argument.
Value host_pullback_apply(Evaluator& e, std::span<const Value> call);

/// (f, arrays): the value of f(), and a tuple of gradients by the arrays, to which f refers.
Value host_gradient_by_params(Evaluator& e, std::span<const Value> call);

/// Tells who listens to the evaluator what the host does in the place of compiled code, once.
void say_left_to_host(Evaluator& e, const std::string& what);
void on_left_to_host(Evaluator& e, std::function<void(const std::string& what)> told);
std::string name_of_callee(const Value& f);

}  // namespace weft::julia
