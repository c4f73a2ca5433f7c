// An entry of a Julia source as a program of its own, for the commands that take StableHLO.
#pragma once
#include <string>

#include "base/temporary_folder.h"
#include "julia/infer/border/leaf_notes.h"

namespace weft::cli {

/// Runs the source's top level (what it prints goes to standard error), compiles the call `entry` says, such as
/// f(Matrix{Float32}(3, 4)), and keeps its IR as a file while the object lives.
class JuliaEntry {
 public:
  /// `portable`: StableHLO only, as other compilers read it: without checks of bounds and domains.
  JuliaEntry(const std::string& file, const std::string& entry, bool portable);
  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  /// What each argument and result of the program is in Julia.
  const julia::LeafNotes& notes() const { return notes_; }

 private:
  TemporaryFolder folder_;
  std::string file_, name_;
  julia::LeafNotes notes_;
};

/// Whether an entry is meant so: a call in a Julia source.
bool is_julia_entry(const std::string& file, const std::string& entry);

}  // namespace weft::cli
