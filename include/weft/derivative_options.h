// How a Jacobian is computed.
#pragma once
#include <cstdint>

namespace weft {

struct JacobianOptions {
  /// Forward: a lane for each element of the arguments; reverse: for each element of the results. kAuto: which has fewer.
  enum Direction { kAuto, kForward, kReverse } direction = kAuto;
  /// So many lanes at once, in a loop; it need not divide their number. 0: as many as `memory` is thought to hold.
  int64_t chunk = 0;
  /// Bytes for what the lanes that run at once keep, besides the outcome. 0: twice what the outcome takes, 4 MiB (256 MiB where lanes run
  /// loops), or what 8 lanes need, whichever is most.
  int64_t memory = 0;
  /// Axis 0 of arguments and results counts examples that do not mix: only derivatives of an example by itself are computed.
  bool is_batched = false;
};

}  // namespace weft
