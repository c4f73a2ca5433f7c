#include "julia/lower/carried_sources.h"

#include <filesystem>
#include <map>

namespace weft::julia {
namespace {

/// By path in normal form: a/b, not a/./c/../b.
std::map<std::string, std::string>& sources() {
  static auto* const all = new std::map<std::string, std::string>;
  return *all;
}

std::string normal(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

}  // namespace

void carry_source(const std::string& path, std::string text) { sources()[normal(path)] = std::move(text); }

const std::string* carried_source(const std::string& path) {
  const auto it = sources().find(normal(path));
  return it == sources().end() ? nullptr : &it->second;
}

}  // namespace weft::julia
