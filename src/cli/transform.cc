#include <charconv>
#include <iostream>

#include "cli/commands.h"
#include "text/print.h"

namespace weft::cli {

void parse_step(TransformStep& step, const std::string& text) {
  const size_t colon = text.rfind(':');
  step.function = text.substr(0, colon);
  if (step.function.starts_with("@")) step.function.erase(0, 1);
  if (colon == std::string::npos) return;
  size_t at = colon + 1;
  while (at <= text.size()) {
    const size_t end = std::min(text.find(',', at), text.size());
    step.positions.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

int transform(const std::string& file, const std::vector<TransformStep>& steps, bool generic) {
  throw Unsupported("weft transform");
}
int build(const BuildOptions& options) { throw Unsupported("weft build"); }

}  // namespace weft::cli
