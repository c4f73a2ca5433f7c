// bitcast_convert between widths as arithmetic on the bits of elements.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// Sub-byte and complex elements included; elements of one width are the emitter's.
std::optional<std::vector<Value>> lower_bitcast_convert(OpBuilder& builder, const OpView& op,
                                                        std::span<const Value> operands);

/// The low bits of unsigned integers as elements of type `e`.
Value elements_of_bits(OpBuilder& builder, Value bits, ElementType e);

/// The unsigned type of a width that has one.
ElementType unsigned_type(int width);

}  // namespace weft::native
