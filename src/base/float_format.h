// Bits of every floating-point element type, to and from double.
#pragma once
#include <cstdint>

#include "weft/element_type.h"

namespace weft {

/// How the bits of a float of 16 bits or fewer are laid out: sign, exponent, fraction.
struct FloatFormat {
  enum class Special : uint8_t {
    kIeee,     // all-ones exponent: infinity and NaN
    kNanOnly,  // "FN": the one all-ones pattern is NaN, no infinity
    kNegZero,  // "FNUZ": minus zero's pattern is NaN, no infinity, no minus zero
    kFinite,   // numbers only
    kScale,    // f8E8M0FNU: no sign, no fraction; all ones is NaN
  };
  int exponent_bits, fraction_bits, bias;
  Special special;
};
FloatFormat float_format(ElementType type);

/// The value of an element given by its bits (low bits of `bits`). Exact: every format is a subset of f64.
double decode_float(ElementType type, uint64_t bits);
/// `value` rounded once to nearest even. Overflow goes to infinity where the format has one, else to NaN where it has one, else
/// to the largest number. NaN becomes the format's quiet NaN with its sign (f64, f32: payload kept as far as it fits), in
/// formats without one the largest number.
uint64_t encode_float(ElementType type, double value);

/// The largest number of a one-byte type.
double largest_finite(ElementType type);
/// The ends of the order of a type's values, infinities included.
double largest_value(ElementType type);
double lowest_value(ElementType type);

constexpr bool is_small_float(ElementType t) { return t >= ElementType::kF4E2M1FN && t <= ElementType::kF8E8M0FNU; }

/// A one-byte float as a C++ value, like f16: arithmetic is done in float and rounded.
template <ElementType kType>
struct SmallFloat {
  uint8_t bits = 0;
  SmallFloat() = default;
  explicit SmallFloat(float f) : bits(static_cast<uint8_t>(encode_float(kType, f))) {}
  operator float() const { return static_cast<float>(decode_float(kType, bits)); }
};

template <class T>
inline constexpr bool is_small_float_value = false;
template <ElementType kType>
inline constexpr bool is_small_float_value<SmallFloat<kType>> = true;

/// Calls f with a SmallFloat of the type; false when the type is none.
template <class F>
bool visit_small_float(ElementType type, F&& f) {
  using enum ElementType;
  switch (type) {
    case kF4E2M1FN: f(SmallFloat<kF4E2M1FN>()); return true;
    case kF6E2M3FN: f(SmallFloat<kF6E2M3FN>()); return true;
    case kF6E3M2FN: f(SmallFloat<kF6E3M2FN>()); return true;
    case kF8E3M4: f(SmallFloat<kF8E3M4>()); return true;
    case kF8E4M3: f(SmallFloat<kF8E4M3>()); return true;
    case kF8E4M3FN: f(SmallFloat<kF8E4M3FN>()); return true;
    case kF8E4M3FNUZ: f(SmallFloat<kF8E4M3FNUZ>()); return true;
    case kF8E4M3B11FNUZ: f(SmallFloat<kF8E4M3B11FNUZ>()); return true;
    case kF8E5M2: f(SmallFloat<kF8E5M2>()); return true;
    case kF8E5M2FNUZ: f(SmallFloat<kF8E5M2FNUZ>()); return true;
    case kF8E8M0FNU: f(SmallFloat<kF8E8M0FNU>()); return true;
    default: return false;
  }
}

}  // namespace weft
