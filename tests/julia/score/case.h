// The public examples and assertions about Julia as cases with a verdict each.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "julia/run/evaluator.h"

namespace weft::julia::score {

struct Verdict {
  bool passed = false;
  std::string input{}, expected{}, got{};  // of the step that failed
};

/// The evaluator that cases run in, and what they print.
class Session {
 public:
  Session();
  Evaluator& evaluator() { return *evaluator_; }
  /// What was written to stdout and stderr since the last call.
  std::string take_output() { return std::exchange(*written_, {}); }
  /// Loads packages that later sessions of this process share.
  void load(const std::vector<std::string>& packages);
  /// Runs text in Main; nothing where it fails.
  void prepare(const std::string& text);

 private:
  std::shared_ptr<std::string> written_ = std::make_shared<std::string>();
  std::unique_ptr<Evaluator> evaluator_;
};

struct Case {
  std::string id;
  std::string set;    // doctests, selftests
  std::string suite;  // of doctests: core, ml, …; of selftests the class
  std::string klass, origin;
  std::string text;     // that --filter looks into
  std::string skipped;  // why it is not run; else empty
  std::function<Verdict(Session&)> run;
};

/// Printed examples of the documentation: the steps of a record run in one session, after the records before it that share its
/// label.
std::vector<Case> doctests();
/// `@test` and `@test_throws` of expressions without free variables. They are taken apart here and do not run through Test.
std::vector<Case> selftests();

/// Assertions about numbers as functions of the numbers in them, compiled (for the reference evaluator of IR) and run.
std::vector<Case> compiled_cases();
/// The parts of `@test a b…`: expressions as written.
std::vector<std::string> assertion_parts(const std::string& source);

/// The message of an exception as the prompt prints it after "ERROR: ".
std::string message_of(Session& session, const std::exception& error);

}  // namespace weft::julia::score
