// cholesky and triangular_solve as loops over columns or rows, all matrices of a batch together: the form without a library.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// Whether an extent is the name of an open one (open/extent_names.h): a loop then runs to its value, which is computed, not a constant.
using IsOpenExtent = std::function<bool(int64_t)>;
inline bool no_extent_is_open(int64_t) { return false; }

std::optional<std::vector<Value>> lower_cholesky(OpBuilder& builder, const OpView& op, std::span<const Value> operands,
                                                 const IsOpenExtent& is_open);
std::optional<std::vector<Value>> lower_triangular_solve(OpBuilder& builder, const OpView& op,
                                                         std::span<const Value> operands, const IsOpenExtent& is_open);

}  // namespace weft::native
