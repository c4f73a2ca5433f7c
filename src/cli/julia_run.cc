#include "cli/julia_run.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "base/file.h"
#include "cli/exit_codes.h"
#include "cli/julia.h"
#include "cli/nearest.h"
#include "ir/target.h"
#include "julia/host/exception.h"
#include "julia/infer/derive/host_derivatives.h"
#include "julia/intrinsics/text_io.h"
#include "julia/lower/carried_sources.h"
#include "julia/run/large_stack.h"
#include "julia/run/memory_limit.h"
#include "weft/interrupt.h"

namespace weft::cli {
namespace {

using julia::Evaluator;
using julia::Value;

extern "C" void weft_cli_on_julia_interrupt(int) {
  if (Evaluator::interrupted().exchange(true)) std::_Exit(kInterrupted);
  interrupt();  // compiled code as well
}

bool is_interrupt(const Error& error) {
  const auto* thrown = dynamic_cast<const julia::JuliaError*>(&error);
  return thrown != nullptr && thrown->value().is(julia::make_exception("InterruptException").type());
}

std::string trace_text(const Evaluator& evaluator) {
  constexpr size_t kMostLines = 30;
  std::string out;
  size_t n = 0;
  for (const julia::TracePoint& point : evaluator.trace()) {
    if (++n > kMostLines) return out + "\n [" + std::to_string(n) + "] …";
    out += (n == 1 ? "\nStacktrace:\n [" : "\n [") + std::to_string(n) + "] " + point.function.text() + "\n   @ " +
           point.file + ":" + std::to_string(point.line);
  }
  return out;
}

/// Exit code and message of what a program ended with.
int report(Evaluator& evaluator, const Error& error, bool in_file) {
  std::cout.flush();
  std::fflush(stdout);
  if (dynamic_cast<const InternalError*>(&error) != nullptr) throw;
  std::cerr << uncaught_text(evaluator, error, in_file) << "\n";
  if (dynamic_cast<const Unsupported*>(&error) != nullptr) return kUnsupported;
  return is_interrupt(error) ? kInterrupted : kUser;
}

}  // namespace

CompileMode compile_mode(const std::string& word) {
  if (word == "never") return CompileMode::kNever;
  if (word == "auto") return CompileMode::kAuto;
  if (word == "always") return CompileMode::kAlways;
  throw UsageError("weft: --compile: got " + word + ", expected never, auto or always");
}

std::optional<JuliaOptions> julia_options(const std::vector<std::string>& words) {
  JuliaOptions out;
  bool about_julia = false;
  size_t i = 1;
  const auto value = [&](const std::string& option) {
    if (i + 1 == words.size()) throw UsageError("weft " + words[0] + ": " + option + " needs a value");
    return words[++i];
  };
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--compile" || word.starts_with("--compile=")) {
      out.compile = compile_mode(word == "--compile" ? value(word) : word.substr(word.find('=') + 1));
    } else if (word == "--target" || word.starts_with("--target=")) {
      out.target = word == "--target" ? value(word) : word.substr(word.find('=') + 1);
    } else if (word == "--timings") {
      out.flags.timings = true;
    } else if (word == "--cache" || word.starts_with("--cache=")) {
      out.flags.cache = word == "--cache" ? value(word) : word.substr(word.find('=') + 1);
    } else if (word == "--report") {
      out.report = true;
    } else if (word == "-e" || word == "--eval") {
      out.expressions.push_back(value(word));
      about_julia = true;
    } else if (word == "--" && about_julia) {
      ++i;
      break;
    } else if (word == "--help" || word == "-h" || word == "--help-all") {
      return {};
    } else if (word.starts_with("-")) {
      if (!about_julia && words[0] == "run") return {};
      throw UsageError("weft " + words[0] + ": there is no option " + word + " for Julia programs" +
                       did_you_mean(word, std::vector<std::string>{"--cache", "--compile", "--eval", "--report",
                                                                   "--target", "--timings"}) +
                       " (weft " + words[0] + " --help lists the options)");
    } else {
      if (about_julia || words[0] == "repl") break;
      if (!is_julia(word)) return {};
      out.file = word;
      about_julia = true;
      ++i;
      break;
    }
  }
  if (!about_julia && words[0] == "run") return {};
  out.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return out;
}

JuliaInterrupts::JuliaInterrupts() {
  struct sigaction action = {};
  action.sa_handler = weft_cli_on_julia_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

JuliaInterrupts::~JuliaInterrupts() { (void)std::signal(SIGINT, SIG_DFL); }

std::string uncaught_text(Evaluator& evaluator, const Error& error, bool in_file) {
  const auto* thrown = dynamic_cast<const julia::JuliaError*>(&error);
  const bool is_unsupported = dynamic_cast<const Unsupported*>(&error) != nullptr;
  // A source that cannot be read comes as its diagnostics.
  if (thrown == nullptr && !is_unsupported) return error.what();
  const auto& failed = evaluator.failed_statement();
  std::string out = "ERROR: ";
  if (in_file && failed) out += "LoadError: ";
  if (is_unsupported) out += "unsupported: ";
  out += (thrown != nullptr ? julia::text_error(evaluator, thrown->value()) : error.what()) + trace_text(evaluator);
  if (in_file && failed) out += "\nin expression starting at " + failed->file + ":" + std::to_string(failed->line);
  return out;
}

namespace {

/// `function (@main)(args)`: called with ARGS once the program has been read; what it returns is the exit code.
int call_main(Evaluator& evaluator) {
  if (find_binding(evaluator.main(), "@main") == nullptr) return kDone;
  const Value code =
      evaluator.call(find_binding(evaluator.main(), "main")->value, {find_binding(evaluator.base(), "ARGS")->value});
  return code.is(julia::core().int64) ? static_cast<int>(code.get<int64_t>()) : kDone;
}

/// A row for each signature, in milliseconds.
void print_times(const std::vector<julia::SignatureTimes>& times) {
  std::fflush(stdout);
  julia::SignatureTimes all;
  all.call = std::to_string(times.size()) + " signatures";
  const auto row = [](const julia::SignatureTimes& t) {
    std::fprintf(stderr, "%10.2f ms %10.2f ms %10.2f ms %8zu  %s\n", t.infer * 1e3, t.generate * 1e3, t.run * 1e3,
                 t.calls, t.call.c_str());
  };
  std::fprintf(stderr, "%13s %13s %13s %8s  call\n", "infer", "code", "run", "calls");
  for (const julia::SignatureTimes& t : times) {
    row(t);
    all.infer += t.infer;
    all.generate += t.generate;
    all.run += t.run;
    all.calls += t.calls;
  }
  row(all);
}

/// What was not compiled, once each.
struct Refusals {
  std::vector<std::pair<std::string, size_t>> said;
  void add(std::string text) {
    const auto it = std::ranges::find(said, text, &std::pair<std::string, size_t>::first);
    if (it == said.end()) said.emplace_back(std::move(text), 1);
    else ++it->second;
  }
  void write() const {
    for (const auto& [text, count] : said)
      std::cerr << text << (count > 1 ? "\n  for " + std::to_string(count) + " signatures\n" : "\n");
  }
};

int run_here(const JuliaOptions& options) {
  julia::EvaluatorOptions settings;
  settings.arguments = options.arguments;
  settings.program_file = options.file;
  const std::string* carried = julia::carried_source(options.file);
  const std::string text = options.file.empty() ? "" : carried != nullptr ? *carried : read_file(options.file);
  Evaluator evaluator(std::move(settings));
  if (options.compile != CompileMode::kNever) get_target(options.target);  // a name that there is not is said at once
  CompileOptions native;
  apply_cache(options.flags, native);
  julia::JustInTime compiler(evaluator, options.compile, options.target, native);
  // A plugin may take addresses without the memory behind them.
  if (!options.target.starts_with("pjrt:")) julia::limit_memory();
  if (options.flags.timings) compiler.take_times();
  Refusals refusals;
  if (options.report) {
    compiler.refused = [&refusals](const std::string& function, const std::string& why) {
      refusals.add("not compiled: " + function + ": " + why);
    };
    julia::on_left_to_host(evaluator, [&refusals](const std::string& what) { refusals.add(what); });
  }
  const JuliaInterrupts interruptible;
  int code = kDone;
  try {
    if (options.file.empty()) {
      for (const std::string& expression : options.expressions) evaluator.run(expression, "none", evaluator.main());
    } else {
      evaluator.run(text, options.file, evaluator.main());
    }
    code = call_main(evaluator);
  } catch (const julia::ExitRequest& request) { code = request.code; } catch (const Error& error) {
    code = report(evaluator, error, !options.file.empty());
  }
  // What `atexit` was given.
  try {
    const julia::Binding* last = find_binding(evaluator.base(), "_run_at_exit");
    if (last != nullptr) evaluator.call(last->value, {julia::number(int32_t{code})});
  } catch (const julia::ExitRequest& request) { code = request.code; } catch (const Error& error) {
    code = report(evaluator, error, !options.file.empty());
  }
  if (options.flags.timings) print_times(compiler.times());
  if (options.report) {
    std::fflush(stdout);
    refusals.write();
    const julia::CompileCounts& n = compiler.counts();
    std::cerr << n.compiled << " signatures compiled, " << n.refused << " not; " << n.calls
              << " calls of compiled code\n";
  }
  return code;
}

}  // namespace

int run_julia(const JuliaOptions& options) {
  int code = kDone;
  julia::on_large_stack([&] { code = run_here(options); });
  return code;
}

}  // namespace weft::cli
