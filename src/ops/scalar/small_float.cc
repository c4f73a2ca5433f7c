#include "ops/scalar/small_float.h"

#include <bit>
#include <cmath>

#include "base/float_format.h"
#include "ops/scalar/scalar_math.h"

namespace weft {
namespace {

using enum ElementType;
using Special = FloatFormat::Special;

constexpr uint32_t kSign = 0x80000000u, kInfinity = 0x7f800000u, kNan = 0x7fc00000u;
constexpr int kFraction = 23, kBias = 127;  // of f32
/// 2^-127, the least number of f8E8M0FNU, is a subnormal f32.
constexpr uint32_t kLeastScale = 0x00400000u;

SExpr word(SExpr like, uint32_t v) { return SExpr::constant_bits(like.program(), kU32, v); }
SExpr left(SExpr x, int n) { return shift_left(x, word(x, static_cast<uint32_t>(n))); }
SExpr right(SExpr x, int n) { return shift_right_logical(x, word(x, static_cast<uint32_t>(n))); }
SExpr masked(SExpr x, uint32_t mask) { return bit_and(x, word(x, mask)); }

double smallest_step(const FloatFormat& f) { return std::ldexp(1.0, 1 - f.bias - f.fraction_bits); }
/// Bits of the smallest normal number as f32.
uint32_t smallest_normal(const FloatFormat& f) { return static_cast<uint32_t>(1 - f.bias + kBias) << kFraction; }
uint32_t all_exponent(const FloatFormat& f) { return ((1u << f.exponent_bits) - 1) << f.fraction_bits; }
uint32_t magnitude_mask(const FloatFormat& f) { return (1u << (f.exponent_bits + f.fraction_bits)) - 1; }
uint32_t fraction_mask(const FloatFormat& f) { return (1u << f.fraction_bits) - 1; }
/// A number so large that the last fraction bit of its f32 is a step between subnormal numbers of the format.
SExpr aligner(SExpr like, const FloatFormat& f) {
  return SExpr::constant(like.program(), kF32, std::ldexp(smallest_step(f), kFraction));
}

/// The exponent of an f32 given by its bits, rounded to even where the fraction is in the middle; 0xff for what is no positive number.
SExpr rounded_exponent(SExpr u) {
  const SExpr odd = masked(right(u, kFraction), 1);
  const SExpr nearest = right(u + word(u, 0x3fffff) + odd, kFraction);
  // Below 2^-126 stands 2^-127 alone; the middle between the two goes to it.
  const SExpr low = select(u > word(u, kLeastScale + (kLeastScale >> 1)), word(u, 1), word(u, 0));
  const SExpr e = select(u < word(u, 1u << kFraction), low, nearest);
  // Unsigned, so that all with a sign are too large as well.
  return select(bit_or(equal(u, word(u, 0)), u >= word(u, kInfinity)), word(u, 0xff), e);
}

SExpr scale_of(SExpr exponent) {
  const SExpr r = select(equal(exponent, word(exponent, 0)), word(exponent, kLeastScale), left(exponent, kFraction));
  return select(equal(exponent, word(exponent, 0xff)), word(exponent, kNan), r).bitcast(kF32);
}

}  // namespace

SExpr decode_small_float(SExpr bits, ElementType t) {
  const FloatFormat f = float_format(t);
  const SExpr wide = bits.convert(kU32);
  if (f.special == Special::kScale) return scale_of(wide);
  const SExpr magnitude = masked(wide, magnitude_mask(f));
  const SExpr sign = masked(left(wide, 31 - f.exponent_bits - f.fraction_bits), kSign);
  const SExpr normal =
      left(magnitude, kFraction - f.fraction_bits) + word(wide, static_cast<uint32_t>(kBias - f.bias) << kFraction);
  const SExpr subnormal = (magnitude.convert(kF32) * smallest_step(f)).bitcast(kU32);
  SExpr r = select(magnitude < word(wide, 1u << f.fraction_bits), subnormal, normal);
  if (f.special == Special::kIeee) {
    // The fraction of a NaN goes along, so that elements can be moved as numbers.
    const SExpr special = bit_or(left(magnitude, kFraction - f.fraction_bits), word(wide, kInfinity));
    r = select(magnitude >= word(wide, all_exponent(f)), special, r);
  } else if (f.special == Special::kNanOnly) {
    r = select(equal(magnitude, word(wide, magnitude_mask(f))), word(wide, kNan), r);
  }
  r = bit_or(r, sign);
  if (f.special == Special::kNegZero) r = select(equal(r, word(wide, kSign)), word(wide, kNan), r);
  return r.bitcast(kF32);
}

SExpr round_to_small_float(SExpr x, ElementType t) {
  const FloatFormat f = float_format(t);
  const SExpr u = x.bitcast(kU32);
  if (f.special == Special::kScale) return scale_of(rounded_exponent(u));
  const SExpr magnitude = masked(u, ~kSign), sign = masked(u, kSign);
  const int dropped = kFraction - f.fraction_bits;
  const SExpr odd = masked(right(magnitude, dropped), 1);
  const SExpr carried = magnitude + word(u, (1u << (dropped - 1)) - 1) + odd;
  const SExpr normal = masked(carried, ~((1u << dropped) - 1));
  const SExpr align = aligner(x, f);
  const SExpr subnormal = ((magnitude.bitcast(kF32) + align) - align).bitcast(kU32);
  SExpr r = select(magnitude < word(u, smallest_normal(f)), subnormal, normal);
  const auto largest = std::bit_cast<uint32_t>(static_cast<float>(largest_finite(t)));
  const uint32_t overflow = f.special == Special::kIeee ? kInfinity : f.special == Special::kFinite ? largest : kNan;
  r = select(r > word(u, largest), word(u, overflow), r);
  if (f.special != Special::kFinite) r = select(magnitude > word(u, kInfinity), word(u, kNan), r);
  SExpr with_sign = bit_or(r, sign);
  if (f.special == Special::kFinite) with_sign = select(magnitude > word(u, kInfinity), word(u, kSign), with_sign);
  if (f.special != Special::kNegZero) return with_sign.bitcast(kF32);
  return select(equal(r, word(u, 0)), r, with_sign).bitcast(kF32);
}

SExpr encode_small_float(SExpr x, ElementType t) {
  const FloatFormat f = float_format(t);
  const SExpr u = x.bitcast(kU32);
  if (f.special == Special::kScale) return right(u, kFraction).convert(kU8);
  const int sign_bit = f.exponent_bits + f.fraction_bits;
  const SExpr magnitude = masked(u, ~kSign);
  const SExpr normal =
      right(magnitude, kFraction - f.fraction_bits) - word(u, static_cast<uint32_t>(kBias - f.bias) << f.fraction_bits);
  const SExpr align = aligner(x, f);
  const SExpr subnormal = (magnitude.bitcast(kF32) + align).bitcast(kU32) - align.bitcast(kU32);
  SExpr r = select(magnitude < word(u, smallest_normal(f)), subnormal, normal);
  const SExpr is_nan = magnitude > word(u, kInfinity);
  if (f.special == Special::kIeee) {
    const SExpr special = masked(right(magnitude, kFraction - f.fraction_bits), all_exponent(f) | fraction_mask(f));
    r = select(magnitude >= word(u, kInfinity), bit_or(special, word(u, all_exponent(f))), r);
    const SExpr loses_all = equal(masked(r, fraction_mask(f)), word(u, 0));
    r = select(bit_and(is_nan, loses_all), bit_or(r, word(u, 1u << (f.fraction_bits - 1))), r);
  } else if (f.special == Special::kNanOnly) {
    r = select(is_nan, word(u, magnitude_mask(f)), r);
  }
  r = bit_or(r, right(masked(u, kSign), 31 - sign_bit));
  if (f.special == Special::kNegZero) r = select(is_nan, word(u, 1u << sign_bit), r);
  return r.convert(kU8);
}

}  // namespace weft
