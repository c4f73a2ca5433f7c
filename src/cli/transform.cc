#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "cli/source.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/gradient.h"
#include "transform/refine_shapes.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft::cli {
namespace {

size_t number(const std::string& text, const std::string& option) {
  size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw UserError(option + ": got '" + text + "', expected a number");
  }
  return n;
}

std::vector<size_t> argument_positions(const TransformStep& step, const std::string& option) {
  std::vector<size_t> out;
  for (const std::string& p : step.positions) out.push_back(number(p, option + " " + step.function));
  return out;
}

/// "tensor<2xf32>, tensor<f32>": read as the arguments of a function.
std::vector<Type> types_of(const std::string& text) {
  std::string arguments;
  int depth = 0;
  size_t count = 0;
  bool starts = true;
  for (const char c : text) {
    if (starts && c != ' ') {
      arguments += "%a" + std::to_string(count++) + ": ";
      starts = false;
    }
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    arguments += c;
    starts = starts || (c == ',' && depth == 0);
  }
  const auto module = parse_module("func.func @types(" + arguments + ") { return }", "--arg-types");
  return module->get("types").arg_types();
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
    case TransformStep::kVectorize: {
      if (step.lanes <= 0) throw UserError("--vectorize " + step.function + " needs --lanes N");
      const size_t n = module.get(step.function).args().size();
      std::vector<int64_t> axes;
      for (const std::string& p : step.positions)
        axes.push_back(p == "_" ? kUniform : static_cast<int64_t>(number(p, "--vectorize " + step.function)));
      // Without marks every argument varies, lanes first.
      if (step.positions.empty()) axes.assign(n, 0);
      vectorize(module, step.function, axes, step.lanes, {.name = step.as.empty() ? step.function : step.as});
      return;
    }
    case TransformStep::kSimplify: simplify(module); return;
    case TransformStep::kRefine: {
      const Function& f = module.get(step.function);
      const std::vector<Type> types = step.arg_types.empty() ? f.arg_types() : types_of(step.arg_types);
      const std::string& as = step.as.empty() ? step.function : step.as;
      if (as != step.function) {
        if (module.find(as) != nullptr) throw UserError("--as " + as + ": the program already has a function @" + as);
        module.add(clone_function(f, as));
      }
      refine_shapes(module, as, types);
      return;
    }
  }
}

/// Steps of a line as `weft transform` takes them.
std::vector<TransformStep> steps_of_line(const std::string& line) {
  std::vector<TransformStep> steps;
  std::istringstream words(line);
  std::string word, value;
  while (words >> word) {
    static constexpr std::pair<std::string_view, TransformStep::Kind> kKinds[] = {
        {"--jvp", TransformStep::kJvp},
        {"--grad", TransformStep::kGrad},
        {"--vectorize", TransformStep::kVectorize},
        {"--refine", TransformStep::kRefine},
        {"--simplify", TransformStep::kSimplify}};
    const auto kind = std::ranges::find(kKinds, word, [](const auto& row) { return row.first; });
    if (kind == std::end(kKinds) && steps.empty())
      throw UserError("// transform: got " + word + ", expected a transform");
    if (word == "--with-value") {
      steps.back().with_value = true;
      continue;
    }
    if (kind != std::end(kKinds)) {
      steps.emplace_back().kind = kind->second;
      if (kind->second == TransformStep::kSimplify) continue;
    }
    if (!(words >> value)) throw UserError("// transform: " + word + " needs a value");
    if (kind != std::end(kKinds)) parse_step(steps.back(), value);
    else if (word == "--lanes") steps.back().lanes = static_cast<int64_t>(number(value, word));
    else if (word == "--as") steps.back().as = value;
    else throw UserError("// transform: got " + word + ", expected an option of weft transform");
  }
  return steps;
}

}  // namespace

std::string transformed_text(const std::string& text, const std::string& file) {
  constexpr std::string_view kMark = "// transform: ";
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMark)) {
      out += line + "\n";
      continue;
    }
    const std::unique_ptr<Module> module = parse_module(out, file);
    for (const TransformStep& step : steps_of_line(line.substr(kMark.size()))) apply(*module, step);
    out.clear();
    for (const auto& f : module->functions()) out += print_function(*f) + "\n";
  }
  return out;
}

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

}  // namespace weft::cli
