// The `weft` command: words in, exit code out. A copy of it with a Julia program at its end is that program.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/julia_program.h"
#include "cli/options.h"

namespace weft::cli {
namespace {

int main_with_errors(const std::vector<std::string>& words) {
  std::string command_line;
  for (const std::string& word : words) command_line += (command_line.empty() ? "" : " ") + shell_quoted(word);
  try {
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    const std::optional<int> carried = run_carried_program(arguments);
    const int code = carried ? *carried : dispatch(arguments);
    // A result that could not be written is no result.
    if (!std::cout.flush()) throw UserError("cannot write standard output");
    return code;
  } catch (...) {
    const Verdict verdict = verdict_on(std::current_exception(), command_line);
    std::cerr << verdict.message;
    return verdict.code;
  }
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) {
  // A file that outgrows its limit is an error of write, not a death.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  return weft::cli::main_with_errors({argv, argv + argc});
}
