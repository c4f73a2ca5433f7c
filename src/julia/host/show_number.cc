#include <charconv>
#include <cmath>

#include "julia/host/exception.h"
#include "julia/host/show.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

struct Decimal {
  std::string digits;  ///< without trailing zeros, at least one
  int point = 0;       ///< the value is 0.DIGITS × 10^point
};

/// The digits of std::to_chars' scientific form, which is the shortest that reads back.
Decimal decimal(std::string_view scientific) {
  Decimal d;
  const size_t e = scientific.find('e');
  for (const char c : scientific.substr(0, e)) {
    if (c != '.') d.digits += c;
  }
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  int exponent = 0;
  std::string_view power = scientific.substr(e + 1);
  if (power[0] == '+') power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  d.point = exponent + 1;
  return d;
}

/// Julia writes numbers from 1e-4 up to 1e6 (Float16: 1e3) without an exponent.
std::string laid_out(Decimal d, char exponent_mark, std::string_view suffix, int fixed_up_to = 6,
                     double rounded_from = 0) {
  const int n = static_cast<int>(d.digits.size());
  const int p = d.point;
  std::string out;
  bool is_fixed = p > -4 && p <= fixed_up_to;
  // Zeros up to the point would claim digits that rounding has taken away.
  if (rounded_from != 0 && is_fixed && p >= n)
    is_fixed = std::fabs(std::fmod(rounded_from + 0.05, std::pow(10.0, p - n)) - 0.05) <= 0.05;
  if (is_fixed) {
    if (p <= 0) {
      out = "0." + std::string(static_cast<size_t>(-p), '0') + d.digits;
    } else if (p >= n) {
      out = d.digits + std::string(static_cast<size_t>(p - n), '0') + ".0";
    } else {
      out = d.digits.substr(0, static_cast<size_t>(p)) + "." + d.digits.substr(static_cast<size_t>(p));
    }
    return out + std::string(suffix);
  }
  out = d.digits.substr(0, 1) + "." + (n > 1 ? d.digits.substr(1) : "0");
  return out + exponent_mark + std::to_string(p - 1);
}

/// Rounded to six significant digits, half to even, as Julia's compact form rounds the shortest digits.
Decimal rounded(Decimal d) {
  constexpr size_t kDigits = 6;
  if (d.digits.size() <= kDigits) return d;
  const std::string rest = d.digits.substr(kDigits);
  std::string head = d.digits.substr(0, kDigits);
  const bool is_half = rest == "5";
  const bool up = rest[0] > '5' || (rest[0] == '5' && (!is_half || ((head.back() - '0') & 1) != 0));
  if (up) {
    size_t i = kDigits;
    while (i > 0 && head[i - 1] == '9') head[--i] = '0';
    if (i == 0) {
      head.insert(0, "1");
      ++d.point;
    } else {
      ++head[i - 1];
    }
  }
  while (head.size() > 1 && head.back() == '0') head.pop_back();
  d.digits = head;
  return d;
}

template <class T>
std::string text_of(T x, bool compact, char mark, std::string_view suffix, std::string_view special) {
  if (std::isnan(x)) return "NaN" + std::string(special);
  const std::string sign = std::signbit(x) ? "-" : "";
  if (std::isinf(x)) return sign + "Inf" + std::string(special);
  if (x == 0) return sign + "0.0" + std::string(suffix);
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(x), std::chars_format::scientific);
  Decimal d = decimal({buffer, static_cast<size_t>(result.ptr - buffer)});
  if (!compact) return sign + laid_out(std::move(d), mark, suffix);
  return sign + laid_out(rounded(std::move(d)), mark, suffix, 6, static_cast<double>(std::fabs(x)));
}

/// The shortest digits that read back as the same Float16.
Decimal half_digits(f16 x) {
  const float v = std::fabs(static_cast<float>(x));
  for (int precision = 0; precision < 8; ++precision) {
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific, precision);
    const std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (f16(back).bits == f16(v).bits) return decimal(text);
  }
  return {"0", 1};
}

}  // namespace

std::string float_text(double x, bool compact) { return text_of(x, compact, 'e', "", ""); }

std::string float_text(float x, bool compact, bool with_suffix, char mark) {
  return text_of(x, compact, mark, with_suffix ? "f0" : "", with_suffix ? "32" : "");
}

std::string float_text(f16 x, bool compact, bool with_suffix) {
  const auto v = static_cast<float>(x);
  std::string out;
  if (std::isnan(v)) return with_suffix ? "NaN16" : "NaN";
  const std::string sign = std::signbit(v) ? "-" : "";
  if (std::isinf(v)) return sign + (with_suffix ? "Inf16" : "Inf");
  if (v == 0) {
    out = sign + "0.0";
  } else {
    Decimal d = half_digits(x);
    if (compact) d = rounded(std::move(d));
    out = sign + laid_out(std::move(d), 'e', "", 3);
  }
  return with_suffix ? "Float16(" + out + ")" : out;
}

std::string unsigned_text(UInt128 x) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(x % 10)));
    x /= 10;
  } while (x != 0);
  return out;
}

std::string integer_text(Int128 x) {
  return x < 0 ? "-" + unsigned_text(~static_cast<UInt128>(x) + 1) : unsigned_text(static_cast<UInt128>(x));
}

std::string based_text(const Value& v, int base, int pad) {
  if (base < 2 || base > 62) throw_argument_error("base must be 2 ≤ base ≤ 62, got " + std::to_string(base));
  const auto kind = number_kind(v);
  if (!kind || is_float(*kind)) throw InternalError("an integer was expected");
  return visit_number(*kind, [&]<class T>(T) -> std::string {
    if constexpr (kIsFloat<T>) {
      return {};
    } else {
      const T x = v.get<T>();
      bool negative = false;
      if constexpr (kIsSigned<T>) negative = x < 0;
      UInt128 rest = negative ? ~static_cast<UInt128>(x) + 1 : static_cast<UInt128>(x);
      const char* digits = base <= 36 ? "0123456789abcdefghijklmnopqrstuvwxyz"
                                      : "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
      std::string out;
      for (; rest != 0; rest /= static_cast<UInt128>(base))
        out.insert(out.begin(), digits[static_cast<int>(rest % static_cast<UInt128>(base))]);
      while (static_cast<int>(out.size()) < pad) out.insert(out.begin(), '0');
      return negative ? "-" + out : out;
    }
  });
}

std::string number_text(const Value& v, const ShowContext& context) {
  const auto kind = number_kind(v);
  if (!kind) return {};
  return visit_number(*kind, [&]<class T>(T) -> std::string {
    const T x = v.get<T>();
    if constexpr (std::is_same_v<T, double>) {
      return float_text(x, context.compact);
    } else if constexpr (kIsFloat<T>) {
      return float_text(x, context.compact, !context.compact && context.typeinfo != v.type());
    } else if constexpr (std::is_same_v<T, bool>) {
      // Where it is known that a Bool comes, 0 and 1 do.
      if (context.typeinfo == core().bool_) return x ? "1" : "0";
      return x ? "true" : "false";
    } else if constexpr (kIsSigned<T>) {
      return integer_text(x);
    } else {
      std::string hex(sizeof(T) * 2, '0');
      T bits = x;
      for (size_t i = hex.size(); i-- > 0; bits = static_cast<T>(bits >> 4))
        hex[i] = "0123456789abcdef"[static_cast<int>(bits & 15)];
      return "0x" + hex;
    }
  });
}

}  // namespace weft::julia
