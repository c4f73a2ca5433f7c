// bitcast_convert between widths as arithmetic on the bits of elements.
#pragma once
#include <optional>
#include <vector>

#include "ops/elementwise/element_bits.h"

namespace weft::native {

/// Sub-byte and complex elements included; elements of one width are the emitter's.
std::optional<std::vector<Value>> lower_bitcast_convert(OpBuilder& builder, const OpView& op,
                                                        std::span<const Value> operands);

}  // namespace weft::native
