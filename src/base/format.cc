#include "base/format.h"

#include <charconv>
#include <cmath>

namespace weft {

std::string format_list(std::span<const int64_t> values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out += ", ";
    out += values[i] == INT64_MIN ? "?" : std::to_string(values[i]);
  }
  return out + "]";
}

namespace {

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const T magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= T(1e-4) && magnitude < T(1e16));
  char text[64];
  const auto style = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string out(text, std::to_chars(text, text + sizeof text, value, style).ptr);
  if (plain && out.find('.') == std::string::npos) out += ".0";
  return out;
}

}  // namespace

std::string format_float(double value) { return shortest(value); }
std::string format_float(float value) { return shortest(value); }

}  // namespace weft
