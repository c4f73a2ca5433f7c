#include "julia/host/number.h"

#include <array>

namespace weft::julia {
namespace {

const std::array<const DataType*, 14>& types() {
  static const std::array<const DataType*, 14> all = [] {
    const CoreTypes& c = core();
    return std::array{c.bool_,  c.int8,   c.int16,  c.int32,   c.int64,   c.int128,  c.uint8,
                      c.uint16, c.uint32, c.uint64, c.uint128, c.float16, c.float32, c.float64};
  }();
  return all;
}

}  // namespace

std::optional<NumberKind> number_kind(const Type* t) {
  const auto& all = types();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == t) return static_cast<NumberKind>(i);
  }
  return std::nullopt;
}

const DataType* number_type(NumberKind k) { return types()[static_cast<size_t>(k)]; }

Char char_of(uint32_t u) {
  if (u < 0x80) return {u << 24};
  const auto tail = [u](int shift) { return ((u >> shift) & 0x3f) | 0x80; };
  if (u < 0x800) return {(u >> 6 | 0xc0) << 24 | tail(0) << 16};
  if (u < 0x10000) return {(u >> 12 | 0xe0) << 24 | tail(6) << 16 | tail(0) << 8};
  return {(u >> 18 | 0xf0) << 24 | tail(12) << 16 | tail(6) << 8 | tail(0)};
}

uint32_t code_point(Char c) {
  const uint32_t u = c.bits;
  if (u < 0x80000000u) return u >> 24;
  const uint32_t b1 = (u >> 16) & 0x3f, b2 = (u >> 8) & 0x3f, b3 = u & 0x3f;
  if (u >> 29 == 6) return (u >> 24 & 0x1f) << 6 | b1;
  if (u >> 28 == 14) return (u >> 24 & 0x0f) << 12 | b1 << 6 | b2;
  if (u >> 27 == 30) return (u >> 24 & 0x07) << 18 | b1 << 12 | b2 << 6 | b3;
  return 0xfffd;
}

bool is_valid(Char c) {
  const uint32_t u = code_point(c);
  return char_of(u).bits == c.bits && u <= 0x10ffff && (u < 0xd800 || u > 0xdfff);
}

Value make_char(uint32_t u) {
  const Char c = char_of(u);
  return Value::from_bits(core().char_, &c);
}

std::string char_text(Char c) {
  std::string out;
  uint32_t u = c.bits;
  do {
    out += static_cast<char>(u >> 24);
    u <<= 8;
  } while (u != 0);
  return out;
}

Char next_char(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const uint32_t first = byte(at++);
  uint32_t bits = first << 24;
  if (first < 0xc0 || first > 0xf7) return {bits};
  const int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  for (int i = 0; i < more; ++i) {
    const uint32_t b = byte(at);
    if ((b & 0xc0) != 0x80) break;
    bits |= b << (16 - 8 * i);
    ++at;
  }
  return {bits};
}

}  // namespace weft::julia
