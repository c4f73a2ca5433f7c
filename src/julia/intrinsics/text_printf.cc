// C's formats as Julia's Printf understands them. Digits of floating-point numbers are exact: the C library prints the value
// itself, rounded half to even.
#include <cmath>
#include <cstdio>

#include "julia/host/number_ops.h"
#include "julia/intrinsics/text_io.h"

namespace weft::julia {
namespace {

struct Spec {
  bool left = false, plus = false, space = false, zero = false, alternate = false;
  int64_t width = 0, precision = -1;
  bool width_given_later = false, precision_given_later = false;
  char conversion = 'd';
};

[[noreturn]] void throw_format_error(std::string_view format, const char* what) {
  throw_argument_error("invalid format string: \"" + std::string(format) + "\", " + what);
}

Spec read_spec(std::string_view format, size_t& at) {
  Spec s;
  const auto peek = [&] {
    if (at >= format.size()) throw_format_error(format, "incomplete format specifier");
    return format[at];
  };
  for (bool more = true; more;) {
    switch (peek()) {
      case '-': s.left = true; break;
      case '+': s.plus = true; break;
      case ' ': s.space = true; break;
      case '0': s.zero = true; break;
      case '#': s.alternate = true; break;
      default: more = false; continue;
    }
    ++at;
  }
  const auto digits = [&] {
    int64_t n = 0;
    while (peek() >= '0' && peek() <= '9') n = n * 10 + (format[at++] - '0');
    return n;
  };
  if (peek() == '*') s.width_given_later = true, ++at;
  else s.width = digits();
  if (peek() == '.') {
    ++at;
    if (peek() == '*') s.precision_given_later = true, ++at;
    else s.precision = digits();
  }
  while (std::string_view("hlLqjzt").find(peek()) != std::string_view::npos) ++at;
  s.conversion = format[at++];
  if (std::string_view("diuoxXfFeEgGaAcsp").find(s.conversion) == std::string_view::npos)
    throw_format_error(format, (std::string("invalid conversion '") + s.conversion + "'").c_str());
  return s;
}

std::string padded(const Spec& s, std::string_view sign, std::string body, bool zeros) {
  const int64_t fill = s.width - text_width(sign) - text_width(body);
  if (fill <= 0) return std::string(sign) + body;
  const std::string blanks(static_cast<size_t>(fill), ' ');
  if (s.left) return std::string(sign) + body + blanks;
  if (zeros) return std::string(sign) + std::string(static_cast<size_t>(fill), '0') + body;
  return blanks + std::string(sign) + body;
}

const char* sign_text(const Spec& s, bool is_negative) { return is_negative ? "-" : s.plus ? "+" : s.space ? " " : ""; }

std::string float_body(const Spec& s, double x) {
  char format[16], small[512];
  const char conversion = s.conversion;
  const bool no_precision = s.precision < 0;
  std::snprintf(format, sizeof format, "%%%s%s%c", s.alternate ? "#" : "", no_precision ? "" : ".*", conversion);
  const auto write = [&](char* to, size_t n) {
    return no_precision ? std::snprintf(to, n, format, x)
                        : std::snprintf(to, n, format, static_cast<int>(s.precision), x);
  };
  const int n = write(small, sizeof small);
  if (n < static_cast<int>(sizeof small)) return small;
  std::string big(static_cast<size_t>(n) + 1, '\0');
  write(big.data(), big.size());
  big.pop_back();
  return big;
}

std::string format_float(const Spec& s, double x) {
  const bool is_negative = std::signbit(x) && !std::isnan(x);
  const std::string sign = sign_text(s, is_negative);
  if (std::isnan(x) || std::isinf(x)) return padded(s, sign, std::isnan(x) ? "NaN" : "Inf", false);
  std::string body = float_body(s, std::fabs(x));
  if ((s.conversion == 'a' || s.conversion == 'A') && s.zero && !s.left) {
    // Zeros come behind 0x.
    const std::string prefix = sign + body.substr(0, 2);
    return padded(s, prefix, body.substr(2), true);
  }
  return padded(s, sign, std::move(body), s.zero);
}

std::string format_integer(const Spec& s, const Value& v) {
  const NumberKind kind = *number_kind(v);
  bool is_negative = false;
  UInt128 magnitude = 0;
  visit_number(kind, [&]<class T>(T) {
    if constexpr (!kIsFloat<T>) {
      const T x = v.get<T>();
      if constexpr (kIsSigned<T>) is_negative = x < 0;
      magnitude = is_negative ? UInt128{0} - static_cast<UInt128>(x) : static_cast<UInt128>(x);
    }
  });
  const bool is_based = s.conversion == 'o' || s.conversion == 'x' || s.conversion == 'X';
  const int base = s.conversion == 'o' ? 8 : is_based ? 16 : 10;
  std::string body = base == 10 ? unsigned_text(magnitude) : based_text(number(magnitude), base);
  std::string prefix = sign_text(s, is_negative);
  if (s.alternate && s.conversion == 'o') prefix += '0';
  if (s.alternate && base == 16) prefix += "0x";
  if (s.conversion == 'X') {
    for (char& c : body) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (s.alternate) prefix.back() = 'X';
  }
  if (s.precision > static_cast<int64_t>(body.size()))
    body.insert(0, static_cast<size_t>(s.precision) - body.size(), '0');
  return padded(s, prefix, std::move(body), s.zero && s.precision < 0);
}

[[noreturn]] void throw_no_number(const Value& v) {
  throw JuliaError(
      make_exception("MethodError", {Value::of_type(core().float64), make_tuple({v}), number(uint64_t{0})}));
}

double as_double(Evaluator& e, const Value& v) { return e.call(Value::of_type(core().float64), {v}).get<double>(); }

std::string formatted(Evaluator& e, Spec s, const Value& v) {
  const auto kind = number_kind(v);
  switch (s.conversion) {
    case 's': {
      std::string text = s.alternate ? text_show(e, v) : text_print(e, v);
      if (s.precision >= 0) {
        size_t at = 0;
        for (int64_t n = 0; n < s.precision && at < text.size(); ++n) next_char(text, at);
        text.resize(at);
      }
      return padded(s, "", std::move(text), false);
    }
    case 'c': {
      Value c = v;
      if (is_text(v)) {
        size_t at = 0;
        if (text_of(v).empty()) throw_bounds_error(v, integer(1));
        c = char_value(next_char(text_of(v), at));
      }
      return padded(s, "", char_text(c.is(core().char_) ? char_of_value(c) : char_of(static_cast<uint32_t>(int_of(c)))),
                    false);
    }
    case 'p': {
      s.alternate = true;
      s.conversion = 'x';
      return format_integer(s, number(v.get<uint64_t>()));
    }
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      if (kind && is_float(*kind)) {
        if (s.conversion == 'o' || s.conversion == 'x' || s.conversion == 'X') s.conversion = 'a';
        else s.conversion = 'f', s.precision = s.precision < 0 ? 0 : s.precision;
        return format_float(s, as_double(e, v));
      }
      if (kind) return format_integer(s, v);
      if (!is_a(v, core().real)) throw_no_number(v);
      return format_integer(s, e.call_base("Integer", {v}));
    }
    default:
      if (!is_a(v, core().real)) throw_no_number(v);
      return format_float(s, as_double(e, v));
  }
}

/// _printf_text(format, arguments…).
Value printf_text(Evaluator& e, Args a) {
  const std::string_view format = text_of(a[0]);
  std::string out;
  size_t used = 1;
  const auto count_specs = [&] {
    int64_t n = 0;
    for (size_t at = 0; at < format.size();) {
      if (format[at++] != '%') continue;
      if (at < format.size() && format[at] == '%') {
        ++at;
        continue;
      }
      const Spec s = read_spec(format, at);
      n += 1 + (s.width_given_later ? 1 : 0) + (s.precision_given_later ? 1 : 0);
    }
    return n;
  };
  const int64_t wanted = count_specs();
  if (wanted != static_cast<int64_t>(a.size()) - 1)
    throw_argument_error("mismatch between # of format specifiers and provided args: " + std::to_string(wanted) +
                         " != " + std::to_string(a.size() - 1));
  for (size_t at = 0; at < format.size();) {
    const size_t percent = format.find('%', at);
    out += format.substr(at, percent - at);
    if (percent == std::string_view::npos) break;
    at = percent + 1;
    if (at < format.size() && format[at] == '%') {
      out += '%';
      ++at;
      continue;
    }
    Spec s = read_spec(format, at);
    if (s.width_given_later) {
      s.width = int_of(a[used++]);
      if (s.width < 0) s.left = true, s.width = -s.width;
    }
    if (s.precision_given_later) s.precision = int_of(a[used++]);
    out += formatted(e, s, a[used++]);
  }
  return make_string(std::move(out));
}

constexpr IntrinsicEntry kEntries[] = {{"_printf_text", printf_text, 1, -1}};

}  // namespace

std::span<const IntrinsicEntry> printf_intrinsics() { return kEntries; }

}  // namespace weft::julia
