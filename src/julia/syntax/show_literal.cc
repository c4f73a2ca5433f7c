#include "julia/syntax/show_literal.h"

#include <charconv>
#include <cmath>

#include "julia/syntax/character_ranges.h"
#include "julia/syntax/characters.h"

namespace weft::julia {
namespace {

bool is_printable(uint32_t code) {
  if (code < 0x7f) return code >= ' ';
  if (code < 0xa1) return false;
  for (const CodeRange& r : format_ranges()) {
    if (code >= r.first && code <= r.last) return false;
  }
  return true;
}

void escape(std::string& out, std::string_view text, const Character& c, char quote) {
  constexpr std::string_view kNames = "abtnvfr";  // from 7 on
  constexpr char kHex[] = "0123456789abcdef";
  if (c.code == kInvalidCharacter) {
    for (const char b : text.substr(0, c.bytes)) {
      const auto byte = static_cast<unsigned char>(b);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  } else if (c.code == static_cast<unsigned char>(quote) || c.code == '\\' || (quote == '"' && c.code == '$')) {
    out += {'\\', static_cast<char>(c.code)};
  } else if (is_printable(c.code)) {
    append_utf8(out, c.code);
  } else if (c.code >= 7 && c.code <= 13) {
    out += {'\\', kNames[c.code - 7]};
  } else if (c.code == 0) {
    out += "\\0";
  } else if (c.code == 0x1b) {
    out += "\\e";
  } else {
    char digits[8];
    const auto end = std::to_chars(digits, digits + 8, c.code, 16).ptr;
    out += c.code < 0x80 ? "\\x" : c.code < 0x10000 ? "\\u" : "\\U";
    out.append(digits, end);
  }
}

template <class T>
std::string show(T value, char exponent_letter) {
  if (std::isnan(value)) return exponent_letter == 'f' ? "NaN32" : "NaN";
  if (std::isinf(value)) return std::string(value < 0 ? "-Inf" : "Inf") + (exponent_letter == 'f' ? "32" : "");
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  std::string_view written(text, static_cast<size_t>(end - text));
  std::string out;
  if (written.starts_with('-')) {
    out = "-";
    written.remove_prefix(1);
  }
  const size_t e = written.find('e');
  std::string digits(1, written[0]);
  if (e > 2) digits += written.substr(2, e - 2);
  int exponent = 0;
  std::from_chars(written.data() + e + (written[e + 1] == '+' ? 2 : 1), written.data() + written.size(), exponent);
  const int point = value == 0 ? 1 : exponent + 1;  // digits before the point
  const auto length = static_cast<int>(digits.size());
  if (point > -4 && point <= 6) {
    if (point <= 0) {
      out += "0." + std::string(static_cast<size_t>(-point), '0') + digits;
    } else if (point >= length) {
      out += digits + std::string(static_cast<size_t>(point - length), '0') + ".0";
    } else {
      out += digits.substr(0, static_cast<size_t>(point)) + "." + digits.substr(static_cast<size_t>(point));
    }
    return exponent_letter == 'f' ? out + "f0" : out;
  }
  out += digits.substr(0, 1) + "." + (length > 1 ? digits.substr(1) : "0");
  return out + exponent_letter + std::to_string(exponent);
}

}  // namespace

std::string show_string(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const Character c = decode(text, i);
    escape(out, text.substr(i), c, '"');
    i += c.bytes;
  }
  return out + "\"";
}

std::string show_char(std::string_view text) {
  std::string out = "'";
  if (!text.empty()) escape(out, text, decode(text, 0), '\'');
  return out + "'";
}

std::string show_float(double value) { return show(value, 'e'); }
std::string show_float(float value) { return show(value, 'f'); }

}  // namespace weft::julia
