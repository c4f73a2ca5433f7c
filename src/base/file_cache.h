// A folder that keeps what was made, one file an entry, named by its key. Processes share it without locks: a file is written under a
// temporary name and renamed, and is believed only when its checksum holds.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace weft {

class FileCache {
 public:
  /// What `problem` says of an entry that is not whole.
  static constexpr const char* kDamaged = "damaged, made anew";

  /// `folder` as CompileOptions::cache has it: "off", or empty for what the environment variable WEFT_CACHE_DIR names. Nothing when that means
  /// none. WEFT_CACHE_MIB bounds its size.
  static std::optional<FileCache> of(const std::string& folder);
  /// `limit`: bytes of all files together, beyond which those go that were used longest ago.
  FileCache(std::string folder, size_t limit) : folder_(std::move(folder)), limit_(limit) {}

  /// Nothing for what is not there, or not whole; `problem` says which.
  std::optional<std::string> load(const Hash& key) const;
  /// What cannot be written is not: `problem` says why. The program runs all the same.
  void store(const Hash& key, std::string_view body) const;
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

}  // namespace weft
