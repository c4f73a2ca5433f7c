// Scalar bodies on whole arrays: reductions by bodies that have no rule of their own are folded in halves, in ops that have one.
#pragma once
#include "ops/record.h"

namespace weft {

/// Whether each op of a scalar region works element by element, so that it may work on arrays.
bool works_on_arrays(const Function& function, RegionId body);
/// The region's ops on arrays of one shape; values from outside are scalars of `b`'s function, spread over it.
std::vector<Value> body_on_arrays(OpBuilder& b, const Function& function, RegionId body, std::span<const Value> given,
                                  std::span<const int64_t> shape);

/// reduce and reduce_window: neighbours are combined until one is left, and that with the init value. Only associativity is assumed, as
/// the specification allows. For closed bodies that work on arrays.
std::vector<Value> reduce_by_halves(OpBuilder& b, const OpView& op, std::span<const Value> operands);
std::vector<Value> reduce_window_by_halves(OpBuilder& b, const OpView& op, std::span<const Value> operands);
/// Refuses with the reason unless the body is closed and works on arrays.
void expect_foldable(const OpView& op, std::string_view what);

}  // namespace weft
