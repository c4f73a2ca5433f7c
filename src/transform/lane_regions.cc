#include "transform/lane_regions.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"

namespace weft {

bool is_quiet(const Function& f, RegionId region, const std::vector<OpId>& but) {
  for (OpId op : f.ops(region)) {
    if (f.def(op).is_terminator || std::ranges::find(but, op) != but.end()) continue;
    const OpView v{f, op};
    const Effects effects = record(v).effects;
    if ((effects != Effects::kPure && effects != Effects::kRegions) || callee(v) != nullptr ||
        region_flow(v).kind != RegionFlow::Kind::kNone || (v.num_operands() > 0 && record(v).vectorize.refused()))
      return false;
    for (Value r : f.results(op)) {
      if (!f.type(r).is_tensor() || !f.type(r).is_static()) return false;
    }
    for (RegionId inner : v.regions()) {
      if (!is_quiet(f, inner)) return false;
    }
  }
  return true;
}

}  // namespace weft
