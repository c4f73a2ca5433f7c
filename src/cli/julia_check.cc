#include "cli/julia_check.h"

#include <algorithm>
#include <iostream>

#include "base/diagnostic.h"
#include "base/file.h"
#include "cli/julia_check_json.h"
#include "julia/infer/diagnose/check.h"
#include "julia/infer/diagnose/diagnosis_text.h"
#include "julia/lower/scopes.h"
#include "julia/run/large_stack.h"
#include "julia/syntax/parse.h"

namespace weft::cli {
namespace {

using julia::Checked;
using julia::CheckedSignature;

std::string status_text(const CheckedSignature& s) {
  switch (s.status) {
    case CheckedSignature::kCompiled: return s.by_integers ? "compiled, for each value of its numbers" : "compiled";
    case CheckedSignature::kNotCompiled:
      return "not compiled, " + std::to_string(s.causes.size()) + (s.causes.size() == 1 ? " cause" : " causes");
    case CheckedSignature::kNotChecked: break;
  }
  return "not checked: " + s.reason + " (give --entry '" + s.function + "(…)')";
}

void write_text(const Checked& checked, const std::string& file) {
  for (const julia::FailedDefinition& f : checked.failed)
    std::cerr << render("error", f.message, julia::location(f.place.source, f.place.node));
  for (const julia::NotCompiled& e : checked.causes) std::cerr << julia::diagnosis_text(e);
  for (const CheckedSignature& s : checked.signatures) {
    const bool is_placed = s.definition.source && !s.definition.is_library;
    std::cout << (is_placed ? s.definition.source->name : file) << ":"
              << (is_placed ? std::to_string(s.definition.source->line_of(s.definition.node)) + ":" : "") << " "
              << s.signature << ": " << status_text(s) << "\n";
  }
}

}  // namespace

void JuliaCheck::file(const std::string& name) {
  const std::string source = read_file(name);
  julia::Parsed parsed = julia::parse(source);
  // Names have meaning where the tree has no holes.
  if (parsed.ok()) {
    julia::resolve_scopes(parsed.tree, parsed.diagnostics);
    std::ranges::stable_sort(parsed.diagnostics, {}, &julia::Diagnostic::begin);
  }
  const bool is_whole = parsed.ok();
  Checked checked;
  const auto look = [&] {
    julia::EvaluatorOptions options;
    options.program_file = name;
    if (!options_.run) options.out = options.error = [](std::string_view) {};
    if (options_.run) options.out = [](std::string_view text) { std::cerr << text; };
    julia::Evaluator evaluator(std::move(options));
    checked = julia::check_program(evaluator, source, name, {options_.entries, options_.explain, options_.run});
    if (options_.json) json_ += (json_.empty() ? "" : ", ") + checked_json(checked, parsed.diagnostics, source, name);
    if (!options_.json && options_.explain.empty()) write_text(checked, name);
    if (!options_.json) {
      for (const Checked::Explanation& e : checked.explained) std::cout << julia::explanation_text(e);
    }
  };
  if (!options_.json) std::cerr << julia::render_all(parsed.diagnostics, source, name);
  if (is_whole) julia::on_large_stack(look);
  else if (options_.json)
    json_ += (json_.empty() ? "" : ", ") + checked_json(checked, parsed.diagnostics, source, name);
  has_errors_ = has_errors_ || !is_whole || !checked.failed.empty();
  for (const julia::NotCompiled& e : checked.causes) {
    if (e.cause == julia::Cause::kUnsupported || e.cause == julia::Cause::kOutOfScope) is_unsupported_ = true;
    else has_errors_ = true;
  }
  if (!options_.explain.empty() && is_whole && checked.explained.empty())
    throw UserError(name + ": no call of " + options_.explain + " with known types: give one, --entry '" +
                    options_.explain + "(…)'");
}

void JuliaCheck::finish() {
  if (options_.json)
    std::cout << "{\"version\": 1, \"ok\": " << (code() == kDone ? "true" : "false") << ", \"files\": [" << json_
              << "]}\n";
}

}  // namespace weft::cli
