// chlo.ragged_dot as products of dense blocks of rows.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft {

/// In StableHLO's ops. Nothing unless shapes are static. Where all rows share the group sizes, a loop over blocks of rows that lie in one group each; else a loop over the groups, with
/// one masked product each.
std::optional<std::vector<Value>> ragged_dot_in_ops(OpBuilder& builder, const OpView& op,
                                                    std::span<const Value> operands);

}  // namespace weft
