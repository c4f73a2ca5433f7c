// select_and_scatter window by window, as a root of a kernel. Inside other kernels it is pulled (window.h), where each element asks
// all windows around it.
#pragma once
#include "native/codegen/emitter.h"

namespace weft::codegen {

struct Segment;

/// One window of the source per element; none unless the windows tile the operand exactly.
bool is_tiled_pool_gradient(const OpView& op);
/// For windows that tile the operand: the values at all positions of window `index` of the source, as pairs of the element's
/// place in the operand and its value.
std::vector<std::pair<Index, Val>> emit_pool_gradient(Emitter& e, const OpView& op, const Index& index);

/// Whether each window is better asked once, and its source element added where it selects: windows that overlap, leave gaps or
/// reach into padding, and all that move along the innermost axis.
bool scatters_windows(const OpView& op);
void plan_window_scatter(const OpView& op, const KernelOptions& options, Segment& s);
/// Units [begin, end): each fills its part of the output with the start value and runs the windows that lie in it.
void emit_window_scatter(Emitter& e, const OpView& op, llvm::Value* output, const Segment& s, llvm::Value* begin,
                         llvm::Value* end, bool narrow_memory);

}  // namespace weft::codegen
