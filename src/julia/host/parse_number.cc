#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "julia/host/exception.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

/// Julia's isspace: blanks and line breaks of ASCII and Unicode.
bool is_blank(uint32_t u) {
  return u == ' ' || (u >= '\t' && u <= '\r') || u == 0x85 || u == 0xa0 || u == 0x1680 ||
         (u >= 0x2000 && u <= 0x200a) || u == 0x202f || u == 0x205f || u == 0x3000;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty()) {
    size_t at = 0;
    if (!is_blank(code_point(next_char(s, at)))) break;
    s.remove_prefix(at);
  }
  while (!s.empty()) {
    size_t start = s.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(s[start]) & 0xc0) == 0x80) --start;
    size_t at = start;
    if (!is_blank(code_point(next_char(s, at)))) break;
    s.remove_suffix(s.size() - start);
  }
  return s;
}

/// Up to base 36 the case of letters does not matter; beyond, small letters follow the capitals.
int digit_value(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  if (c >= 'a' && c <= 'z') return c - 'a' + (base <= 36 ? 10 : 36);
  return 99;
}

enum class Outcome : uint8_t { kGood, kEmpty, kBadDigit, kOverflow, kNoDigits };

struct ParsedInteger {
  Outcome outcome = Outcome::kGood;
  bool negative = false;
  UInt128 magnitude = 0;
  int base = 10;
  Char bad;
};

ParsedInteger read_integer(std::string_view text, int base, bool base_given) {
  ParsedInteger out;
  std::string_view s = trimmed(text);
  if (s.empty()) {
    out.outcome = Outcome::kEmpty;
    return out;
  }
  if (s[0] == '-' || s[0] == '+') {
    out.negative = s[0] == '-';
    s.remove_prefix(1);
    if (s.empty()) {
      out.outcome = Outcome::kNoDigits;
      return out;
    }
  }
  if (!base_given && s.size() > 2 && s[0] == '0') {
    if (s[1] == 'x') base = 16;
    if (s[1] == 'o') base = 8;
    if (s[1] == 'b') base = 2;
    if (base != 10) s.remove_prefix(2);
  }
  out.base = base;
  for (size_t i = 0; i < s.size(); ++i) {
    const int d = digit_value(s[i], base);
    if (d >= base) {
      size_t at = i;
      out.bad = next_char(s, at);
      out.outcome = Outcome::kBadDigit;
      return out;
    }
    if (__builtin_mul_overflow(out.magnitude, static_cast<UInt128>(base), &out.magnitude) ||
        __builtin_add_overflow(out.magnitude, static_cast<UInt128>(d), &out.magnitude))
      out.outcome = Outcome::kOverflow;
  }
  return out;
}

/// The number as a value of the kind; undefined when it does not fit.
Value fitted(NumberKind kind, const ParsedInteger& p) {
  return visit_number(kind, [&]<class T>(T) -> Value {
    if constexpr (kIsFloat<T> || std::is_same_v<T, bool>) {
      return {};
    } else {
      const int bits = static_cast<int>(sizeof(T) * 8);
      const UInt128 limit = kIsSigned<T>  ? (UInt128{1} << (bits - 1)) - (p.negative ? 0 : 1)
                            : bits == 128 ? ~UInt128{0}
                                          : (UInt128{1} << bits) - 1;
      if (p.outcome == Outcome::kOverflow || p.magnitude > limit) return {};
      if (!kIsSigned<T> && p.negative) return p.magnitude == 0 ? number(T(0)) : Value();
      return number(static_cast<T>(p.negative ? ~p.magnitude + 1 : p.magnitude));
    }
  });
}

/// A decimal or hexadecimal float, or Inf and NaN in any case, over the whole text.
std::optional<double> read_double(std::string_view text, bool single) {
  std::string s(trimmed(text));
  if (s.empty()) return std::nullopt;
  std::replace(s.begin(), s.end(), 'f', 'e');  // 1f0, as Julia writes a Float32
  const char* begin = s.data();
  const char* end = s.data() + s.size();
  bool negative = false;
  if (*begin == '+' || *begin == '-') negative = *begin++ == '-';
  std::string_view rest(begin, static_cast<size_t>(end - begin));
  if (rest.empty() || rest[0] == '+' || rest[0] == '-') return std::nullopt;
  if (rest.size() > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X')) {
    char* stop = nullptr;
    const double v = std::strtod(s.c_str(), &stop);
    return stop == end ? std::optional(v) : std::nullopt;
  }
  const auto same = [&](std::string_view word) {
    return rest.size() == word.size() &&
           std::equal(rest.begin(), rest.end(), word.begin(), [](char a, char b) { return (a | 0x20) == b; });
  };
  const auto sign = [&](double v) { return negative ? -v : v; };
  // "inf" may have lost its f above.
  if (same("inf") || same("ine") || same("infinity") || same("ineinity"))
    return sign(std::numeric_limits<double>::infinity());
  if (same("nan")) return sign(std::numeric_limits<double>::quiet_NaN());
  if (!(rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'))) return std::nullopt;
  if (single) {
    float f = 0;
    const auto [stop, error] = std::from_chars(begin, end, f);
    if (stop == end && error == std::errc()) return sign(f);
    if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  } else {
    double v = 0;
    const auto [stop, error] = std::from_chars(begin, end, v);
    if (stop == end && error == std::errc()) return sign(v);
    if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  }
  // Out of range: strtod rounds to infinity or zero.
  return sign(std::strtod(begin, nullptr));
}

Value parse(NumberKind kind, std::string_view text, int base, bool throws) {
  if (base < 2 || base > 62)
    throw_argument_error("invalid base: base must be 2 ≤ base ≤ 62, got " + std::to_string(base));
  if (is_float(kind)) {
    const std::optional<double> v = read_double(text, kind == NumberKind::kFloat32);
    if (v)
      return visit_number(kind, [&]<class T>(T) -> Value {
        if constexpr (std::is_same_v<T, f16>) return number(f16(static_cast<float>(*v)));
        else if constexpr (kIsFloat<T>) return number(static_cast<T>(*v));
        else return {};
      });
    if (throws) throw_argument_error("cannot parse " + quoted(text) + " as " + type_text(number_type(kind)));
    return nothing();
  }
  if (kind == NumberKind::kBool) {
    const std::string_view s = trimmed(text);
    if (s == "true") return boolean(true);
    if (s == "false") return boolean(false);
    const ParsedInteger p = read_integer(text, base, base != 10);
    if (p.outcome == Outcome::kGood && p.magnitude <= 1 && !(p.negative && p.magnitude == 1))
      return boolean(p.magnitude == 1);
    if (throws)
      throw_argument_error(s.empty() ? "input string is empty or only contains whitespace"
                                     : "invalid Bool representation: " + quoted(text));
    return nothing();
  }
  const ParsedInteger p = read_integer(text, base, base != 10);
  if (p.outcome == Outcome::kGood || p.outcome == Outcome::kOverflow) {
    // Unsigned types refuse a sign of minus as a digit that is none.
    if (!(p.negative && is_unsigned(kind))) {
      Value v = fitted(kind, p);
      if (v.is_defined()) return v;
      if (throws) throw_overflow_error("overflow parsing " + quoted(text));
      return nothing();
    }
    if (throws) throw_argument_error("invalid base " + std::to_string(p.base) + " digit '-' in " + quoted(text));
  }
  if (!throws) return nothing();
  if (p.outcome == Outcome::kEmpty)
    throw_argument_error(text.empty() ? "input string is empty or only contains whitespace"
                                      : "input string is empty or only contains whitespace");
  if (p.outcome == Outcome::kNoDigits) throw_argument_error("premature end of integer: " + quoted(text));
  throw_argument_error("invalid base " + std::to_string(p.base) + " digit " + char_literal(p.bad) + " in " +
                       quoted(text));
}

}  // namespace

Value parse_number(NumberKind kind, std::string_view text, int base) { return parse(kind, text, base, true); }
Value try_parse_number(NumberKind kind, std::string_view text, int base) { return parse(kind, text, base, false); }

}  // namespace weft::julia
