// pfor: from a function of one iteration to a function of all of them.
#pragma once
#include <span>
#include <string>

#include "ops/control_flow/lane_choice.h"

namespace weft {

/// No lane axis: the argument is the same for every lane.
inline constexpr int64_t kUniform = -1;

struct VectorizeOptions {
  /// Name of the new function; empty: "<function>_lanes", made unique. It may be `function` itself, which is then replaced.
  std::string name = {};
  /// Results that do not vary by lane are repeated along the lane axis; otherwise they stay as they are.
  bool broadcast_results = true;
  /// What ops call these lanes that ask for them (weft.lanes_reduce, weft.lane_index …) from inside another pfor; those that name no
  /// level ask for the innermost lanes, so these.
  std::string level = {};
  /// So many lanes at once, in a loop; 0: all of them. It need not divide their number.
  int64_t chunk = 0;
  /// Unsupported, with the reason and what would change it, where lanes would run one after another.
  bool strict = false;
  /// What was decided where lanes run apart is added here.
  std::vector<LaneChoice>* choices = nullptr;
};

/// Adds to `module` a function that computes `function` for `lanes` lanes at once and returns it. Argument i of the new function
/// has the lane extent inserted at axis lane_axes[i] (kUniform: no such axis, the same for every lane); results have the lanes on
/// axis 0. The value is that of a loop over the lanes, effects in order. Functions that it calls are vectorized as well.
/// What does not vary by lane stays as it is; a loop that lanes leave at different iterations becomes weft.lane_while.
/// `lanes` may be kDynamic: they are then as many as the arguments of a call have, weft.pfor.
/// Throws UserError for wrong marks, Unsupported "[op] …" when an op has no lane rule (its record says why).
Function& vectorize(Module& module, const std::string& function, std::span<const int64_t> lane_axes, int64_t lanes,
                    const VectorizeOptions& options = {});

}  // namespace weft
