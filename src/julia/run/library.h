// The files of stdlib/, which the build puts into the program.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::julia {

/// Statements of a library file, one after the other.
struct LibraryPiece {
  uint32_t begin, end;  // in the file's text
  int line;
  /// The function or type that it defines a method of and nothing else: it may wait until that is called. Empty: it runs when the file
  /// is included.
  std::string_view function;
  bool is_applied;  // T{A}(…) = … or (::Type{T})(…) = …
};

struct LibraryFile {
  std::string_view name;
  std::string_view text;
  std::span<const LibraryPiece> pieces;
};

/// The packages in it, in order of their names.
std::vector<std::string> library_packages();
/// By its name in stdlib/; null: there is none.
const LibraryFile* library_file(std::string_view name);

}  // namespace weft::julia
