// Kernels with open extents as LLVM functions (codegen/kernel.h has those of static kernels).
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>

#include "native/codegen/kernel.h"
#include "native/open/extent_names.h"

namespace weft::native {

struct OpenKernelCode {
  /// void(buffers, begin, end) as codegen::KernelFn; behind the outputs stands the address of the symbols' values.
  llvm::Function* main = nullptr;
  /// void(buffers, part, parts): one part of the units.
  llvm::Function* part = nullptr;
  /// i64(symbols): how many units there are. i64(symbols): rough nanoseconds of all.
  llvm::Function* units = nullptr;
  llvm::Function* work = nullptr;
  bool is_by_rows = false;  // static code for rows (open_rows.h)
};

/// `updates`: the only root is a dynamic_update_slice of an argument whose contents the output holds already. `as_rows`: as code for
/// rows of static extents where rows do not meet (row_form.h).
OpenKernelCode emit_open_kernel(llvm::Module& module, const Function& kernel, const ExtentNames& names, bool updates,
                                const codegen::KernelOptions& options, bool as_rows, const std::string& name);

/// Vectorises the loops of generated functions for the ISA.
void optimize_open(llvm::Module& module, const codegen::Isa& isa, std::span<llvm::Function* const> functions);

}  // namespace weft::native
