// The files of stdlib/, which the build puts into the program.
#include <unordered_map>

#include "julia/run/impl.h"

namespace weft::julia {

extern const std::pair<std::string_view, std::string_view> kLibraryFiles[];
extern const unsigned long kLibraryFileCount;

const std::string_view* library_file(std::string_view name) {
  static const auto& files = *[] {
    auto* map = new std::unordered_map<std::string_view, const std::string_view*>;
    for (unsigned long i = 0; i < kLibraryFileCount; ++i)
      map->emplace(kLibraryFiles[i].first, &kLibraryFiles[i].second);
    return map;
  }();
  const auto it = files.find(name);
  return it == files.end() ? nullptr : it->second;
}

}  // namespace weft::julia
