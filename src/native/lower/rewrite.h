// Replacing ops by others of the same meaning before they are scheduled.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// What takes the place of an op's results, written by the builder from the new operands; nothing: the op stays.
using Rewrite = std::function<std::optional<std::vector<Value>>(OpBuilder& builder, const OpView& op,
                                                                std::span<const Value> operands)>;

/// A copy of f in which every op, those in regions included, has been offered to `rewrite`.
std::unique_ptr<Function> rewrite_ops(const Function& f, const Rewrite& rewrite);

}  // namespace weft::native
