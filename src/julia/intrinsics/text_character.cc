// Characters: classes, case, code points; padding and escapes of texts.
#include <clocale>
#include <cwctype>
#include <new>

#include "base/memory.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/intrinsics/text.h"
#include "julia/syntax/literals.h"

namespace weft::julia {
namespace {

/// Unicode's classes and case, whatever the process's own locale is.
locale_t unicode() {
  static const locale_t locale = [] {
    const locale_t c = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return c != nullptr ? c : newlocale(LC_CTYPE_MASK, "C", nullptr);
  }();
  return locale;
}

wint_t wide(uint32_t u) { return static_cast<wint_t>(u); }
uint32_t upper(uint32_t u) { return static_cast<uint32_t>(towupper_l(wide(u), unicode())); }
uint32_t lower(uint32_t u) { return static_cast<uint32_t>(towlower_l(wide(u), unicode())); }
bool is_upper(uint32_t u) { return iswupper_l(wide(u), unicode()) != 0; }
bool is_lower(uint32_t u) { return iswlower_l(wide(u), unicode()) != 0 || u == 0xaa || u == 0xba; }

/// Digits of all scripts, fractions, superscripts, Roman numerals and the like.
bool is_numeric(uint32_t u) {
  const auto in = [u](uint32_t a, uint32_t b) { return u >= a && u <= b; };
  if (u < 0x80) return in('0', '9');
  constexpr uint32_t zeros[] = {0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66,  0xae6,  0xb66,  0xbe6, 0xc66,
                                0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0xff10};
  for (const uint32_t z : zeros) {
    if (in(z, z + 9)) return true;
  }
  return u == 0xb2 || u == 0xb3 || u == 0xb9 || in(0xbc, 0xbe) || u == 0x2070 || in(0x2074, 0x2079) ||
         in(0x2080, 0x2089) || in(0x2150, 0x2189) || in(0x2460, 0x249b) || in(0x24ea, 0x24ff) || in(0x2776, 0x2793) ||
         in(0x3007, 0x3007) || in(0x3021, 0x3029) || in(0x1d7ce, 0x1d7ff);
}

bool is_letter(uint32_t u) {
  // The C library counts numerals among the letters.
  return iswalpha_l(wide(u), unicode()) != 0 && !is_numeric(u);
}

bool is_space(uint32_t u) {
  return u == ' ' || (u >= 9 && u <= 13) || u == 0x85 || u == 0xa0 || u == 0x1680 || (u >= 0x2000 && u <= 0x200a) ||
         u == 0x2028 || u == 0x2029 || u == 0x202f || u == 0x205f || u == 0x3000;
}

bool is_punctuation(uint32_t u) {
  if (u < 0x80)
    return std::string_view("!\"#%&'()*,-./:;?@[\\]_{}").find(static_cast<char>(u)) != std::string_view::npos && u != 0;
  return u == 0xa1 || u == 0xa7 || u == 0xab || u == 0xb6 || u == 0xb7 || u == 0xbb || u == 0xbf ||
         (u >= 0x2010 && u <= 0x2027) || (u >= 0x2030 && u <= 0x205e && u != 0x2044 && u != 0x2052) ||
         (u >= 0x3001 && u <= 0x3003) || (u >= 0x3008 && u <= 0x3011);
}

/// _char_is(c, class letter).
Value is_of_class(Evaluator&, Args a) {
  const Char c = char_of_value(a[0]);
  const char which = static_cast<char>(code_point(char_of_value(a[1])));
  if (which == 'v') return boolean(is_valid(c));
  if (!is_valid(c)) return boolean(false);
  const uint32_t u = code_point(c);
  switch (which) {
    case 'd': return boolean(u >= '0' && u <= '9');
    case 'x': return boolean((u >= '0' && u <= '9') || (u >= 'a' && u <= 'f') || (u >= 'A' && u <= 'F'));
    case 'l': return boolean(is_letter(u));
    case 'n': return boolean(is_numeric(u));
    case 's': return boolean(is_space(u));
    case 'u': return boolean(is_upper(u));
    case 'w': return boolean(is_lower(u));
    case 'p': return boolean(is_punctuation(u));
    case 'c': return boolean(u < 0x20 || (u >= 0x7f && u <= 0x9f));
    case 'P': return boolean(is_printable(u));
    case 'a': return boolean(u < 0x80);
    default: throw InternalError("no such class of characters");
  }
}

Char mapped(Char c, bool up) {
  if (!is_valid(c)) return c;
  const uint32_t u = code_point(c);
  return char_of(up ? upper(u) : lower(u));
}

/// _char_case(c, to capitals), for characters and texts.
Value with_case(Evaluator&, Args a) {
  const bool up = bool_of(a[1]);
  if (a[0].is(core().char_)) return char_value(mapped(char_of_value(a[0]), up));
  const std::string_view s = text_of(a[0]);
  std::string out;
  out.reserve(s.size());
  for (size_t at = 0; at < s.size();) out += char_text(mapped(next_char(s, at), up));
  return make_string(std::move(out));
}

/// _str_first_case(s, to a capital).
Value with_first_case(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  if (s.empty()) return make_string("");
  size_t at = 0;
  const Char c = next_char(s, at);
  return make_string(char_text(mapped(c, bool_of(a[1]))) + std::string(s.substr(at)));
}

/// _str_title(s, strict): each word's first letter a capital.
Value title_case(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  std::string out;
  bool is_first = true;
  for (size_t at = 0; at < s.size();) {
    const Char c = next_char(s, at);
    const bool letter = is_valid(c) && (is_letter(code_point(c)) || code_point(c) == '\'');
    const bool is_word = is_valid(c) && is_letter(code_point(c));
    if (is_word && is_first) out += char_text(mapped(c, true));
    else if (is_word && bool_of(a[1])) out += char_text(mapped(c, false));
    else out += char_text(c);
    is_first = !letter;
  }
  return make_string(std::move(out));
}

Value point_of(Evaluator&, Args a) {
  const Char c = char_of_value(a[0]);
  const bool is_malformed = c.bits != char_of(code_point(c)).bits;
  if (is_malformed)
    throw JuliaError(
        make_exception("ErrorException", {make_string("Base.InvalidCharError{Char}(" + char_literal(c) + ")")}));
  return number(code_point(c));
}

Value char_from(Evaluator&, Args a) {
  const auto kind = number_kind(a[0]);
  if (!kind) throw_type_error("Char", "", core().uint32, a[0]);
  const uint32_t u = convert_number(NumberKind::kUInt32, a[0]).get<uint32_t>();
  if (u > 0x1fffff)
    throw JuliaError(
        make_exception("ErrorException", {make_string("Base.CodePointError{UInt32}(" + show_text(number(u)) + ")")}));
  return make_char(u);
}

/// The bits of a Char, and back.
Value bits_of(Evaluator&, Args a) { return number(char_of_value(a[0]).bits); }
Value char_of_bits(Evaluator&, Args a) { return char_value({a[0].get<uint32_t>()}); }

Value char_units(Evaluator&, Args a) { return integer(static_cast<int64_t>(char_text(char_of_value(a[0])).size())); }

std::string any_text(const Value& v) {
  return v.is(core().char_) ? char_text(char_of_value(v)) : std::string(text_of(v));
}

/// _str_pad(s, width, with, at the left).
Value padded(Evaluator&, Args a) {
  const std::string s = any_text(a[0]), with = any_text(a[2]);
  const int64_t missing_columns = int_of(a[1]) - text_width(s);
  if (missing_columns <= 0) return make_string(s);
  const int64_t width = text_width(with);
  if (width == 0) throw_argument_error("the textwidth of `p` must be non-zero");
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(missing_columns / width), with.size(), &bytes)) throw std::bad_alloc();
  expect_memory(bytes, "a text");
  std::string fill;
  fill.reserve(bytes);
  for (int64_t i = 0; i < missing_columns / width; ++i) fill += with;
  int64_t rest = missing_columns % width;
  for (size_t at = 0; rest > 0 && at < with.size();) {
    const size_t start = at;
    next_char(with, at);
    const int columns = text_width(std::string_view(with).substr(start, at - start));
    if (columns > rest) break;
    fill += with.substr(start, at - start);
    --rest;
  }
  return make_string(bool_of(a[3]) ? fill + s : s + fill);
}

/// _str_escape(s, also, keep).
Value escape(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const std::string_view also = text_of(a[1]), keep = text_of(a[2]);
  const bool is_plain = also.find_first_of("\\\n\t\r\a\b\f\v") == std::string_view::npos;
  if (keep.empty() && is_plain) return make_string(escaped(s, also));
  std::string out;
  for (size_t at = 0; at < s.size();) {
    const size_t start = at;
    next_char(s, at);
    const std::string_view c = s.substr(start, at - start);
    if (also.find(c) != std::string_view::npos) out += "\\" + std::string(c);
    else out += keep.find(c) != std::string_view::npos ? std::string(c) : escaped(c);
  }
  return make_string(std::move(out));
}

/// _str_unescape(s, keep): characters of `keep` stay behind their backslash.
Value unescape_text(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]), keep = text_of(a[1]);
  std::string out;
  for (size_t at = 0; at < s.size();) {
    if (s[at] != '\\') {
      out += s[at++];
      continue;
    }
    if (at + 1 < s.size() && keep.find(s[at + 1]) != std::string_view::npos) {
      out += s.substr(at, 2);
      at += 2;
      continue;
    }
    // An escape with its digits, at most as many as any has.
    size_t end = std::min(at + 2, s.size());
    const char what = at + 1 < s.size() ? s[at + 1] : '\0';
    const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    const size_t most = what == 'x' ? 2 : what == 'u' ? 4 : what == 'U' ? 8 : 0;
    for (size_t n = 0; n < most && end < s.size() && is_hex(s[end]); ++n) ++end;
    if (what >= '0' && what <= '7') {
      for (size_t n = 1; n < 3 && end < s.size() && s[end] >= '0' && s[end] <= '7'; ++n) ++end;
    }
    std::string one;
    std::vector<Diagnostic> faults;
    const std::string_view piece = s.substr(at, end - at);
    if (at + 1 >= s.size()) throw_argument_error("invalid escape sequence: \\");
    if (!unescape(piece, one, &faults)) {
      if (most > 0 && end == at + 2)
        throw_argument_error("invalid " +
                             std::string(what == 'x'   ? "hex (\\x)"
                                         : what == 'u' ? "unicode (\\u)"
                                                       : "unicode (\\U)") +
                             " escape sequence: \"" + escaped(piece, "\"") + "\"");
      throw_argument_error("invalid escape sequence " + std::string(piece));
    }
    out += one;
    at = end;
  }
  return make_string(std::move(out));
}

/// _parse(T, text, base) and _tryparse.
NumberKind kind_of_type(const Value& t) {
  const auto kind = t.is_type() ? number_kind(t.as_type()) : std::nullopt;
  if (!kind) throw Unsupported("parse of a type that is no machine number");
  return *kind;
}
Value parse(Evaluator&, Args a) {
  return parse_number(kind_of_type(a[0]), text_of(a[1]), a.size() > 2 ? static_cast<int>(int_of(a[2])) : 10);
}
Value try_parse(Evaluator&, Args a) {
  return try_parse_number(kind_of_type(a[0]), text_of(a[1]), a.size() > 2 ? static_cast<int>(int_of(a[2])) : 10);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_char_is", is_of_class, 2, 2},  {"_char_case", with_case, 2, 2},       {"_str_first_case", with_first_case, 2, 2},
    {"_str_title", title_case, 2, 2}, {"_char_codepoint", point_of, 1, 1},   {"_char_from", char_from, 1, 1},
    {"_char_bits", bits_of, 1, 1},    {"_char_of_bits", char_of_bits, 1, 1}, {"_char_ncodeunits", char_units, 1, 1},
    {"_str_pad", padded, 4, 4},       {"_str_escape", escape, 3, 3},         {"_str_unescape", unescape_text, 2, 2},
    {"_parse", parse, 2, 3},          {"_tryparse", try_parse, 2, 3},
};

}  // namespace

std::span<const IntrinsicEntry> character_intrinsics() { return kEntries; }

}  // namespace weft::julia
