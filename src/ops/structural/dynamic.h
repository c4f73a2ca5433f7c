// Ops whose shapes are operands. With the values of those operands, each is one static op: evaluation, verification of constant
// shapes and shape refinement all go through that static form, so that they cannot disagree.
#pragma once
#include <optional>
#include <span>

#include "ops/record.h"

namespace weft {

/// True for dynamic_broadcast_in_dim, dynamic_iota, …, get_dimension_size, set_dimension_size.
bool is_dynamic_op(const OpDef& def);
/// Whether operand `i` says a shape (extents, paddings, starts) and is known in the static form.
bool is_shape_operand(const OpDef& def, size_t i);
/// The op as a static one, at `builder`: `operands` are values of static types, shapes[i] is the value of operand i where
/// that is a shape operand. Throws UserError when the shapes are impossible.
std::vector<Value> static_form(OpBuilder& builder, const OpView& op, std::span<const Value> operands,
                               std::span<const std::optional<Tensor>> shapes);
/// Checks an op by those of its shape operands that are constants; `shapes` as above, operands of any extents. When all are
/// constants, it is checked as its static form is.
void check_constant_shapes(const OpView& op, std::span<const std::optional<Tensor>> shapes);
/// Result types of an op with the extents that the type rule, the declared types or (reshape, broadcast_in_dim) counting give.
std::vector<Type> refined_results(const TypeContext& context);
/// Whether types of the op leave extents open, so that its rules must see those of the values at hand. Rules of ops with regions,
/// and of calls, go by the operands.
bool has_open_shape(const OpView& op);
/// Evaluates any op without regions whose types leave extents open, with the extents of the values at hand.
std::vector<EvalValue> eval_with_extents(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);

}  // namespace weft
