// What rules over lanes decide where lanes run apart, for reports and for `strict`.
#pragma once
#include <optional>
#include <string>

#include "ops/record.h"

namespace weft {

struct LaneChoice {
  std::string op;  // "stablehlo.while"
  Loc loc;
  std::string why;     // "its condition varies by lane (stablehlo.compare at a.mlir:7)"
  std::string choice;  // "each lane leaves at its own trip; lanes run together"
  /// Lanes run one after another: because of this, and what would change it. Empty otherwise.
  std::string obstacle, remedy;

  bool is_loop() const { return !obstacle.empty(); }
  /// One line for people.
  std::string str() const;
};

/// Implemented by contexts that keep books; throws Unsupported where lanes must not run one after another.
class LaneChoices {
 public:
  virtual ~LaneChoices() = default;
  virtual void chose(const LaneChoice& choice) = 0;
};
/// Tells the context, if it wants to know.
void report_choice(VectorizeContext& context, const LaneChoice& choice);

/// " at file:line" of a known place.
std::string at_place(Loc loc);
/// "(stablehlo.compare at a.mlir:7)": what makes a value.
std::string made_by(const Function& f, Value v);

/// What keeps lanes of a loop or branch with such a region from running together, in vectors or blocks of lanes: the first op there
/// that has effects, takes paths of its own, or works on stacks; and what would change it.
struct LaneObstacle {
  std::string what, remedy;
};
std::optional<LaneObstacle> lane_obstacle(const Function& f, RegionId region, const Module* module);

}  // namespace weft
