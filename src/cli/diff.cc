// `weft diff`: the same inputs on several targets; where results differ, the first op at fault and a small program that shows it.
#include <iostream>

#include "base/diagnostic.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/io/inputs_for.h"
#include "cli/refine.h"
#include "cli/source.h"
#include "cli/test_record.h"
#include "ir/clone.h"
#include "reduce/difference.h"

namespace weft::cli {
namespace {

/// "native", or "native:no-fuse": a target and a verification mode. "pjrt:PLUGIN" is a target.
reduce::Way way_of(const std::string& text) {
  const size_t colon = text.starts_with("pjrt:") ? std::string::npos : text.find(':');
  reduce::Way way;
  way.name = text;
  way.target = &get_target(text.substr(0, colon));
  if (colon != std::string::npos) {
    const Mode mode = mode_of(text.substr(colon + 1));
    if (mode.reparse || mode.simplify)
      throw UsageError("weft diff: --targets " + text +
                       ": this mode changes the text; expected one that switches something off");
    way.options = mode.options;
  }
  way.options.print = [](const std::string&) {};
  return way;
}

reduce::Program program_of(const Module& module, const std::string& entry, std::vector<Tensor> args) {
  reduce::Program out;
  out.module = std::make_shared<Module>();
  for (const auto& f : module.functions()) {
    if (f->name() != entry && f->name() != "main") out.module->add(clone_function(*f, f->name()));
  }
  out.module->add(clone_function(module.get(entry), "main"));
  out.inputs = {std::move(args)};
  return out;
}

}  // namespace

int diff(const DiffOptions& options) {
  std::vector<reduce::Way> ways;
  for (const std::string& name : options.targets) ways.push_back(way_of(name));
  if (ways.size() < 2) throw UsageError("weft diff: --targets needs two or more, such as eval,native");
  const std::shared_ptr<Module> module = load(options.file);
  const std::string entry = entry_of(*module, options.entry);
  const std::vector<Tensor> args = inputs_for(module->get(entry), options.inputs, options.seed);
  refine_to(*module, entry, args);
  const reduce::Program program = program_of(*module, entry, args);
  bool all_same = true;
  for (size_t i = 1; i < ways.size(); ++i) {
    const std::string reason = reduce::difference(program, ways[0], ways[i]);
    std::cout << ways[0].name << " and " << ways[i].name << ": " << (reason.empty() ? "same" : reason) << "\n";
    if (reason.empty()) continue;
    all_same = false;
    const auto first = reduce::first_difference(program, ways[0], ways[i]);
    if (first) {
      std::cout << "first op that differs: " << first->op << ": " << first->reason << "\n";
      if (first->loc.known()) std::cout << render("note", "it stands here", first->loc);
    } else {
      std::cout << "no op differs alone: the fault needs several together\n";
    }
    const reduce::Program& start = first ? first->program : program;
    const auto fails = [&](const reduce::Program& p) { return !reduce::difference(p, ways[0], ways[i], 10).empty(); };
    const std::string small = reduce::self_contained(reduce::reduced(start, fails, options.seconds));
    if (options.out.empty()) {
      std::cout << "a small program that shows it:\n" << small;
    } else {
      write_file(options.out, small);
      std::cout << "a small program that shows it is written to " << options.out << "\n";
    }
  }
  return all_same ? 0 : 1;
}

}  // namespace weft::cli
