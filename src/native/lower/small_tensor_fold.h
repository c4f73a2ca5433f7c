// Integers of which the operands are constants, so that indices into small tensors are known.
#pragma once
#include <optional>

#include "ops/builder.h"

namespace weft::native {

/// The value of a boolean or integer constant.
std::optional<int64_t> known_integer(const OpBuilder& b, Value v);

/// An elementwise op on such scalars as a constant; or a choice of which the condition is known.
std::optional<Value> folded(OpBuilder& b, const OpView& op, std::span<const Value> operands);

}  // namespace weft::native
