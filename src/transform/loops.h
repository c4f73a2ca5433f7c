// The transforms of loops that a target asks for before it schedules a program.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// All of them in order, on a function without calls. `disabled` names those to leave out: "free_lanes", "spread_maps", "block_lanes", "settle_products", "fold_counters", "lay_out_stacks",
/// "batch_inputs", "hoist_sums", "prepare_updates". `likely`: what an extent is taken for in weighing memory, where it only stands for one;
/// none: itself.
std::unique_ptr<Function> transform_loops(std::unique_ptr<Function> f, const std::vector<std::string>& disabled,
                                          const std::function<int64_t(int64_t)>& likely = {});

}  // namespace weft
