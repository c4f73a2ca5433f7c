// The values of literals.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "julia/syntax/diagnostics.h"
#include "julia/syntax/tree.h"

namespace weft::julia {

/// The type that Julia gives an integer literal: decimal ones by value, the others by their number of digits.
enum class IntegerType : uint8_t { kInt64, kInt128, kBigInt, kUInt8, kUInt16, kUInt32, kUInt64, kUInt128 };

struct IntegerLiteral {
  IntegerType type = IntegerType::kInt64;
  unsigned __int128 bits = 0;  // two's complement; of kBigInt the low 128 bits: its digits are the node's text
};

/// Of a kInteger, kBinInt, kHexInt or kOctInt.
IntegerLiteral integer_value(const Tree& tree, NodeId id);

struct FloatLiteral {
  bool is_float32 = false;
  double value = 0;                            // exact for Float32 too
  bool overflows = false, underflows = false;  // to infinity, to zero though a digit is not
};
/// Of a text as the lexer takes it for kFloat or kFloat32, sign included.
FloatLiteral float_value(std::string_view text);
FloatLiteral float_value(const Tree& tree, NodeId id);

/// The text of a kString or kCmdString with its escapes resolved. Without kRaw in flags: all of them; with it only backslashes
/// before a delimiter. Line breaks are \n.
std::string string_value(const Tree& tree, NodeId id);
/// Of a kChar: one code point, or bytes that are no UTF-8 as Julia's Char holds them.
std::string char_value(const Tree& tree, NodeId id);
/// The name of an identifier, var"…" or operator, as Julia takes it: normalized, of macros with @ and suffix.
std::string name_value(const Tree& tree, NodeId id);

/// Appends the text to `out` with escapes resolved. Faults go to `diagnostics` when it is given, `at` bytes further; false when
/// there is one.
bool unescape(std::string_view text, std::string& out, std::vector<Diagnostic>* diagnostics = nullptr, uint32_t at = 0);
/// … where only backslashes before the delimiter, or the end, are escapes.
void unescape_raw(std::string_view text, char delimiter, std::string& out);

}  // namespace weft::julia
