// Bits of every floating-point element type, to and from double.
#pragma once
#include <cstdint>

#include "weft/element_type.h"

namespace weft {

/// The value of an element given by its bits (low bits of `bits`). Exact: every format is a subset of f64.
double decode_float(ElementType type, uint64_t bits);
/// `value` rounded once to nearest even. Overflow goes to infinity where the format has one, else to NaN where it has one, else
/// to the largest number. NaN becomes the format's quiet NaN with its sign (f64, f32: payload kept as far as it fits).
uint64_t encode_float(ElementType type, double value);

}  // namespace weft
