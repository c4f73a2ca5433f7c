// Lanes whose number is an open extent.
#pragma once
#include "ops/control_flow/pfor_call.h"
#include "transform/vectorize.h"

namespace weft {

/// What `vectorize` makes for kDynamic lanes, its arguments checked: a weft.pfor of the function.
Function& vectorize_open(Module& module, const std::string& function, std::span<const int64_t> lane_axes,
                         const VectorizeOptions& options);

/// The ops of a weft.pfor over a number of lanes that is known; `callee` has the types of one lane of the operands.
std::vector<Value> expand_pfor(Module& module, OpBuilder& b, const PforCall& call, std::span<const Value> operands,
                               int64_t lanes);

/// The function itself, or a copy in which results of weft.lanes_concat of the level that do not say how many lanes there are say so.
std::string with_lane_count(Module& module, const std::string& function, const std::string& level, int64_t lanes);

}  // namespace weft
