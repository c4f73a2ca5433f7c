#include "julia/types/symbol.h"

#include <mutex>
#include <unordered_set>

namespace weft::julia {
namespace {

/// A lookup by a view, which makes no string.
struct HashText {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

Symbol::Symbol(std::string_view text) {
  static std::mutex mutex;
  static auto& names = *new std::unordered_set<std::string, HashText,
                                               std::equal_to<>>();  // lives as long as any symbol, which is forever
  const std::lock_guard lock(mutex);
  const auto it = names.find(text);
  text_ = it != names.end() ? &*it : &*names.emplace(text).first;
}

}  // namespace weft::julia
