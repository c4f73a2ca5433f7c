// The comparator of a sort as a function on places: what the runtime's merge sort calls.
#pragma once
#include <string>

#include "ops/record.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace weft::codegen {

/// Whether the region of a stablehlo.sort can be compiled; `reason` receives why not.
bool can_compile_comparator(const OpView& sort, std::string* reason);

/// Emits `int32 name(const void* const* lines, int64 a, int64 b)`, a weft_rt_sort_less_fn; elements of a line lie `step` apart.
llvm::Function* emit_comparator(llvm::Module& module, const OpView& sort, int64_t step, const std::string& name);

}  // namespace weft::codegen
