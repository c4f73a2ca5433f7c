// Element types of tensors (StableHLO specification, section "Types").
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

// clang-format off
enum class ElementType : uint8_t {
  kI1, kI2, kI4, kI8, kI16, kI32, kI64,
  kU2, kU4, kU8, kU16, kU32, kU64,
  kIndex,
  kF4E2M1FN, kF6E2M3FN, kF6E3M2FN,
  kF8E3M4, kF8E4M3, kF8E4M3FN, kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2, kF8E5M2FNUZ, kF8E8M0FNU,
  kF16, kBF16, kF32, kF64,
  kC64, kC128,
};
// clang-format on

/// MLIR spelling: "i1", "ui8", "f32", "complex<f32>", …
std::string_view name(ElementType t);
std::optional<ElementType> element_type_from_name(std::string_view name);

/// Bytes that one element takes in memory. i1 and the sub-byte types take one byte each.
size_t byte_size(ElementType t);
/// Bits of the value itself: 1 for i1, 4 for i4.
int bit_width(ElementType t);

constexpr bool is_boolean(ElementType t) { return t == ElementType::kI1; }
constexpr bool is_signed_integer(ElementType t) { return t >= ElementType::kI2 && t <= ElementType::kI64; }
constexpr bool is_unsigned_integer(ElementType t) { return t >= ElementType::kU2 && t <= ElementType::kU64; }
constexpr bool is_integer(ElementType t) { return is_signed_integer(t) || is_unsigned_integer(t); }
/// MLIR's `index`, an extent or a position in shape arithmetic; programs that compute with it parse, print and verify but do not run.
constexpr bool is_index(ElementType t) { return t == ElementType::kIndex; }
constexpr bool is_float(ElementType t) { return t >= ElementType::kF4E2M1FN && t <= ElementType::kF64; }
constexpr bool is_complex(ElementType t) { return t >= ElementType::kC64; }

}  // namespace weft
