// What lanes that run apart cost in one way and another, guessed from what the ops say of their work: nanoseconds of one core.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

/// Work of some code: of one lane by itself, and of all lanes in one pass over them.
struct LaneWork {
  double one = 0, all = 0;
};

/// Code of one lane of which the work is asked.
struct LaneCode {
  const Function& f;
  RegionId region;
  /// Which of f's values differ by lane. There are as many of them as lanes; the others are there once, whoever reads them.
  std::function<bool(Value)> varies;
  /// Products of f that are added to sums over all lanes afterwards: a lane by itself adds them to a sum of its own, all lanes at once to
  /// one of all. They need not stand in the region.
  std::vector<OpId> sums = {};
  /// Values that are pushed on stacks or popped.
  size_t stacked = 0;
};
/// Work of all the codes together: whether what they read stays near the processor depends on all of it. A loop within counts
/// kUnknownTurns turns. `module`: where calls lead; may be null.
LaneWork lane_work(std::span<const LaneCode> codes, int64_t lanes, const Module* module = nullptr);

/// Turns of a loop whose number is not known.
inline constexpr double kUnknownTurns = 16;

/// The attribute of a loop that says, for accounts of a program, how its lanes run and why.
inline constexpr const char* kLanesNote = "weft.lanes";

/// Ways through a loop that not all lanes run equally often.
enum class LaneWay : uint8_t {
  kOneByOne,  // a lane at a time, each as long as it has to
  kTogether,  // all lanes until the last is done; those that are done keep what they have
  kBlocks     // blocks of lanes that run: places of lanes that are done go to lanes that wait
};

struct LaneCost {
  LaneWay way = LaneWay::kOneByOne;
  /// Of a turn of each lane; 0: no way here.
  double one_by_one = 0, together = 0, blocks = 0;

  /// "all lanes together: of 64 lanes a turn each is guessed at 210 us one after another, 13 us together".
  std::string str(int64_t lanes) const;
};

/// The cheapest way. `whole`: a turn of all lanes, 0 lanes where together is no way; `block`: of a block of `block_lanes`, 0 where blocks are
/// none. `bytes`: of what a lane carries; `turns`: as often as a lane runs the code.
LaneCost cheapest_way(int64_t lanes, const LaneWork& whole, int64_t block_lanes, const LaneWork& block, double bytes,
                      double turns = kUnknownTurns);

/// The same for a branch, which a lane runs once or not at all. `whole`: of all lanes.
LaneCost cheapest_branch(int64_t lanes, const LaneWork& whole, int64_t block_lanes, const LaneWork& block,
                         double bytes);

/// Branches that lanes take apart: all computed for every lane and selected, or each by the lanes that take it.
struct BranchCost {
  double select = 0, apart = 0;
  bool is_select() const { return select <= apart; }
  /// "for 64 lanes guessed at 0.4 us selected, 1.2 us by the lanes that take it".
  std::string str(int64_t lanes) const;
};
/// `results`: bytes of what a lane gets. Works of scalars alone go through vector registers, lane by lane in its own place.
BranchCost branch_cost(int64_t lanes, std::span<const LaneWork> branches, double results, bool is_scalar);

/// "850 ns", "13 us", "2.1 ms".
std::string time_text(double ns);

}  // namespace weft
