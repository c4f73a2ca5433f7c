#include "weft/number.h"

#include <array>

namespace weft {
namespace {

struct Row {
  ElementType type;
  std::string_view name;
  uint8_t bits;
  uint8_t bytes;
};

using enum ElementType;
constexpr std::array kRows = {
    Row{kI1, "i1", 1, 1},
    Row{kI2, "i2", 2, 1},
    Row{kI4, "i4", 4, 1},
    Row{kI8, "i8", 8, 1},
    Row{kI16, "i16", 16, 2},
    Row{kI32, "i32", 32, 4},
    Row{kI64, "i64", 64, 8},
    Row{kU2, "ui2", 2, 1},
    Row{kU4, "ui4", 4, 1},
    Row{kU8, "ui8", 8, 1},
    Row{kU16, "ui16", 16, 2},
    Row{kU32, "ui32", 32, 4},
    Row{kU64, "ui64", 64, 8},
    Row{kIndex, "index", 64, 8},
    Row{kF4E2M1FN, "f4E2M1FN", 4, 1},
    Row{kF6E2M3FN, "f6E2M3FN", 6, 1},
    Row{kF6E3M2FN, "f6E3M2FN", 6, 1},
    Row{kF8E3M4, "f8E3M4", 8, 1},
    Row{kF8E4M3, "f8E4M3", 8, 1},
    Row{kF8E4M3FN, "f8E4M3FN", 8, 1},
    Row{kF8E4M3FNUZ, "f8E4M3FNUZ", 8, 1},
    Row{kF8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, 1},
    Row{kF8E5M2, "f8E5M2", 8, 1},
    Row{kF8E5M2FNUZ, "f8E5M2FNUZ", 8, 1},
    Row{kF8E8M0FNU, "f8E8M0FNU", 8, 1},
    Row{kF16, "f16", 16, 2},
    Row{kBF16, "bf16", 16, 2},
    Row{kF32, "f32", 32, 4},
    Row{kF64, "f64", 64, 8},
    Row{kC64, "complex<f32>", 64, 8},
    Row{kC128, "complex<f64>", 128, 16},
};

constexpr bool rows_are_in_order() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].type) != i) return false;
  }
  return kRows.size() == static_cast<size_t>(kC128) + 1;
}
static_assert(rows_are_in_order());

}  // namespace

std::string_view name(ElementType t) { return kRows[static_cast<size_t>(t)].name; }
size_t byte_size(ElementType t) { return kRows[static_cast<size_t>(t)].bytes; }
int bit_width(ElementType t) { return kRows[static_cast<size_t>(t)].bits; }

std::optional<ElementType> element_type_from_name(std::string_view text) {
  for (const Row& row : kRows) {
    if (row.name == text) return row.type;
  }
  return std::nullopt;
}

uint16_t f16::from_float(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // midpoint past the largest half
  if (magnitude >= 0x38800000u) {                                              // a normal half
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  if (magnitude < 0x33000000u) return static_cast<uint16_t>(sign);  // below half of the smallest subnormal
  const uint32_t shift = 126u - (magnitude >> 23);                  // bits dropped from the 24-bit significand
  const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t half = 1u << (shift - 1);
  const uint32_t kept = significand >> shift;
  const uint32_t rest = significand & ((1u << shift) - 1u);
  return static_cast<uint16_t>(sign | (kept + ((rest > half || (rest == half && (kept & 1u))) ? 1u : 0u)));
}

float f16::to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(fraction) * 0x1p-24f));
}

}  // namespace weft
