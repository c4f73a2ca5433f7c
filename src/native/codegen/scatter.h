// scatter into buffers that hold its inputs.
#pragma once
#include "native/codegen/emitter.h"

namespace weft::codegen {

struct Segment;

struct ScatterLoops {
  int64_t updates;       // number of update elements
  int64_t inner;         // extent of the innermost loop
  bool inner_is_window;  // its elements go to different places
};
ScatterLoops scatter_loops(const OpView& op);

/// Units [begin, end) of the segment; outputs[i] holds input i and becomes result i.
void emit_scatter(Emitter& e, const OpView& op, std::span<llvm::Value* const> outputs, const Segment& s,
                  llvm::Value* begin, llvm::Value* end, bool narrow_memory);

}  // namespace weft::codegen
