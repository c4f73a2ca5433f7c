// weft.lane_while over scalars: blocks of lanes in vector registers that leave and are refilled as lanes finish.
#pragma once
#include "native/codegen/emitter.h"

namespace weft::codegen {

struct Segment;

bool can_root_lane_while(const OpView& op, std::string* reason);
/// Lanes per block, lanes per unit and units.
void plan_lane_while(const OpView& op, const KernelOptions& options, Segment& s);
/// Units [begin, end); outputs[i] is null for a carry that nobody reads.
void emit_lane_while(Emitter& e, const OpView& op, std::span<llvm::Value* const> outputs, const Segment& s,
                     llvm::Value* begin, llvm::Value* end);

}  // namespace weft::codegen
