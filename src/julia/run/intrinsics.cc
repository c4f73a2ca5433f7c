#include "julia/run/intrinsics.h"

#include <unordered_map>

namespace weft::julia {

const IntrinsicEntry* find_intrinsic(std::string_view name) {
  static const auto& all = *[] {
    auto* map = new std::unordered_map<std::string_view, const IntrinsicEntry*>;
    for (const auto list :
         {core_intrinsics(), number_intrinsics(), array_intrinsics(), functional_intrinsics(), text_intrinsics(),
          algebra_intrinsics(), random_intrinsics(), derivative_intrinsics(), data_intrinsics()}) {
      for (const IntrinsicEntry& e : list) map->emplace(e.name, &e);
    }
    return map;
  }();
  const auto it = all.find(name);
  return it == all.end() ? nullptr : it->second;
}

}  // namespace weft::julia
