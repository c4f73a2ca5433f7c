// Running folds along one axis: reduce_window whose windows begin at the edge of the operand, in linear time.
#pragma once
#include <optional>

#include "native/codegen/emitter.h"

namespace weft::codegen {

struct Segment;

/// The operand as outer x extent x inner elements; result (o, i, k) folds (o, 0 … i, k), or (o, i … extent-1, k) in reverse.
struct ScanForm {
  bool reverse = false;
  bool exclusive = false;  // without element i itself
  int64_t outer = 1, extent = 1, inner = 1;
};

/// None unless the windows are such, the axis long enough to be worth a kernel of its own, and the start value changes nothing
/// however often padding brings it in.
std::optional<ScanForm> scan_form(const OpView& op);

/// Units, lanes and parts. With parts, each unit of the kernel's main function folds one part of the axis into scratch memory,
/// and each unit of its finish scans one part.
void plan_scan(const OpView& op, const KernelOptions& options, Segment& s);

/// Units [begin, end); outputs by result.
void emit_scan(Emitter& e, const OpView& op, std::span<llvm::Value* const> outputs, const Segment& s,
               llvm::Value* begin, llvm::Value* end, bool narrow_memory);
void emit_scan_parts(Emitter& e, const OpView& op, const Segment& s, llvm::Value* scratch, llvm::Value* begin,
                     llvm::Value* end, bool narrow_memory);
void emit_scan_finish(Emitter& e, const OpView& op, std::span<llvm::Value* const> outputs, const Segment& s,
                      llvm::Value* scratch, llvm::Value* begin, llvm::Value* end, bool narrow_memory);

}  // namespace weft::codegen
