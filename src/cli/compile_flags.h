// What several commands let a user say about compiling: --timings, --cache and --fp.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "ir/target.h"

namespace weft::cli {

struct CompileFlags {
  bool timings = false;
  std::string cache;  // a folder, "off", or nothing: the default
  std::string fp;     // "strict", "contract", or nothing: strict
};

/// Where generated code is kept: what the command line says, else WEFT_CACHE_DIR, else the command's own folder.
void apply_cache(const CompileFlags& flags, CompileOptions& options);

/// Stages and their times, printed to standard error as a table in the end, where --timings asks for it.
class Timings {
 public:
  explicit Timings(const CompileFlags& flags) : flags_(flags) {}
  ~Timings();
  Timings(const Timings&) = delete;
  Timings& operator=(const Timings&) = delete;

  /// Puts the flags into the options of a compilation. It must not outlive this.
  void apply(CompileOptions& options);
  /// A stage of the command itself.
  template <class Body>
  decltype(auto) time(const char* name, Body&& body) {
    const auto begin = std::chrono::steady_clock::now();
    struct Note {
      Timings& timings;
      const char* name;
      std::chrono::steady_clock::time_point begin;
      ~Note() {
        CompileStage stage;
        stage.name = name;
        stage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        timings.stages_.push_back(std::move(stage));
      }
    } const note{*this, name, begin};
    return body();
  }

 private:
  const CompileFlags& flags_;
  std::vector<CompileStage> stages_;
};

}  // namespace weft::cli
