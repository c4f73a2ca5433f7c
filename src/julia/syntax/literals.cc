#include "julia/syntax/literals.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "julia/syntax/characters.h"

namespace weft::julia {
namespace {

constexpr std::string_view kMinusSign = "\u2212";

/// Without underscores, with '-' for U+2212.
std::string plain_number(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') continue;
    if (text.substr(i).starts_with(kMinusSign)) {
      out += '-';
      i += kMinusSign.size() - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int letter = (c | 32) - 'a';
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

IntegerLiteral decimal(std::string_view digits, bool negative) {
  unsigned __int128 value = 0;
  const unsigned __int128 most = ~static_cast<unsigned __int128>(0);
  bool fits = true;
  for (const char c : digits) {
    const auto d = static_cast<unsigned>(c - '0');
    if (value > (most - d) / 10) fits = false;
    value = value * 10 + d;
  }
  const unsigned __int128 half = static_cast<unsigned __int128>(1) << 127;
  const unsigned __int128 limit = negative ? half : half - 1;
  const unsigned __int128 limit64 = (static_cast<unsigned __int128>(1) << 63) - (negative ? 0 : 1);
  const IntegerType type = !fits || value > limit ? IntegerType::kBigInt
                           : value > limit64      ? IntegerType::kInt128
                                                  : IntegerType::kInt64;
  return {type, negative ? -value : value};
}

IntegerLiteral based(std::string_view digits, Kind kind) {
  const unsigned bits_each = kind == Kind::kHexInt ? 4 : kind == Kind::kOctInt ? 3 : 1;
  unsigned __int128 value = 0;
  bool fits = true;
  for (const char c : digits) {
    fits = fits && value >> (128 - bits_each) == 0;
    value = value << bits_each | static_cast<unsigned>(digit_value(c));
  }
  // As many bits as the digits ask for, leading zeros included; octal digits also ask for what the value needs.
  const size_t n = digits.size();
  const bool octal = kind == Kind::kOctInt;
  const auto holds = [&](size_t most_digits, unsigned width) {
    return n <= most_digits && (!octal || width == 128 || value >> width == 0);
  };
  const unsigned per = kind == Kind::kHexInt ? 4 : 1;
  const auto type = !fits ? IntegerType::kBigInt
                    : holds(octal ? 3 : 8 / per, 8)      ? IntegerType::kUInt8
                    : holds(octal ? 6 : 16 / per, 16)    ? IntegerType::kUInt16
                    : holds(octal ? 11 : 32 / per, 32)   ? IntegerType::kUInt32
                    : holds(octal ? 22 : 64 / per, 64)   ? IntegerType::kUInt64
                    : holds(octal ? 43 : 128 / per, 128) ? IntegerType::kUInt128
                                                         : IntegerType::kBigInt;
  return {type, value};
}

void append_line_break(std::string_view text, size_t& i, std::string& out) {
  if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
  out += '\n';
}

/// The character that a backslash and `c` stand for; -1 when there is none.
int simple_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'e': return 0x1b;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'a': return '\a';
    case '\\':
    case '\'':
    case '"':
    case '$':
    case '`': return c;
    default: return -1;
  }
}

/// Julia writes code points up to 0x10ffff, surrogates included.
void append_code_point(std::string& out, uint32_t code) { append_utf8(out, code); }

}  // namespace

IntegerLiteral integer_value(const Tree& tree, NodeId id) {
  std::string text = plain_number(tree.text(id));
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (tree.is(id, Kind::kInteger)) return decimal(digits, negative);
  return based(digits.substr(2), tree.kind(id));
}

FloatLiteral float_value(std::string_view text) {
  std::string number = plain_number(text);
  FloatLiteral out;
  const bool hex = number.find('x') != std::string::npos;
  if (const size_t f = hex ? std::string::npos : number.find('f'); f != std::string::npos) {
    number[f] = 'e';
    out.is_float32 = true;
  }
  // from_chars does not depend on the locale; it wants neither plus sign nor 0x.
  std::string_view digits = number;
  bool negative = false;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  if (hex) digits.remove_prefix(2);
  const auto read = [&](auto value) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
    if (result.ec == std::errc::result_out_of_range) {
      // Too large or too small: the exponent's sign tells, or where there is none the number of digits before the point.
      const size_t e = digits.find_first_of(hex ? "pP" : "eE");
      const bool small = e == std::string_view::npos ? digits.find_first_not_of("0.") > digits.find('.')
                                                     : digits.substr(e + 1).starts_with('-');
      out.overflows = !small;
      out.underflows = small;
      value = small ? 0 : HUGE_VAL;
    }
    out.value = negative ? -static_cast<double>(value) : static_cast<double>(value);
  };
  if (out.is_float32) {
    read(0.0F);
  } else {
    read(0.0);
  }
  return out;
}

FloatLiteral float_value(const Tree& tree, NodeId id) { return float_value(tree.text(id)); }

bool unescape(std::string_view text, std::string& out, std::vector<Diagnostic>* diagnostics, uint32_t at) {
  bool ok = true;
  const auto fault = [&](size_t from, size_t to, const char* message) {
    ok = false;
    if (diagnostics != nullptr)
      diagnostics->push_back(
          {at + static_cast<uint32_t>(from), at + static_cast<uint32_t>(to), Diagnostic::kError, message});
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      append_line_break(text, i, out);
      continue;
    }
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const size_t start = i++;
    if (i >= text.size()) {
      fault(start, text.size(), "invalid escape sequence");
      break;
    }
    const char c = text[i];
    if (c == 'x' || c == 'u' || c == 'U') {
      const size_t most = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      uint32_t code = 0;
      size_t n = 0;
      while (n < most && i + 1 < text.size() && digit_value(text[i + 1]) >= 0) {
        code = code << 4 | static_cast<uint32_t>(digit_value(text[++i]));
        ++n;
      }
      if (n == 0 || code > 0x10ffff) {
        fault(start, i + 1, c == 'x' ? "invalid hex escape sequence" : "invalid unicode escape sequence");
      } else if (c == 'x') {
        out += static_cast<char>(code);
      } else {
        append_code_point(out, code);
      }
    } else if (c >= '0' && c <= '7') {
      unsigned code = static_cast<unsigned>(c - '0');
      for (int n = 1; n < 3 && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '7'; ++n)
        code = code << 3 | static_cast<unsigned>(text[++i] - '0');
      if (code > 255) {
        fault(start, i + 1, "invalid octal escape sequence");
      } else {
        out += static_cast<char>(code);
      }
    } else if (const int simple = simple_escape(c); simple >= 0) {
      out += static_cast<char>(simple);
    } else {
      fault(start, i + 1, "invalid escape sequence");
    }
  }
  return ok;
}

void unescape_raw(std::string_view text, char delimiter, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      append_line_break(text, i, out);
    } else if (text[i] != '\\') {
      out += text[i];
    } else {
      size_t end = i;
      while (end < text.size() && text[end] == '\\') ++end;
      size_t backslashes = end - i;
      if (end == text.size() || text[end] == delimiter) backslashes /= 2;
      out.append(backslashes, '\\');
      if (end < text.size()) out += text[end];
      i = end;
    }
  }
}

std::string string_value(const Tree& tree, NodeId id) {
  std::string out;
  const Node& node = tree[id];
  if (node.has(Node::kRaw)) {
    unescape_raw(tree.text(id), node.kind == Kind::kCmdString ? '`' : '"', out);
  } else {
    unescape(tree.text(id), out);
  }
  return out;
}

std::string char_value(const Tree& tree, NodeId id) {
  std::string out;
  unescape(tree.text(id), out);
  return out;
}

std::string name_value(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  std::string name;
  if (node.has(Node::kRaw)) {
    unescape_raw(tree.text(id), '"', name);
  } else {
    name = normalized_name(tree.text(id));
  }
  if (node.kind == Kind::kStringMacroName) return "@" + name + "_str";
  if (node.kind == Kind::kCmdMacroName) return "@" + name + "_cmd";
  return name;
}

}  // namespace weft::julia
