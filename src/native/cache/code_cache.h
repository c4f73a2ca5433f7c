// The persistent cache of generated code.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_cache.h"
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
  explicit CodeCache(FileCache files) : files_(std::move(files)) {}

  /// Nothing for what is not there, or not whole; `problem` says which.
  std::optional<CachedCode> load(const Hash& key) const;
  /// What cannot be written is not: `problem` says why. The program runs all the same.
  void store(const Hash& key, const CachedCode& code) const;
  const std::string& problem() const;

 private:
  FileCache files_;
  mutable bool is_damaged_ = false;
};

}  // namespace weft::native
