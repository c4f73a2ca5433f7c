#include "cli/compile_flags.h"

#include <cstdio>
#include <cstdlib>

#include "base/file_cache.h"

namespace weft::cli {

Timings::~Timings() {
  if (!flags_.timings) return;
  double total = 0;
  for (const CompileStage& stage : stages_) {
    total += stage.seconds;
    std::fprintf(stderr, "%10.2f ms  %-20s", stage.seconds * 1e3, stage.name.c_str());
    if (stage.count > 0) {
      std::fprintf(stderr, "  %zu %s", stage.count, stage.unit.c_str());
    } else if (!stage.unit.empty()) {
      std::fprintf(stderr, "  %s", stage.unit.c_str());
    }
    std::fputc('\n', stderr);
  }
  std::fprintf(stderr, "%10.2f ms  total\n", total * 1e3);
}

void apply_cache(const CompileFlags& flags, CompileOptions& options) {
  // The command keeps what it generates; programs that link the library are asked first (WEFT_CACHE_DIR).
  const bool is_given = !flags.cache.empty() || std::getenv("WEFT_CACHE_DIR") != nullptr;
  options.cache = is_given ? flags.cache : default_cache_folder();
  if (options.cache.empty() && !is_given) options.cache = "off";
}

void Timings::apply(CompileOptions& options) {
  options.contract = flags_.fp == "contract";
  apply_cache(flags_, options);
  if (flags_.timings) options.timing = [this](const CompileStage& stage) { stages_.push_back(stage); };
}

}  // namespace weft::cli
