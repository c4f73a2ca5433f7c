// 16-bit floating-point numbers as C++ values. Arithmetic is done in float and rounded once to nearest even.
#pragma once
#include <bit>
#include <complex>
#include <cstdint>

#include "weft/element_type.h"

namespace weft {

/// bfloat16: 8 exponent bits, 7 fraction bits.
struct bf16 {
  uint16_t bits = 0;
  bf16() = default;
  explicit bf16(float f) {
    const uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((u >> 16) | 0x40u);  // NaN stays NaN: rounding could carry it to infinity
    } else {
      bits = static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

/// IEEE binary16.
struct f16 {
  uint16_t bits = 0;
  f16() = default;
  explicit f16(float f) : bits(from_float(f)) {}
  operator float() const { return to_float(bits); }
  static uint16_t from_float(float f);
  static float to_float(uint16_t bits);
};

/// The element type of a C++ type; undefined for types that are none. bool is stored as one byte, 0 or 1.
template <class T>
struct ElementTypeOf;
// clang-format off
template <> struct ElementTypeOf<bool> { static constexpr ElementType value = ElementType::kI1; };
template <> struct ElementTypeOf<int8_t> { static constexpr ElementType value = ElementType::kI8; };
template <> struct ElementTypeOf<int16_t> { static constexpr ElementType value = ElementType::kI16; };
template <> struct ElementTypeOf<int32_t> { static constexpr ElementType value = ElementType::kI32; };
template <> struct ElementTypeOf<int64_t> { static constexpr ElementType value = ElementType::kI64; };
template <> struct ElementTypeOf<uint8_t> { static constexpr ElementType value = ElementType::kU8; };
template <> struct ElementTypeOf<uint16_t> { static constexpr ElementType value = ElementType::kU16; };
template <> struct ElementTypeOf<uint32_t> { static constexpr ElementType value = ElementType::kU32; };
template <> struct ElementTypeOf<uint64_t> { static constexpr ElementType value = ElementType::kU64; };
template <> struct ElementTypeOf<f16> { static constexpr ElementType value = ElementType::kF16; };
template <> struct ElementTypeOf<bf16> { static constexpr ElementType value = ElementType::kBF16; };
template <> struct ElementTypeOf<float> { static constexpr ElementType value = ElementType::kF32; };
template <> struct ElementTypeOf<double> { static constexpr ElementType value = ElementType::kF64; };
template <> struct ElementTypeOf<std::complex<float>> { static constexpr ElementType value = ElementType::kC64; };
template <> struct ElementTypeOf<std::complex<double>> { static constexpr ElementType value = ElementType::kC128; };
// clang-format on
template <class T>
inline constexpr ElementType element_type_of = ElementTypeOf<T>::value;

}  // namespace weft
