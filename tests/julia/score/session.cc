#include "julia/intrinsics/text_io.h"
#include "julia/run/impl.h"
#include "tests/julia/score/case.h"

namespace weft::julia::score {

Session::Session() {
  EvaluatorOptions options;
  options.interactive = true;
  const auto write = [written = written_](std::string_view text) { *written += text; };
  options.out = write;
  options.error = write;
  evaluator_ = std::make_unique<Evaluator>(std::move(options));
  evaluator_->impl().compile_target = "eval";  // derivatives are compiled; this program has no other target
}

void Session::load(const std::vector<std::string>& packages) {
  // In a module of its own, so that Main does not see their names.
  for (const std::string& name : packages) prepare("module Loads" + name + "\nusing " + name + "\nend");
}

void Session::prepare(const std::string& text) {
  try {
    evaluator_->run(text, "none", evaluator_->main());
  } catch (const Error&) {}  // the case says what it misses
}

std::string message_of(Session& session, const std::exception& error) {
  if (const auto* thrown = dynamic_cast<const JuliaError*>(&error))
    return text_error(session.evaluator(), thrown->value());
  const auto* unsupported = dynamic_cast<const Unsupported*>(&error);
  return unsupported != nullptr ? "unsupported: " + std::string(error.what()) : error.what();
}

}  // namespace weft::julia::score
