#include "julia/syntax/diagnostics.h"

#include <algorithm>
#include <span>

#include "base/diagnostic.h"
#include "julia/syntax/characters.h"

namespace weft::julia {

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.level == Diagnostic::kError; });
}

LineIndex::LineIndex(std::string_view source) : source_(source), starts_{0} {
  for (size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1))
    starts_.push_back(static_cast<uint32_t>(at + 1));
}

Loc LineIndex::loc(uint32_t begin, uint32_t end, const std::string* file) const {
  const auto size = static_cast<uint32_t>(source_.size());
  begin = std::min(begin, size);
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), begin);
  const auto line = static_cast<uint32_t>(after - starts_.begin());
  const uint32_t start = starts_[line - 1];
  const uint32_t stop = after == starts_.end() ? size : *after - 1;
  end = std::clamp(end, begin, std::max(stop, begin));
  const auto column = static_cast<uint32_t>(count_characters(source_.substr(start, begin - start))) + 1;
  const auto length = static_cast<uint32_t>(count_characters(source_.substr(begin, end - begin)));
  return {file, line, column, std::max(length, 1U)};
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view file) {
  if (diagnostics.empty()) return {};
  const std::string* name = intern_file(file, source);
  const LineIndex lines(source);
  constexpr size_t kMostShown = 100;
  const size_t shown = std::min(diagnostics.size(), kMostShown);
  std::string out;
  for (const Diagnostic& d : std::span(diagnostics).first(shown))
    out += render(d.level == Diagnostic::kError ? "error" : "warning", d.message, lines.loc(d.begin, d.end, name));
  if (shown < diagnostics.size()) out += "and " + std::to_string(diagnostics.size() - shown) + " more\n";
  return out;
}

}  // namespace weft::julia
