#include <algorithm>
#include <cstdio>

#include "julia/host/show.h"

namespace weft::julia {
namespace {

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string hex(uint32_t u, int width) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%0*x", width, u);
  return buffer;
}

bool in(uint32_t u, uint32_t first, uint32_t last) { return u >= first && u <= last; }

}  // namespace

bool is_printable(uint32_t u) {
  if (u < 0x20 || in(u, 0x7f, 0x9f) || u > 0x10ffff) return false;
  // Separators, formats, surrogates, private use.
  return u != 0xad && !in(u, 0x200b, 0x200f) && !in(u, 0x2028, 0x202e) && !in(u, 0x2060, 0x206f) &&
         !in(u, 0xd800, 0xf8ff) && u != 0xfeff && !in(u, 0xfff0, 0xfffb) && !in(u, 0xe0000, 0xe0fff) && u < 0xf0000;
}

int char_width(uint32_t u) {
  if (u < 0x20 || in(u, 0x7f, 0x9f)) return 0;
  if (in(u, 0x300, 0x36f) || in(u, 0x200b, 0x200f) || in(u, 0x20d0, 0x20ff) || in(u, 0xfe00, 0xfe0f)) return 0;
  const bool is_wide = in(u, 0x1100, 0x115f) || in(u, 0x2e80, 0x303e) || in(u, 0x3041, 0xa4cf) ||
                       in(u, 0xac00, 0xd7a3) || in(u, 0xf900, 0xfaff) || in(u, 0xfe30, 0xfe6f) ||
                       in(u, 0xff00, 0xff60) || in(u, 0xffe0, 0xffe6) || in(u, 0x1f300, 0x1f64f) ||
                       in(u, 0x1f900, 0x1f9ff) || in(u, 0x20000, 0x3fffd) || in(u, 0x231a, 0x231b) ||
                       in(u, 0x23e9, 0x23ec) || in(u, 0x1f680, 0x1f6ff);
  return is_wide ? 2 : 1;
}

int text_width(std::string_view text) {
  int n = 0;
  for (size_t at = 0; at < text.size();) n += char_width(code_point(next_char(text, at)));
  return n;
}

std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const Char c = next_char(text, at);
    const uint32_t u = code_point(c);
    const char next = at < text.size() ? text[at] : '\0';
    const bool next_is_hex = is_hex_digit(next);
    if (!is_valid(c)) {
      for (size_t i = start; i < at; ++i) out += "\\x" + hex(static_cast<unsigned char>(text[i]), 2);
    } else if (u == 0) {
      out += next >= '0' && next <= '7' ? "\\x00" : "\\0";
    } else if (u == 0x1b) {
      out += "\\e";
    } else if (u == '\\') {
      out += "\\\\";
    } else if (u < 0x80 && also.find(static_cast<char>(u)) != std::string_view::npos) {
      out += '\\';
      out += static_cast<char>(u);
    } else if (u >= 7 && u <= 13) {
      out += '\\';
      out += "abtnvfr"[u - 7];
    } else if (is_printable(u)) {
      out += text.substr(start, at - start);
    } else if (u < 0x80) {
      out += "\\x" + hex(u, 2);
    } else {
      out += (u > 0xffff ? "\\U" : "\\u") + hex(u, next_is_hex ? (u > 0xffff ? 8 : 4) : 0);
    }
  }
  return out;
}

std::string quoted(std::string_view text) { return "\"" + escaped(text, "\"$") + "\""; }

std::string char_literal(Char c) {
  const uint32_t u = code_point(c);
  if (!is_valid(c)) {
    std::string out = "'";
    for (const char b : char_text(c)) out += "\\x" + hex(static_cast<unsigned char>(b), 2);
    return out + "'";
  }
  if (u == '\'') return "'\\''";
  if (u == '"' || u == '$') return std::string("'") + static_cast<char>(u) + "'";
  return "'" + escaped(char_text(c)) + "'";
}

}  // namespace weft::julia
