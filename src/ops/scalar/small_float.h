// One-byte and sub-byte floats as scalar programs: they compute as f32, which holds each of their numbers, and are rounded after every
// op. No tables and no branches, so that the same nodes run on vectors; equal to base/float_format.h for every pattern.
#pragma once
#include "ops/scalar/scalar.h"

namespace weft {

/// The number that the bits (u8) of a small float of type `t` stand for, as f32. Bits above the width of `t` are ignored.
SExpr decode_small_float(SExpr bits, ElementType t);
/// An f32 rounded to the nearest number of `t` as `encode_float` does: ties to even, overflow, NaN and minus zero as the format has them.
SExpr round_to_small_float(SExpr x, ElementType t);
/// The bits (u8) of an f32 that is a number of `t` already.
SExpr encode_small_float(SExpr x, ElementType t);

}  // namespace weft
