#include "transform/loops.h"

#include <algorithm>

#include "transform/lane_blocks.h"
#include "transform/loop_lanes.h"
#include "transform/loop_stacks.h"
#include "transform/loop_sums.h"
#include "transform/products.h"
#include "transform/simplify.h"
#include "transform/updates_in_place.h"

namespace weft {

std::unique_ptr<Function> transform_loops(std::unique_ptr<Function> f, const std::vector<std::string>& disabled) {
  struct Pass {
    const char* name;
    std::unique_ptr<Function> (*run)(const Function&);
  };
  bool changed = false;
  for (const Pass& pass : {Pass{"free_lanes", free_lanes}, Pass{"spread_maps", spread_maps},
                           Pass{"block_lanes", block_lanes}, Pass{"settle_products", settle_products},
                           Pass{"fold_counters", fold_counters}, Pass{"lay_out_stacks", lay_out_stacks},
                           Pass{"hoist_sums", hoist_sums}, Pass{"prepare_updates", prepare_updates}}) {
    if (std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    if (auto next = pass.run(*f)) {
      f = std::move(next);
      changed = true;
    }
  }
  return changed ? simplify(*f, nullptr, {disabled}) : std::move(f);
}

}  // namespace weft
