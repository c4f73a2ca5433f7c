#include "ops/control_flow_rules.h"

namespace weft {

namespace {
[[noreturn]] void missing(const OpView& op) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] derivative: not written yet", op.loc());
}
}  // namespace

Linearized linearize_while(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
Linearized linearize_case(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
Linearized linearize_call(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
Linearized linearize_lane_while(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
Linearized linearize_stack_push(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
Linearized linearize_stack_pop(LinearizeContext&, const OpView& op, std::span<const Value>, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_while(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_case(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_call(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_lane_while(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_stack_push(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }
std::vector<Value> transpose_stack_pop(TransposeContext&, const OpView& op, std::span<const Value>) { missing(op); }

}  // namespace weft
