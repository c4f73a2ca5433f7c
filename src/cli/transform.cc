#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>

#include "cli/commands.h"
#include "ops/record.h"
#include "text/print.h"
#include "transform/gradient.h"

namespace weft::cli {
namespace {

std::vector<size_t> argument_positions(const TransformStep& step, const std::string& option) {
  std::vector<size_t> out;
  for (const std::string& p : step.positions) {
    size_t n = 0;
    const auto [end, error] = std::from_chars(p.data(), p.data() + p.size(), n);
    if (error != std::errc() || end != p.data() + p.size()) {
      throw UserError(option + " " + step.function + ": got '" + p + "', expected the number of an argument");
    }
    out.push_back(n);
  }
  return out;
}

void apply(Module& module, const TransformStep& step) {
  switch (step.kind) {
    case TransformStep::kJvp: {
      const std::string& as = step.as.empty() ? step.function : step.as;
      if (step.positions.empty()) {
        jvp(module, step.function, as);
      } else {
        jvp(module, step.function, argument_positions(step, "--jvp"), as);
      }
      return;
    }
    case TransformStep::kGrad: {
      std::vector<size_t> args = argument_positions(step, "--grad");
      if (step.positions.empty()) args = {0};
      gradient(module, step.function, args, step.as.empty() ? step.function : step.as, step.with_value);
      return;
    }
    default: throw Unsupported("this step of weft transform");
  }
}

}  // namespace

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
  const std::unique_ptr<Module> module = load(file);
  for (const TransformStep& step : steps) apply(*module, step);
  // What a transform wrote is checked like what a user writes.
  verify(*module);
  std::cout << print_module(*module, {generic});
  return 0;
}

int build(const BuildOptions& options) { throw Unsupported("weft build: this copy of Weft has no native target"); }

}  // namespace weft::cli
