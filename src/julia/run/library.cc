#include "julia/run/library.h"

#include <unordered_map>

namespace weft::julia {

extern const LibraryFile kLibraryFiles[];
extern const unsigned long kLibraryFileCount;

const LibraryFile* library_file(std::string_view name) {
  static const auto& files = *[] {
    auto* map = new std::unordered_map<std::string_view, const LibraryFile*>;
    for (const LibraryFile& file : std::span(kLibraryFiles, kLibraryFileCount)) map->emplace(file.name, &file);
    return map;
  }();
  const auto it = files.find(name);
  return it == files.end() ? nullptr : it->second;
}

}  // namespace weft::julia
