#include "julia/infer/derive/differentiable.h"

namespace weft::julia {

bool has_derivatives(weft::Type t) { return is_float(t.element_type()) || is_complex(t.element_type()); }

std::vector<bool> used_arguments(const Function& f) {
  std::vector<bool> used(f.args().size(), false);
  std::vector<RegionId> regions = {f.body()};
  while (!regions.empty()) {
    const RegionId r = regions.back();
    regions.pop_back();
    for (const OpId op : f.ops(r)) {
      for (const weft::Value v : f.operands(op)) {
        if (!f.defining_op(v) && f.region(v) == f.body()) used[f.position(v)] = true;
      }
      for (const RegionId inner : f.regions(op)) regions.push_back(inner);
    }
  }
  return used;
}

}  // namespace weft::julia
