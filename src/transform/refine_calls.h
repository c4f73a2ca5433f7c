// Custom calls whose shapes are operands, once those are constants: what exporters write where a shape depends on an open extent.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "ops/builder.h"

namespace weft {

/// The results of `op`, a custom call, made at the builder with the shapes that constants among `operands` give it; nothing when it
/// takes no shapes or they are not constants. `constant`: the literal that a value is, or null. Two forms:
///   @stablehlo.dynamic_reduce_window(x…, init…, window dimensions, strides, base dilations, window dilations, padding): a reduce_window
///   any call with `indices_of_shape_operands`: the same call without these operands, its results of these shapes
std::optional<std::vector<Value>> refine_custom_call(OpBuilder& builder, const OpView& op,
                                                     std::span<const Value> operands,
                                                     const std::function<const Literal*(Value)>& constant);
/// rng with a constant shape.
std::optional<std::vector<Value>> refine_rng(OpBuilder& builder, const OpView& op, std::span<const Value> operands,
                                             const std::function<const Literal*(Value)>& constant);

}  // namespace weft
