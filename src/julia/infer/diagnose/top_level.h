// Follows a program's top level without running it: definitions are made, everything else is looked at for the types of the calls in it.
#pragma once
#include "julia/infer/compiler.h"
#include "julia/infer/diagnose/diagnoses.h"

namespace weft::julia {

/// A definition that fails, and what Julia says of it.
struct FailedDefinition {
  Place place;
  std::string message;
};

struct Frame;

struct TopLevel {
  /// Calls of the program's functions are told to `diagnoses`.
  TopLevel(Evaluator& evaluator, Diagnoses& diagnoses);
  void run_file(std::string text, const std::string& file, Module& module);
  std::vector<FailedDefinition> failed;
  std::vector<SourcePtr> sources;  // that were read

  /// A form of the top level that has a meaning of its own here; nothing: it is as in a function.
  std::optional<Abstract> exec(FormId id, Activation& a);

 private:
  void run(const Code& code, Module& module);
  void statement(FormId id, Activation& a);
  void define(FormId id, Activation& a);
  void assign(const Form& form, Activation& a);
  bool include(const Form& form, Activation& a);
  bool evaluate(const Form& form, Activation& a);
  static bool is_evaluation(const Form& callee, const Activation& a);
  static bool evaluates(FormId id, const Activation& a);
  void loop(const Form& form, const Abstract& iterable, Activation& a);

  Evaluator& evaluator_;
  weft::Module program_;  // what is written there is thrown away
  Function function_;
  OpBuilder builder_;
  Compiler compiler_;
  std::vector<std::string> files_;
  std::map<const Activation*, Frame*> frames_;
};

}  // namespace weft::julia
