// stablehlo.map as what it computes.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft {

/// The computation of a map on whole arrays. Nothing when an op of it does not work element by element.
std::optional<std::vector<Value>> map_in_ops(OpBuilder& b, const OpView& op, std::span<const Value> operands);

}  // namespace weft
