// Failing texts made small, keeping each step after which the text still fails in the same way.
#pragma once
#include <functional>
#include <string>

namespace weft::fuzz {

using TextFails = std::function<bool(const std::string&)>;
/// Delta debugging by lines, then by tokens. Stops after `seconds`.
std::string reduced_text(std::string text, const TextFails& still_fails, double seconds);

}  // namespace weft::fuzz
