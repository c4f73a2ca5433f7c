// Kernels of rows (row_form.h) as functions: static code for as many rows as its numbers allow for, called for pieces of the rows there are.
#pragma once
#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "native/codegen/kernel.h"
#include "native/open/extent_names.h"

namespace weft::native {

struct OpenRows {
  llvm::Function* main = nullptr;  // as OpenKernelCode
  int64_t count = 0;               // of rows; holds names
  /// Either is 1, the latter a power of two.
  int64_t rows_per_unit = 1, units_per_row = 1;
  double work_per_row = 0;  // rough nanoseconds
};

/// None where rows meet, or static code does not go by rows.
std::optional<OpenRows> emit_open_rows(llvm::Module& module, const Function& kernel, const ExtentNames& names,
                                       bool updates, const codegen::KernelOptions& options, const std::string& name);

}  // namespace weft::native
