// The prompt: reads until an input is complete, evaluates it, prints its value.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/exit_codes.h"
#include "cli/julia_run.h"
#include "cli/line_editor.h"
#include "julia/run/large_stack.h"
#include "julia/run/memory_limit.h"
#include "julia/syntax/parse.h"

namespace weft::cli {
namespace {

using julia::Evaluator;
using julia::Value;

constexpr const char* kBlanks = " \t\r\n";

std::string trimmed(const std::string& text) {
  const size_t from = text.find_first_not_of(kBlanks);
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

/// More lines could make it right: what is wrong first is that it ends.
bool is_incomplete(const std::string& text) {
  const julia::Parsed parsed = julia::parse(text);
  const size_t end = text.find_last_not_of(kBlanks) + 1;
  for (const julia::Diagnostic& d : parsed.diagnostics) {
    if (d.level != julia::Diagnostic::kError) continue;
    // Said of the whole statement, which is not at its end.
    if (d.message.starts_with("unterminated multi-line comment")) return true;
    if (d.message.starts_with("try without catch")) continue;
    return d.begin >= end;
  }
  return false;
}

/// Ends in a semicolon, but for blanks and a comment: the last token's text is not looked at as code, since an input without
/// errors has its strings closed.
bool is_silent(const std::string& text) {
  const julia::Parsed parsed = julia::parse(text);
  const julia::Tree& tree = parsed.tree;
  const size_t count = tree.count(tree.root());
  if (count == 0) return false;
  const julia::Node& last = tree[tree.child(tree.root(), count - 1)];
  const std::string rest = text.substr(last.end);
  const size_t first = rest.find_first_not_of(kBlanks);
  if (first != std::string::npos && rest[first] == ';') return true;
  // `a; b;` is one statement of a line, with its last semicolon inside.
  return last.has(julia::Node::kForm) && tree.text(tree.child(tree.root(), count - 1)).ends_with(";");
}

class Prompt {
 public:
  explicit Prompt(Evaluator& evaluator) : evaluator_(evaluator) {}

  void answer(const std::string& text) {
    ++number_;
    try {
      const Value v = evaluator_.run(text, "REPL[" + std::to_string(number_) + "]", evaluator_.main());
      if (!v.is_defined()) return;
      julia::own_binding(evaluator_.main(), "ans").value = v;
      if (!v.is(julia::core().nothing) && !is_silent(text)) print(v);
    } catch (const InternalError&) { throw; } catch (const Error& error) {
      std::fflush(stdout);
      std::cerr << uncaught_text(evaluator_, error, false) << "\n" << std::flush;
    }
    std::fflush(stdout);
  }

 private:
  void print(const Value& v) {
    julia::ShowContext context = evaluator_.show_context();
    context.limit = true;
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      context.columns = size.ws_col;
      context.rows = size.ws_row;
    }
    std::string out;
    julia::display(out, v, context);
    evaluator_.write_out(out + "\n");
  }

  Evaluator& evaluator_;
  int number_ = 0;
};

}  // namespace

namespace {

int prompt_loop(const JuliaOptions& options) {
  julia::EvaluatorOptions settings;
  settings.arguments = options.arguments;
  settings.interactive = true;
  Evaluator evaluator(std::move(settings));
  const julia::JustInTime compiler(evaluator, options.compile, options.target);
  if (!options.target.starts_with("pjrt:")) julia::limit_memory();
  const JuliaInterrupts interruptible;
  LineEditor lines;
  Prompt prompt(evaluator);
  for (;;) {
    std::string text, line;
    LineEditor::End end = lines.read("julia> ", line);
    while (end == LineEditor::End::kLine) {
      lines.remember(line);
      text += line;
      if (!is_incomplete(text)) break;
      text += "\n";
      end = lines.read("       ", line);
    }
    if (end == LineEditor::End::kInterrupted) continue;
    // What the end of the input cuts off is still said to be wrong.
    if (!trimmed(text).empty()) prompt.answer(text);
    if (end == LineEditor::End::kEndOfInput) return kDone;
    if (lines.is_terminal()) std::cout << "\n" << std::flush;
  }
}

}  // namespace

int repl_julia(const JuliaOptions& options) {
  int code = kDone;
  julia::on_large_stack([&] {
    try {
      code = prompt_loop(options);
    } catch (const julia::ExitRequest& request) { code = request.code; }
  });
  return code;
}

}  // namespace weft::cli
