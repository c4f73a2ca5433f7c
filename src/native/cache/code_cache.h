// The persistent cache of generated code: a folder with one file a program, named by its key. Processes share it without locks: a
// file is written under a temporary name and renamed, and is believed only when its checksum holds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/target.h"
#include "native/cache/program_key.h"

namespace weft::native {

/// What code generation leaves behind. Schedule and memory plan are made anew, which takes little time.
struct CachedCode {
  std::vector<std::vector<std::byte>> objects;
  std::vector<std::pair<uint32_t, uint32_t>> sites, constants;  // function, op
  uint64_t workspace_bytes = 0;
  std::vector<uint64_t> scratch_bytes;  // of each function
};

class CodeCache {
 public:
  /// Nothing when the options ask for no cache, or when the build of this library cannot be told from others.
  static std::optional<CodeCache> of(const CompileOptions& options);
  /// `limit`: bytes of all files together, beyond which those go that were used longest ago.
  CodeCache(std::string folder, size_t limit) : folder_(std::move(folder)), limit_(limit) {}

  /// Nothing for what is not there, or not whole; `problem` says which.
  std::optional<CachedCode> load(const Hash& key) const;
  /// What cannot be written is not: `problem` says why. The program runs all the same.
  void store(const Hash& key, const CachedCode& code) const;
  const std::string& problem() const { return problem_; }

 private:
  std::string path_of(const Hash& key) const;
  void evict() const;

  std::string folder_;
  size_t limit_;
  mutable std::string problem_;
};

/// The folder that the command uses unless told otherwise: weft in XDG_CACHE_HOME, else in ~/.cache; empty without a home.
std::string default_cache_folder();

}  // namespace weft::native
