// reduce inside the pull model.
#pragma once
#include <optional>

#include "native/codegen/emitter.h"
#include "native/codegen/layout.h"

namespace weft::codegen {

/// The one op of a region (a, b) → op(a, b) of which order and grouping do not matter, with its neutral element.
struct Monoid {
  OpId op;
  uint64_t neutral;  // bits of the element type
};
/// None when the region is anything else.
std::optional<Monoid> monoid_of(const Function& f, RegionId region);

void walk_reduce(DryRun& run, const OpView& op, const Index& index);
std::vector<Val> emit_reduce(Emitter& e, const OpView& op, const Index& index, const Mask& mask);
/// Halves the lanes of accumulators with `combine` until one is left.
std::vector<Val> fold_lanes(Emitter& e, std::vector<Val> accumulators,
                            const std::function<std::vector<Val>(std::span<const Val>, std::span<const Val>)>& combine);
/// Whether a region runs element by element.
bool is_scalar_region(const Function& f, RegionId region, std::string* reason);

}  // namespace weft::codegen
