// The loops of a kernel: which extents are loops of their own, which are units, how many lanes.
#pragma once
#include <vector>

#include "native/codegen/kernel.h"

namespace weft::codegen {

/// Roots that share one loop nest. Several segments run one after the other in the numbering of units.
enum class SegmentKind : uint8_t {
  kMap,      // every element of the roots
  kUpdate,   // dynamic_update_slice into its operand: every element of the update
  kScatter,  // scatter into its inputs
  kLaneWhile,
  kStream,         // a matrix-vector product that reads the matrix row by row
  kScan,           // running folds along one axis
  kWindowScatter,  // select_and_scatter, window after window
  kPoolGradient,   // select_and_scatter whose windows tile the operand: every window
};
struct Segment {
  SegmentKind kind = SegmentKind::kMap;
  std::vector<size_t> roots;        // positions among the kernel's roots
  std::vector<int64_t> extents;     // loops, outermost first; their product is the number of elements of each root
  std::vector<int64_t> low, count;  // the part of each loop that this segment covers
  int tile_loop = -1;               // loop that is advanced by `tile` elements, computed together in its body
  int tile = 1;
  bool transposes = false;  // tiles are for reads along the tile loop, which then runs inside the lanes
  bool whole_rows = false;  // a unit has whole innermost loops, as each would repeat what is computed once for the loop
  size_t unit_loops = 0;    // so many outer loops are the units
  int64_t chunk = 0;        // iterations of the innermost loop per unit
  int64_t chunks = 1;
  int lanes = 1;
  int64_t units = 0;
  double work_per_unit = 0;
  OpId product;  // kStream

  /// Large reductions to few elements, long scans, scatters of much into little: `parts` partial results (of each of these reduces) are
  /// made first, in units of their own; the segment itself is finished from them afterwards.
  std::vector<OpId> split;
  int64_t parts = 0;
  int64_t step = 0;                   // iterations of the outermost reducing loop per part
  bool merged = false;                // reducing loops
  std::vector<int64_t> kept_extents;  // loops over the results of the reduces
  int kept_lanes = 1;
  int64_t kept = 1;        // elements of a reduce's result
  double finish_work = 0;  // rough nanoseconds of what follows the parts
  bool in_pieces = false;  // any body: a part is `kept_lanes` pieces of `step` elements (Pieces of reduce.h)
};

/// Iterations of a loop of a segment.
inline int64_t iterations(const Segment& s, size_t loop) {
  return static_cast<int>(loop) == s.tile_loop ? s.count[loop] / s.tile : s.count[loop];
}

/// As `iterations`, of the loops that number units: a transposing tile loop runs inside a unit.
inline int64_t unit_iterations(const Segment& s, size_t loop) {
  return s.transposes && static_cast<int>(loop) == s.tile_loop ? 1 : iterations(s, loop);
}

struct Layout {
  std::vector<Segment> segments;
};

Layout choose_layout(const Function& kernel, const KernelOptions& options);

/// Lanes for loops over the values of a kernel: two registers of the widest element type.
int natural_lanes(const Function& kernel, const KernelOptions& options);
/// The smallest power of two that is at least n, at most `limit`.
int lanes_for_extent(int64_t n, int limit);

}  // namespace weft::codegen
