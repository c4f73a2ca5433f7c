// What is wrong with a source: Julia's own messages, and the bytes they are about.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/error.h"

namespace weft::julia {

struct Diagnostic {
  enum Level : uint8_t { kError, kWarning };
  uint32_t begin = 0, end = 0;  // bytes of the source; equal: between two
  Level level = kError;
  std::string message;
};

bool has_errors(const std::vector<Diagnostic>& diagnostics);

/// Finds lines and columns by bytes; made once for a source.
class LineIndex {
 public:
  explicit LineIndex(std::string_view source);
  /// 1-based; columns count characters, as Julia does. The length ends with the line.
  Loc loc(uint32_t begin, uint32_t end, const std::string* file) const;

 private:
  std::string_view source_;
  std::vector<uint32_t> starts_;
};

/// One after another as render() writes them: file:line:column, the line, a caret.
std::string render_all(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view file);

}  // namespace weft::julia
