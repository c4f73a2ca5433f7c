// Kernels for any number of rows. Such a kernel is written for KernelOptions::rows of them: each root has them as its outermost extent,
// row r of the roots needs no other row of what has rows, and the number, a prime, divides no other extent of the kernel. Units are
// then numbered by row, so that the units of the first rows are right for memory that holds only these.
#pragma once
#include <optional>
#include <vector>

#include "native/codegen/kernel.h"

namespace weft::codegen {

struct RowUnits {
  /// Units of one of the kernel's loop nests: `per_row` for each row, from `first` on.
  struct Part {
    int64_t first, per_row;
  };
  std::vector<Part> parts;
  double work_per_row = 0;  // rough nanoseconds
};

/// Emits the kernel; none where a loop nest does not go by rows. Behind the addresses of the outputs the generated function expects the
/// number of rows that there are. What has kRowTile times as many rows as outermost extents is a kernel of groups of rows; with
/// `only_together` there is none where these do not share what they read.
constexpr int64_t kRowTile = 4;
std::optional<RowUnits> emit_row_kernel(llvm::Module& module, const Function& kernel, const KernelOptions& options,
                                        bool only_together, const std::string& name, llvm::Function** code);

}  // namespace weft::codegen
