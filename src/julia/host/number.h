// Julia's machine numbers as C++ ones.
#pragma once
#include <optional>

#include "julia/host/value.h"
#include "weft/error.h"
#include "weft/number.h"

namespace weft::julia {

using Int128 = __int128;
using UInt128 = unsigned __int128;

/// The order is that of promotion within each group.
enum class NumberKind : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kUInt128,
  kFloat16,
  kFloat32,
  kFloat64
};

constexpr bool is_float(NumberKind k) { return k >= NumberKind::kFloat16; }
constexpr bool is_unsigned(NumberKind k) { return k >= NumberKind::kUInt8 && k <= NumberKind::kUInt128; }
constexpr bool is_signed_integer(NumberKind k) { return k >= NumberKind::kInt8 && k <= NumberKind::kInt128; }
constexpr bool is_integer(NumberKind k) { return !is_float(k); }  ///< Bool is one

/// Nothing for types that are no machine numbers.
std::optional<NumberKind> number_kind(const Type* t);
const DataType* number_type(NumberKind k);
inline std::optional<NumberKind> number_kind(const Value& v) {
  return v.is_defined() && !v.is_reference() ? number_kind(v.type()) : std::nullopt;
}

template <class T>
inline constexpr NumberKind kKindOf = NumberKind::kBool;
template <>
inline constexpr NumberKind kKindOf<int8_t> = NumberKind::kInt8;
template <>
inline constexpr NumberKind kKindOf<int16_t> = NumberKind::kInt16;
template <>
inline constexpr NumberKind kKindOf<int32_t> = NumberKind::kInt32;
template <>
inline constexpr NumberKind kKindOf<int64_t> = NumberKind::kInt64;
template <>
inline constexpr NumberKind kKindOf<Int128> = NumberKind::kInt128;
template <>
inline constexpr NumberKind kKindOf<uint8_t> = NumberKind::kUInt8;
template <>
inline constexpr NumberKind kKindOf<uint16_t> = NumberKind::kUInt16;
template <>
inline constexpr NumberKind kKindOf<uint32_t> = NumberKind::kUInt32;
template <>
inline constexpr NumberKind kKindOf<uint64_t> = NumberKind::kUInt64;
template <>
inline constexpr NumberKind kKindOf<UInt128> = NumberKind::kUInt128;
template <>
inline constexpr NumberKind kKindOf<f16> = NumberKind::kFloat16;
template <>
inline constexpr NumberKind kKindOf<float> = NumberKind::kFloat32;
template <>
inline constexpr NumberKind kKindOf<double> = NumberKind::kFloat64;

template <class T>
inline constexpr bool kIsFloat = is_float(kKindOf<T>);
template <class T>
inline constexpr bool kIsSigned = is_signed_integer(kKindOf<T>);

template <class T>
inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <class T>
inline constexpr int kBits = static_cast<int>(sizeof(T) * 8);

/// The unsigned type of the same width.
template <class T>
struct UnsignedType {
  using type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedType<Int128> {
  using type = UInt128;
};
template <>
struct UnsignedType<UInt128> {
  using type = UInt128;
};
template <>
struct UnsignedType<bool> {
  using type = uint8_t;
};
template <class T>
using UnsignedOf = typename UnsignedType<T>::type;

/// Calls f with a zero of the C++ type of the kind.
template <class F>
decltype(auto) visit_number(NumberKind kind, F&& f) {
  switch (kind) {
    case NumberKind::kBool: return f(bool{});
    case NumberKind::kInt8: return f(int8_t{});
    case NumberKind::kInt16: return f(int16_t{});
    case NumberKind::kInt32: return f(int32_t{});
    case NumberKind::kInt64: return f(int64_t{});
    case NumberKind::kInt128: return f(Int128{});
    case NumberKind::kUInt8: return f(uint8_t{});
    case NumberKind::kUInt16: return f(uint16_t{});
    case NumberKind::kUInt32: return f(uint32_t{});
    case NumberKind::kUInt64: return f(uint64_t{});
    case NumberKind::kUInt128: return f(UInt128{});
    case NumberKind::kFloat16: return f(f16{});
    case NumberKind::kFloat32: return f(float{});
    case NumberKind::kFloat64: return f(double{});
  }
  throw InternalError("no such kind of number");
}

/// A machine number as a value.
template <class T>
Value number(T x) {
  static const DataType* const type = number_type(kKindOf<T>);
  return Value::of_bits(type, x);
}
inline Value boolean(bool x) { return number(x); }

/// Julia keeps a Char as its UTF-8 bytes, the first in the highest byte.
struct Char {
  uint32_t bits = 0;
};
Char char_of(uint32_t code_point);
/// The code point; bytes that are no character give what they would decode to, or 0xFFFD.
uint32_t code_point(Char c);
bool is_valid(Char c);
Value make_char(uint32_t code_point);
/// The UTF-8 bytes.
std::string char_text(Char c);
/// The character that begins at `at` of a string, which moves past it; malformed bytes as Julia splits them.
Char next_char(std::string_view text, size_t& at);

}  // namespace weft::julia
