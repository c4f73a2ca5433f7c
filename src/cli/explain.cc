// `weft explain`: what a target made of a program, as text, as a page, or as one of its stages.
#include <iostream>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/explain_page.h"
#include "cli/source.h"
#include "ir/account.h"

namespace weft::cli {

int explain(const ExplainOptions& options) {
  Timings timings(options.compile);
  const std::shared_ptr<const Module> module = timings.time("parse and verify", [&] { return load(options.file); });
  const std::string entry = entry_of(*module, options.entry);
  const Target& target = get_target(options.target);
  CompileOptions compile;
  timings.apply(compile);
  bool is_found = false;
  if (!options.dump.empty()) {
    compile.dump = [&](const std::string& stage, const std::string& name, const std::string& text) {
      if (stage != options.dump || (!options.kernel.empty() && name != options.kernel)) return;
      is_found = true;
      if (stage == "asm") std::cout << name << ":\n";
      std::cout << text << (text.ends_with("\n") ? "" : "\n");
    };
  }
  const auto executable = target.compile(module, entry, compile);
  if (!options.dump.empty()) {
    if (!is_found)
      throw UserError(options.kernel.empty() ? "target " + options.target + " has no stage " + options.dump
                                             : "there is no function " + options.kernel + " in stage " + options.dump +
                                                   ": its names stand in what `weft explain` prints");
    return 0;
  }
  if (options.html.empty()) {
    std::cout << executable->explain();
    return 0;
  }
  const ProgramAccount* account = executable->account();
  if (account == nullptr) throw Unsupported("target " + options.target + " gives no account to draw");
  write_file(options.html, explain_page(*account, read_program(options.file), options.file, entry));
  return 0;
}

}  // namespace weft::cli
