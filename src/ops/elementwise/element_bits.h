// The bits of elements as unsigned integers.
#pragma once
#include "ops/builder.h"

namespace weft {

/// The low bits of unsigned integers as elements of type `e`.
Value elements_of_bits(OpBuilder& builder, Value bits, ElementType e);

/// The unsigned type of a width that has one.
ElementType unsigned_type(int width);

}  // namespace weft
