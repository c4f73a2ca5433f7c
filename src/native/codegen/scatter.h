// scatter into buffers that hold its inputs: update after update, or (sums, extremes and the like of many updates in few places) in parts
// with places of their own, which are joined with the input in the end.
#pragma once
#include "native/codegen/emitter.h"

namespace weft::codegen {

struct Segment;

void plan_scatter(const OpView& op, const KernelOptions& options, Segment& s);

/// Units [begin, end) of the segment; outputs[i] holds input i and becomes result i.
void emit_scatter(Emitter& e, const OpView& op, std::span<llvm::Value* const> outputs, const Segment& s,
                  llvm::Value* begin, llvm::Value* end, bool narrow_memory);

/// Parts [begin, end) of the updates, each into a copy of the result in scratch memory; and elements of the result from these.
size_t scatter_part_bytes(const OpView& op, const Segment& s);
void emit_scatter_parts(Emitter& e, const OpView& op, const Segment& s, llvm::Value* scratch, llvm::Value* begin,
                        llvm::Value* end, bool narrow_memory);
void emit_scatter_finish(Emitter& e, const OpView& op, llvm::Value* output, const Segment& s, llvm::Value* scratch,
                         llvm::Value* begin, llvm::Value* end, bool narrow_memory);

}  // namespace weft::codegen
