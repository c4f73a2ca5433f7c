#include "julia/run/library.h"

#include <algorithm>
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

std::vector<std::string> library_packages() {
  std::vector<std::string> out;
  for (const LibraryFile& file : std::span(kLibraryFiles, kLibraryFileCount)) {
    // NAME.jl or NAME/NAME.jl.
    const std::string_view name = file.name.substr(0, file.name.size() - std::string_view(".jl").size());
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos || name.substr(0, slash) == name.substr(slash + 1))
      out.emplace_back(name.substr(0, slash));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace weft::julia
