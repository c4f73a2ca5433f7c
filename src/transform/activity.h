// Activity analysis: where derivatives flow, known for every value of a function before any rule runs.
#pragma once
#include <vector>

#include "ir/function.h"

namespace weft {

/// Whether the op takes its operands out of the function to where no derivative follows them (send).
bool leaves_function(const OpView& op);

/// By value id: whether the value may have a tangent when the arguments marked have one. Loops are taken to their fixpoint; the
/// results of a call that gets a tangent all have one.
std::vector<bool> active_values(const Function& f, const std::vector<bool>& args);
/// By value id: whether the results marked may depend on the value. Region arguments of a loop answer for the carry.
std::vector<bool> useful_values(const Function& f, const std::vector<bool>& results);
/// Both at once: values through which the results marked depend on the arguments marked.
std::vector<bool> differentiated_values(const Function& f, const std::vector<bool>& args,
                                        const std::vector<bool>& results);

}  // namespace weft
