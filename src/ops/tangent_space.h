// Values as vectors: which types have tangents, and zero and sum of them.
#pragma once
#include "ops/builder.h"

namespace weft {

/// Floats, complex numbers and stacks of such. Integers, booleans, tokens have no tangent.
bool has_tangent(Type t);
/// Zeros, or an empty stack: popping an empty stack gives zeros, so it is the zero of every height.
Value zero_tangent(OpBuilder& builder, Type t);
/// a + b where either may be missing (zero). When one of them is zeros updated at one place (dynamic_update_slice, pad, scatter:
/// what transposed reads are), the other is updated there instead, so that a sum over many reads costs what the reads cost.
Value accumulate_tangent(OpBuilder& builder, Value a, Value b);

}  // namespace weft
