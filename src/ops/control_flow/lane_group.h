// Lanes that the evaluator runs one after the other, and what they give each other.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

/// Lanes of one pfor. An op that needs all lanes ends the run of a lane that comes to it first (LaneWaits); once all lanes have come,
/// they run again from their beginning and find its results.
struct LaneGroup {
  std::string level;
  int64_t lanes = 0;
  /// By the place in the lane's run: what each lane brought, and what all get.
  std::map<std::string, std::vector<std::optional<std::vector<EvalValue>>>> brought;
  std::map<std::string, std::vector<EvalValue>> given;
};

/// One run of one lane; runs stand within runs as pfors do. The innermost one of a thread is current.
class LaneRun {
 public:
  LaneRun(LaneGroup& group, int64_t lane, size_t pfor);
  ~LaneRun();
  LaneRun(const LaneRun&) = delete;
  LaneRun& operator=(const LaneRun&) = delete;

  static LaneRun* current();
  /// The number of the next pfor within the current run.
  static size_t next_pfor();
  /// The run around here, innermost first, whose lanes the op means; null when there is none.
  static LaneRun* of(const OpView& op);
  LaneGroup& group() const { return group_; }
  int64_t lane() const { return lane_; }
  /// The place of an op of this run's lanes in the program's run, the same for every lane.
  std::string next_place();

 private:
  LaneGroup& group_;
  LaneRun* outer_;
  int64_t lane_;
  size_t pfor_, pfors_ = 0;
  std::map<const LaneGroup*, size_t> places_;
};

/// Thrown by an op that waits for other lanes of a group.
struct LaneWaits {
  const LaneGroup* group;
};

}  // namespace weft
