#include "julia/types/symbol.h"

#include <mutex>
#include <unordered_set>

namespace weft::julia {

Symbol::Symbol(std::string_view text) {
  static std::mutex mutex;
  static auto& names = *new std::unordered_set<std::string>();  // lives as long as any symbol, which is forever
  const std::lock_guard lock(mutex);
  text_ = &*names.emplace(text).first;
}

}  // namespace weft::julia
