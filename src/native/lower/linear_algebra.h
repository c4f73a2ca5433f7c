// cholesky and triangular_solve as loops over columns or rows, all matrices of a batch together: the form without a library.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

std::optional<std::vector<Value>> lower_cholesky(OpBuilder& builder, const OpView& op, std::span<const Value> operands);
std::optional<std::vector<Value>> lower_triangular_solve(OpBuilder& builder, const OpView& op,
                                                         std::span<const Value> operands);

}  // namespace weft::native
