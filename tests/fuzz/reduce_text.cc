#include <chrono>

#include "tests/fuzz/reduce_text.h"
#include "tests/fuzz/tokens.h"

namespace weft::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// Leaves out ever smaller runs of parts while the text still fails.
bool without_parts(std::string& text, std::vector<std::string_view> (*split)(std::string_view),
                   const TextFails& still_fails, Clock::time_point end) {
  bool any = false;
  for (size_t chunk = std::max<size_t>(split(text).size() / 2, 1); chunk > 0; chunk /= 2) {
    for (size_t at = 0; Clock::now() < end;) {
      const std::vector<std::string_view> parts = split(text);
      if (at >= parts.size()) break;
      std::string candidate;
      for (size_t i = 0; i < parts.size(); ++i) {
        if (i < at || i >= at + chunk) candidate += parts[i];
      }
      if (still_fails(candidate)) {
        text = candidate;
        any = true;
      } else {
        at += chunk;
      }
    }
  }
  return any;
}

}  // namespace

std::string reduced_text(std::string text, const TextFails& still_fails, double seconds) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (Clock::now() < end) {
    const bool lines_went = without_parts(text, lines, still_fails, end);
    const bool tokens_went = without_parts(text, tokens, still_fails, end);
    if (!lines_went && !tokens_went) break;
  }
  return text;
}

}  // namespace weft::fuzz
