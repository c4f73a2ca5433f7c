#include "transform/lane_crossings.h"

#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"

namespace weft {

bool LaneCrossings::is_one(const OpView& op, bool named_only) const {
  return lane_use(op.def()) == LaneUse::kAll && is_of_level(op, level_) &&
         !(named_only && op.attrs().text_or("level", "").empty());
}

bool LaneCrossings::crosses(const OpView& op) { return is_one(op, false) || first_called(op, false).has_value(); }

std::optional<OpView> LaneCrossings::first(const Function& f, RegionId region, bool named_only) {
  for (OpId id : f.ops(region)) {
    const OpView op{f, id};
    if (is_one(op, named_only)) return op;
    if (const auto inner = first_called(op, named_only)) return inner;
    for (RegionId r : op.regions()) {
      if (const auto inner = first(f, r, named_only)) return inner;
    }
  }
  return std::nullopt;
}

std::optional<OpView> LaneCrossings::first_called(const OpView& op, bool named_only) {
  const std::string* name = callee(op);
  if (name == nullptr || !reaches_through(op, level_, named_only)) return std::nullopt;
  const auto [it, is_new] = known_.try_emplace({*name, named_only});
  const Function* f = is_new ? module_.find(*name) : nullptr;
  if (f == nullptr || f->is_declaration()) {
    if (it->second) return OpView{it->second->function, it->second->id};
    return std::nullopt;
  }
  // A function that calls itself is asked about itself meanwhile; it holds no more than is found now.
  const std::optional<OpView> found = first(*f, f->body(), named_only);
  if (found) it->second.emplace(*found);
  return found;
}

}  // namespace weft
