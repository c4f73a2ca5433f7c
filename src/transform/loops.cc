#include "transform/loops.h"

#include <algorithm>

#include "transform/known_stacks.h"
#include "transform/lane_blocks.h"
#include "transform/lane_branches.h"
#include "transform/lane_pairs.h"
#include "transform/loop_conditions.h"
#include "transform/loop_inputs.h"
#include "transform/loop_lanes.h"
#include "transform/loop_stacks.h"
#include "transform/loop_sums.h"
#include "transform/products.h"
#include "transform/simplify.h"
#include "transform/solves.h"
#include "transform/updates_in_place.h"

namespace weft {
namespace {

bool has_loop(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const std::string_view name = f.def(OpId{i}).mnemonic;
    if (name == "stablehlo.while" || name == "weft.lane_while") return true;
  }
  return false;
}

struct Pass {
  const char* name;
  std::function<std::unique_ptr<Function>(const Function&)> run;
  bool is_of_loops;
};

}  // namespace

std::unique_ptr<Function> transform_loops(std::unique_ptr<Function> f, const std::vector<std::string>& disabled,
                                          const std::function<int64_t(int64_t)>& likely) {
  // What makes lanes of loops comes before what looks for counted ones; sequences of known length before their use.
  const auto pairs = [&](const Function& from) { return pair_lanes(from, likely); };
  const auto branches = [&](const Function& from) { return join_branches(from, likely); };
  const auto blocks = [&](const Function& from) { return block_lanes(from, likely); };
  const auto hoist = [&](const Function& from) { return hoist_sums(from, likely); };
  const Pass passes[] = {{"free_lanes", free_lanes, true},
                         {"spread_maps", spread_maps, true},
                         {"pair_lanes", pairs, true},
                         {"join_branches", branches, true},
                         {"block_lanes", blocks, true},
                         {"share_conditions", share_conditions, true},
                         {"factor_solves", factor_solves, false},
                         {"settle_products", settle_products, false},
                         {"fold_counters", fold_counters, true},
                         {"know_stacks", know_stacks, true},
                         {"lay_out_stacks", lay_out_stacks, true},
                         {"batch_inputs", batch_inputs, true},
                         {"hoist_sums", hoist, true},
                         {"settle_products", batch_products, true},
                         {"prepare_updates", prepare_updates, false}};
  bool changed = false;
  const bool loops = has_loop(*f);
  for (const Pass& pass : passes) {
    if ((pass.is_of_loops && !loops) || std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    if (auto next = pass.run(*f)) {
      f = std::move(next);
      changed = true;
    }
  }
  return changed ? simplify(*f, nullptr, {disabled}) : std::move(f);
}

}  // namespace weft
