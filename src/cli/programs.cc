// check, fmt, build: one program in, one answer out.
#include <iostream>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/julia.h"
#include "cli/julia_check.h"
#include "cli/source.h"
#include "text/print.h"

namespace weft::cli {

std::string entry_of(const Module& module, const std::string& given) {
  if (!given.empty()) return module.get(given.starts_with("@") ? given.substr(1) : given).name();
  if (module.find("main") != nullptr) return "main";
  if (module.functions().size() == 1) return module.functions()[0]->name();
  return module.get("main").name();
}

int check(const std::vector<std::string>& files, const JuliaCheckOptions& options) {
  JuliaCheck julia(options);
  for (const std::string& file : files) {
    if (is_julia(file)) julia.file(file);
    else load(file);
  }
  julia.finish();
  return julia.code();
}

int fmt_sexpr(const std::vector<std::string>& files) {
  bool ok = true;
  for (const std::string& file : files) {
    if (!is_julia(file)) throw UsageError("weft fmt --sexpr prints Julia sources: got " + file + ", expected FILE.jl");
    ok = print_julia_tree(file) && ok;
  }
  return ok ? kDone : kUser;
}

int fmt(const std::vector<std::string>& files, bool generic, bool in_place) {
  // All are read before the first is changed.
  std::vector<std::pair<std::string, std::string>> formatted;
  for (const std::string& file : files) formatted.emplace_back(file, print_module(*load(file), {generic}));
  if (in_place) {
    // A file that is as it should be keeps its time stamp.
    std::erase_if(formatted, [](const auto& f) { return read_file(f.first) == f.second; });
    write_files(formatted);
  } else {
    for (const auto& [file, text] : formatted) std::cout << text;
  }
  return 0;
}

int build(const std::string& file, const std::string& entry, const BuildOptions& options, const CompileFlags& compile) {
  Timings timings(compile);
  const std::unique_ptr<Module> module = timings.time("parse and verify", [&] { return load(file); });
  CompileOptions flags;
  timings.apply(flags);
  BuildOptions with_flags = options;
  with_flags.timing = flags.timing;
  with_flags.cache = flags.cache;
  with_flags.contract = flags.contract;
  build_library(*module, entry_of(*module, entry), with_flags);
  return 0;
}

}  // namespace weft::cli
