#include "transform/stack_calls.h"

#include <algorithm>

#include "transform/inline.h"

namespace weft {
namespace {

bool passes_stacks(const Function& callee) {
  const auto is_stack = [](Type t) { return t.is_stack(); };
  return std::ranges::any_of(callee.args(), [&](Value v) { return is_stack(callee.type(v)); }) ||
         std::ranges::any_of(callee.result_types(), is_stack);
}

}  // namespace

std::unique_ptr<Function> without_stack_calls(const Module& module, const Function& f) {
  bool found = false;
  for (uint32_t i = 0; i < f.num_ops() && !found; ++i) {
    const OpView op{f, OpId{i}};
    if (op.def().is_terminator || op.def().mnemonic != "func.call") continue;
    for (const Value v : op.operands()) found = found || f.type(v).is_stack();
    for (size_t k = 0; k < op.num_results(); ++k) found = found || op.result_type(k).is_stack();
  }
  if (!found) return nullptr;
  return inline_calls(module, f, [](const Function& callee, bool) { return !passes_stacks(callee); });
}

}  // namespace weft
