#include "julia/intrinsics/functional.h"

#include <vector>

namespace weft::julia {

std::span<const IntrinsicEntry> functional_intrinsics() {
  static const auto& all = *[] {
    auto* out = new std::vector<IntrinsicEntry>;
    for (const auto list : {broadcast_intrinsics(), map_intrinsics(), reduce_intrinsics(), reducedim_intrinsics(),
                            sort_intrinsics(), set_intrinsics()})
      out->insert(out->end(), list.begin(), list.end());
    return out;
  }();
  return all;
}

}  // namespace weft::julia
