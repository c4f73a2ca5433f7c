// Elementwise nodes: NumPy's broadcasting and the typing of numbers.
#pragma once
#include <span>
#include <string_view>

#include "symbolic/node.h"

namespace weft::symbolic {

/// Writes the op on operands that have one shape.
using Combine = std::function<Value(OpBuilder&, std::span<const Value>)>;
/// Operands aligned at their last axes, extents of 1 stretched; operand i that is a number takes types[i].
Expr broadcasting(std::string_view op, std::span<const Operand> operands, std::span<const ElementType> types,
                  Combine combine);
/// The common element type: of the expressions among the operands, which must agree; of numbers alone i32 or f32.
ElementType common_type(std::string_view op, std::span<const Operand> operands);
/// The shape of both broadcast together. UserError when they do not fit.
Shape broadcast_shapes(std::string_view op, const Loc& loc, const Shape& a, const Shape& b);
/// Aligned at the last axes.
Value broadcast_value(OpBuilder& b, Value v, std::span<const int64_t> shape);
Expr unary(std::string_view op, std::string_view mnemonic, const Operand& a);

}  // namespace weft::symbolic
