// Kernels in which rows do not meet, as kernels of static extents but for the number of rows: what stands for one row is known when
// the program is compiled, so that the code is that of codegen/row_kernel.h.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "native/open/extent_names.h"

namespace weft::native {

struct RowForm {
  /// Where an argument or a result of `function` stands.
  struct Buffer {
    size_t position = 0;    // among the buffers of the kernel: its arguments, then its results
    int64_t row_bytes = 0;  // 0: the same for all rows
    OpId view;              // the slice or update of the buffer that holds the rows; none: all of it
  };

  /// The kernel with `group` times `rows` in place of the extents up to the last open one, and its buffers in order.
  std::shared_ptr<Function> function;
  int64_t rows = 0;
  /// How many rows there are; holds names.
  int64_t count = 0;
  std::vector<Buffer> buffers;
};

/// None where rows meet. `updates` as for emit_open_kernel.
std::optional<RowForm> row_form(const Function& kernel, const ExtentNames& names, bool updates, int64_t group = 1);

}  // namespace weft::native
