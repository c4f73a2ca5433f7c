// Numbers and lists as text.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace weft {

/// "[2, 3]"; "[]" when empty. INT64_MIN, an extent that is not known, is "?".
std::string format_list(std::span<const int64_t> values);
/// Shortest decimal that reads back as the same number; plain notation within [1e-4, 1e16), else with an exponent; "nan", "inf", "-inf".
std::string format_float(double value);
std::string format_float(float value);

}  // namespace weft
