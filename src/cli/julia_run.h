// `weft run FILE.jl` and `weft repl`: Julia programs in the evaluator.
#pragma once
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cli/compile_flags.h"
#include "julia/infer/border/just_in_time.h"
#include "julia/run/evaluator.h"

namespace weft::cli {

using julia::CompileMode;

struct JuliaOptions {
  std::string file;                      // FILE.jl; empty with -e
  std::vector<std::string> expressions;  // of -e, one after another
  std::vector<std::string> arguments;    // what follows: ARGS
  CompileMode compile = CompileMode::kAuto;
  std::string target = "native";  // what runs compiled functions: native, eval, pjrt:PLUGIN
  CompileFlags flags;             // --timings and --cache
  bool report = false;            // says at the end what was compiled, and of each function that was not, why
};

/// never, auto or always. Throws UsageError.
CompileMode compile_mode(const std::string& word);

/// The words after `run` or `repl` as a call for Julia; nothing when they are not about a Julia program. Everything behind FILE
/// belongs to the program. Throws UsageError.
std::optional<JuliaOptions> julia_options(const std::vector<std::string>& words);

int run_julia(const JuliaOptions& options);
int repl_julia(const JuliaOptions& options);

/// Ctrl-C becomes an InterruptException of the program while the object lives; a second one before it was seen ends the process.
class JuliaInterrupts {
 public:
  JuliaInterrupts();
  ~JuliaInterrupts();
  JuliaInterrupts(const JuliaInterrupts&) = delete;
  JuliaInterrupts& operator=(const JuliaInterrupts&) = delete;
};

/// What Julia prints about an exception that nothing caught, without a line end: "ERROR: …", the calls it came through, and for
/// programs in files the top-level statement.
std::string uncaught_text(julia::Evaluator& evaluator, const Error& error, bool in_file);

}  // namespace weft::cli
