#include "base/float_format.h"

#include <bit>
#include <cmath>

#include "weft/error.h"

namespace weft {
namespace {

using Special = FloatFormat::Special;

uint64_t mask(int bits) { return (uint64_t{1} << bits) - 1; }

}  // namespace

FloatFormat float_format(ElementType type) {
  using enum ElementType;
  switch (type) {
    case kF4E2M1FN: return {2, 1, 1, Special::kFinite};
    case kF6E2M3FN: return {2, 3, 1, Special::kFinite};
    case kF6E3M2FN: return {3, 2, 3, Special::kFinite};
    case kF8E3M4: return {3, 4, 3, Special::kIeee};
    case kF8E4M3: return {4, 3, 7, Special::kIeee};
    case kF8E4M3FN: return {4, 3, 7, Special::kNanOnly};
    case kF8E4M3FNUZ: return {4, 3, 8, Special::kNegZero};
    case kF8E4M3B11FNUZ: return {4, 3, 11, Special::kNegZero};
    case kF8E5M2: return {5, 2, 15, Special::kIeee};
    case kF8E5M2FNUZ: return {5, 2, 16, Special::kNegZero};
    case kF8E8M0FNU: return {8, 0, 127, Special::kScale};
    case kF16: return {5, 10, 15, Special::kIeee};
    case kBF16: return {8, 7, 127, Special::kIeee};
    default: throw InternalError("not a small floating-point type: " + std::string(name(type)));
  }
}

double decode_float(ElementType type, uint64_t bits) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  if (type == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const FloatFormat f = float_format(type);
  if (f.special == Special::kScale)
    return bits == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits & 0xff) - f.bias);
  const uint64_t fraction = bits & mask(f.fraction_bits);
  const uint64_t exponent = (bits >> f.fraction_bits) & mask(f.exponent_bits);
  const bool negative = (bits >> (f.fraction_bits + f.exponent_bits)) & 1;
  const double sign = negative ? -1.0 : 1.0;
  if (f.special == Special::kIeee && exponent == mask(f.exponent_bits)) {
    return fraction != 0 ? std::copysign(std::nan(""), sign) : sign * INFINITY;
  }
  if (f.special == Special::kNanOnly && exponent == mask(f.exponent_bits) && fraction == mask(f.fraction_bits)) {
    return std::copysign(std::nan(""), sign);
  }
  if (f.special == Special::kNegZero && negative && exponent == 0 && fraction == 0) return std::nan("");
  const double significand = static_cast<double>(fraction + (exponent != 0 ? mask(f.fraction_bits) + 1 : 0));
  const int scale = (exponent != 0 ? static_cast<int>(exponent) : 1) - f.bias - f.fraction_bits;
  return sign * std::ldexp(significand, scale);
}

uint64_t encode_float(ElementType type, double value) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(value);
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const FloatFormat f = float_format(type);
  const int sign_shift = f.fraction_bits + f.exponent_bits;
  if (f.special == Special::kScale) {
    if (!(value > 0)) return 0xff;  // no zero either: a scale of nothing is no number
    if (std::isinf(value)) return 0xff;
    int exponent = 0;
    const double m = std::frexp(value, &exponent);  // value = m * 2^exponent, m in [0.5, 1)
    // Ties between 2^(e-1) and 2^e (m = 0.75) go to the even pattern.
    const int low = exponent - 1 + f.bias;
    const int pattern = m > 0.75 || (m == 0.75 && (low & 1)) ? low + 1 : low;
    return pattern < 0 ? 0 : pattern >= 0xff ? 0xff : static_cast<uint64_t>(pattern);
  }
  const uint64_t sign =
      (f.special == Special::kNegZero && value == 0) ? 0 : static_cast<uint64_t>(std::signbit(value)) << sign_shift;
  const uint64_t all_exponent = mask(f.exponent_bits) << f.fraction_bits;
  uint64_t nan = 0, overflow = 0, largest = 0;
  switch (f.special) {
    case Special::kIeee:
      nan = sign | all_exponent | (uint64_t{1} << (f.fraction_bits - 1));
      overflow = sign | all_exponent;
      largest = all_exponent - 1;
      break;
    case Special::kNanOnly:
      nan = overflow = sign | all_exponent | mask(f.fraction_bits);
      largest = (all_exponent | mask(f.fraction_bits)) - 1;
      break;
    case Special::kNegZero:
      nan = overflow = uint64_t{1} << sign_shift;
      largest = all_exponent | mask(f.fraction_bits);
      break;
    default:
      largest = all_exponent | mask(f.fraction_bits);
      nan = uint64_t{1} << sign_shift;  // -0, as in OCP's and JAX's conversions
      overflow = sign | largest;
  }
  if (std::isnan(value)) return nan;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return overflow;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Steps of the last fraction bit at this magnitude; subnormals share the smallest normal's step.
  int step = exponent - 1 - f.fraction_bits;
  const int smallest_step = 1 - f.bias - f.fraction_bits;
  if (step < smallest_step) step = smallest_step;
  const double units = std::nearbyint(std::ldexp(magnitude, -step));
  uint64_t pattern = 0;
  if (const auto u = static_cast<uint64_t>(units); u <= mask(f.fraction_bits)) {
    pattern = u;  // subnormal; or zero
  } else {
    // A carry out of the fraction moves into the exponent by itself.
    pattern = (static_cast<uint64_t>(step - smallest_step + 1) << f.fraction_bits) + (u - (mask(f.fraction_bits) + 1));
  }
  if (pattern > largest) return overflow;
  if (f.special == Special::kNegZero && pattern == 0) return 0;
  return sign | pattern;
}

namespace {

/// The largest of sign times a value, over all patterns of a one-byte type.
double farthest(ElementType type, double sign) {
  double best = -INFINITY;
  for (uint64_t bits = 0; bits <= mask(bit_width(type)); ++bits) {
    best = std::fmax(best, sign * decode_float(type, bits));  // of NaN and a number, the number
  }
  return sign * best;
}

}  // namespace

double largest_finite(ElementType type) {
  double best = 0;
  for (uint64_t bits = 0; bits <= mask(bit_width(type)); ++bits) {
    const double v = decode_float(type, bits);
    if (std::isfinite(v)) best = std::fmax(best, v);
  }
  return best;
}
double largest_value(ElementType type) { return byte_size(type) == 1 ? farthest(type, 1) : INFINITY; }
double lowest_value(ElementType type) { return byte_size(type) == 1 ? farthest(type, -1) : -INFINITY; }

}  // namespace weft
