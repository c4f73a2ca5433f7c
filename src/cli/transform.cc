#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>
#include <sstream>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/source.h"
#include "cli/step_meaning.h"
#include "ir/clone.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/region_flow.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/example_gradients.h"
#include "transform/gradient.h"
#include "transform/jacobian.h"
#include "transform/portable.h"
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

JacobianOptions jacobian_options(const TransformStep& step) {
  return {step.direction == "forward"   ? JacobianOptions::kForward
          : step.direction == "reverse" ? JacobianOptions::kReverse
                                        : JacobianOptions::kAuto,
          step.chunk, step.memory, step.kind == TransformStep::kBatchJacobian};
}

ReverseOptions reverse_options(const TransformStep& step, std::vector<std::string>& notes) {
  if (step.recompute < 0 || step.recompute == 1)
    throw UserError("--recompute: got " + std::to_string(step.recompute) + ", expected at least 2 trips to keep");
  return {step.recompute, static_cast<uint64_t>(step.memory), &notes};
}

/// "_,0": the lane axis of each argument; without marks those of `uniform` have none, the others axis 0.
std::vector<int64_t> lane_axes(const std::vector<std::string>& marks, size_t num_args, const std::string& option,
                               const std::vector<size_t>& uniform = {}) {
  std::vector<int64_t> axes;
  for (const std::string& p : marks) axes.push_back(p == "_" ? kUniform : static_cast<int64_t>(number(p, option)));
  if (!marks.empty()) return axes;
  axes.assign(num_args, 0);
  for (size_t i : uniform) {
    if (i < num_args) axes[i] = kUniform;
  }
  return axes;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

Function& clipped(Module& module, const TransformStep& step, const std::vector<size_t>& by, const std::string& as) {
  const auto lanes = step.lanes.empty() ? 0 : static_cast<int64_t>(number(step.lanes, "--lanes"));
  if (lanes <= 0) throw UserError("--clipped-grad " + step.function + " needs --lanes N, the number of examples");
  const size_t args = module.get(step.function).args().size();
  return clipped_gradient(module, step.function, by, lane_axes(words_of(step.axes), args, "--axes " + step.axes, by),
                          lanes, as);
}

Function& lanes_of(Module& module, const TransformStep& step, const std::string& as, std::vector<LaneChoice>& choices) {
  if (step.lanes.empty()) throw UserError("--vectorize " + step.function + " needs --lanes N, or --lanes ?");
  const int64_t lanes = step.lanes == "?" ? kDynamic : static_cast<int64_t>(number(step.lanes, "--lanes"));
  const std::vector<int64_t> axes =
      lane_axes(step.positions, module.get(step.function).args().size(), "--vectorize " + step.function);
  VectorizeOptions options;
  options.name = as;
  options.level = step.level;
  options.chunk = step.chunk;
  options.strict = step.strict;
  options.choices = &choices;
  return vectorize(module, step.function, axes, lanes, options);
}

Function& refined(Module& module, const TransformStep& step, const std::string& as) {
  const Function& f = module.get(step.function);
  const std::vector<Type> types = step.arg_types.empty() ? f.arg_types() : types_of(step.arg_types);
  if (as != step.function) {
    if (module.find(as) != nullptr) throw UserError("--as " + as + ": the program already has a function @" + as);
    module.add(clone_function(f, as));
  }
  refine_shapes(module, as, types);
  return *module.find(as);
}

/// The function in StableHLO only. Nothing is left of what it called.
Function& portable(Module& module, const TransformStep& step, const std::string& as) {
  auto made = to_portable(module, module.get(step.function));
  if (as == step.function) return module.replace(std::move(made));
  made->set_name(as);
  return module.add(std::move(made));
}

/// Carries a step out; what the arguments and results of its function are, as comment lines.
std::string apply(Module& module, const TransformStep& step) {
  if (step.kind == TransformStep::kSimplify) {
    simplify(module);
    return {};
  }
  const std::string& f = step.function;
  const std::string as = step.as.empty() ? f : step.as;
  const std::vector<Type> arg_types = module.get(f).arg_types(), result_types = module.get(f).result_types();
  const bool is_derivative = step.kind != TransformStep::kVectorize && step.kind != TransformStep::kRefine &&
                             step.kind != TransformStep::kPortable;
  const std::vector<size_t> by = is_derivative ? differentiated_arguments(module, step) : std::vector<size_t>();
  std::vector<LaneChoice> choices;
  std::vector<std::string> notes;
  const Function& made = [&]() -> Function& {
    switch (step.kind) {
      case TransformStep::kJvp: return jvp(module, f, by, as);
      case TransformStep::kVjp: return vjp(module, f, by, as, step.with_value, reverse_options(step, notes));
      case TransformStep::kGrad: return gradient(module, f, by, as, step.with_value, reverse_options(step, notes));
      case TransformStep::kJacobian:
      case TransformStep::kBatchJacobian: return jacobian(module, f, by, as, jacobian_options(step));
      case TransformStep::kHessian: return hessian(module, f, by, as, jacobian_options(step));
      case TransformStep::kHvp: return hessian_vector_product(module, f, by, as);
      case TransformStep::kClippedGrad: return clipped(module, step, by, as);
      case TransformStep::kSparseGrad: return sparse_gradient(module, f, by, as);
      case TransformStep::kVectorize: return lanes_of(module, step, as, choices);
      case TransformStep::kPortable: return portable(module, step, as);
      default: return refined(module, step, as);
    }
  }();
  std::string out = meaning_of(step, by, arg_types, result_types, made);
  for (const LaneChoice& c : choices) out += "//   " + c.str() + "\n";
  for (const std::string& note : notes) out += "//   " + note + "\n";
  return out;
}

constexpr std::pair<std::string_view, TransformStep::Kind> kKinds[] = {
    {"--jvp", TransformStep::kJvp},
    {"--vjp", TransformStep::kVjp},
    {"--grad", TransformStep::kGrad},
    {"--jacobian", TransformStep::kJacobian},
    {"--batch-jacobian", TransformStep::kBatchJacobian},
    {"--hessian", TransformStep::kHessian},
    {"--hvp", TransformStep::kHvp},
    {"--clipped-grad", TransformStep::kClippedGrad},
    {"--sparse-grad", TransformStep::kSparseGrad},
    {"--vectorize", TransformStep::kVectorize},
    {"--refine", TransformStep::kRefine},
    {"--portable", TransformStep::kPortable},
    {"--simplify", TransformStep::kSimplify}};

/// Steps of a line as `weft transform` takes them.
std::vector<TransformStep> steps_of_line(const std::string& line) {
  std::vector<TransformStep> steps;
  std::istringstream words(line);
  std::string word, value;
  while (words >> word) {
    const auto kind_of = step_kind(word);
    if (!kind_of && steps.empty()) throw UserError("// transform: got " + word + ", expected a transform");
    if (word == "--strict") {
      steps.back().strict = true;
      continue;
    }
    if (word == "--with-value") {
      steps.back().with_value = true;
      continue;
    }
    if (word == "--forward" || word == "--reverse") {
      steps.back().direction = word.substr(2);
      continue;
    }
    if (kind_of) {
      steps.emplace_back().kind = *kind_of;
      if (*kind_of == TransformStep::kSimplify) continue;
    }
    if (!(words >> value)) throw UserError("// transform: " + word + " needs a value");
    if (kind_of) parse_step(steps.back(), value);
    else if (word == "--lanes") steps.back().lanes = value;
    else if (word == "--level") steps.back().level = value;
    else if (word == "--chunk") steps.back().chunk = static_cast<int64_t>(number(value, word));
    else if (word == "--axes") steps.back().axes = value;
    else if (word == "--memory") steps.back().memory = static_cast<int64_t>(parse_memory_size(value, word));
    else if (word == "--recompute") steps.back().recompute = static_cast<int64_t>(number(value, word));
    else if (word == "--as") steps.back().as = value;
    else if (word == "--arg-types") steps.back().arg_types = value;
    else throw UserError("// transform: got " + word + ", expected an option of weft transform");
  }
  return steps;
}

}  // namespace

std::optional<TransformStep::Kind> step_kind(std::string_view option) {
  const auto row = std::ranges::find(kKinds, option, [](const auto& r) { return r.first; });
  return row == std::end(kKinds) ? std::nullopt : std::optional(row->second);
}

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

namespace {

void reach(const Module& module, const std::string& name, std::set<std::string>& seen) {
  const Function* f = module.find(name);
  if (f == nullptr || !seen.insert(name).second) return;
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    if (const std::string* next = callee(OpView{*f, OpId{i}})) reach(module, *next, seen);
  }
  const DerivativeRule rule = derivative_rule(*f);
  for (const std::string* next : {&rule.jvp, &rule.forward, &rule.backward}) reach(module, *next, seen);
}

/// Private functions that steps made on their way and nothing calls are left out.
std::shared_ptr<Module> without_leftovers(const Module& module, const std::set<std::string>& before) {
  std::set<std::string> kept;
  for (const auto& f : module.functions()) {
    if (f->is_public() || before.contains(f->name())) reach(module, f->name(), kept);
  }
  std::shared_ptr<Module> all = clone_module(module);
  auto out = std::make_shared<Module>();
  out->name = all->name;
  out->attrs = all->attrs;
  out->foreign_ops = all->foreign_ops;
  out->nested = std::move(all->nested);
  for (const auto& f : module.functions()) {
    if (kept.contains(f->name())) out->add(clone_function(*f, f->name()));
  }
  return out;
}

}  // namespace

int transform(const std::string& file, const std::vector<TransformStep>& steps, bool generic) {
  const std::unique_ptr<Module> module = load(file);
  std::set<std::string> before;
  for (const auto& f : module->functions()) before.insert(f->name());
  std::string meanings;
  for (const TransformStep& step : steps) meanings += apply(*module, step);
  // What a transform wrote is checked like what a user writes.
  verify(*module);
  std::cout << meanings << print_module(*without_leftovers(*module, before), {generic});
  return 0;
}

}  // namespace weft::cli
