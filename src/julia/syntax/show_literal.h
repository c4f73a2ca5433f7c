// Literals as Julia's `repr` shows them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::julia {

/// "a\n" in double quotes; characters that cannot be seen, and bytes that are no UTF-8, are escaped.
std::string show_string(std::string_view text);
/// 'a'; of the text's first character.
std::string show_char(std::string_view text);
/// 1.0, 1.5e-7, Inf; of the shortest digits that read back as the same number.
std::string show_float(double value);
/// 1.0f0
std::string show_float(float value);

}  // namespace weft::julia
