#include "ops/control_flow/lane_choice.h"

#include <set>

#include "ops/control_flow/region_flow.h"

namespace weft {

std::string LaneChoice::str() const {
  std::string out = op + at_place(loc) + ": " + why + "; " + choice;
  if (is_loop()) out += ", one after another, because of " + obstacle + "; remedy: " + remedy;
  return out;
}

void report_choice(VectorizeContext& context, const LaneChoice& choice) {
  if (auto* choices = dynamic_cast<LaneChoices*>(&context)) choices->chose(choice);
}

std::string at_place(Loc loc) { return loc.known() ? " at " + *loc.file + ":" + std::to_string(loc.line) : ""; }

std::string made_by(const Function& f, Value v) {
  if (const OpId op = f.defining_op(v)) return "(" + std::string(f.def(op).mnemonic) + at_place(f.loc(op)) + ")";
  return "(argument " + std::to_string(f.position(v)) +
         (f.region(v) == f.body() ? " of @" + f.name() : " of its region") + ")";
}

namespace {

std::optional<LaneObstacle> obstacle(const Function& f, RegionId region, const Module* module,
                                     std::set<std::string>& inside) {
  for (OpId id : f.ops(region)) {
    const OpView op{f, id};
    if (op.def().is_terminator) continue;
    const std::string name = std::string(op.def().mnemonic) + at_place(op.loc());
    const Effects effects = record(op).effects;
    if (effects == Effects::kIo || effects == Effects::kCheck)
      return LaneObstacle{name + ", which has an effect", "return what it reports and let it stand after the loop"};
    if (const std::string* target = callee(op)) {
      const Function* g = module == nullptr ? nullptr : module->find(*target);
      if (g == nullptr || g->is_declaration() || !inside.insert(*target).second)
        return LaneObstacle{name + " of @" + *target + ", which calls itself",
                            "write the recursion as a loop that keeps what it needs in arrays"};
      auto found = obstacle(*g, g->body(), module, inside);
      inside.erase(*target);
      if (found) return found;
      continue;
    }
    switch (region_flow(op).kind) {
      case RegionFlow::Kind::kLoop:
        return LaneObstacle{name + ", a loop within",
                            "make one loop of both, or give the outer one the same number of trips in every lane"};
      case RegionFlow::Kind::kBranches:
        return LaneObstacle{name + ", a branch within", "write stablehlo.select where both sides are cheap"};
      case RegionFlow::Kind::kNone: break;
    }
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (op.result_type(i).is_stack())
        return LaneObstacle{name + ", which keeps values on a stack",
                            "give the loop a number of trips that is known, or the same in every lane"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LaneObstacle> lane_obstacle(const Function& f, RegionId region, const Module* module) {
  std::set<std::string> inside = {f.name()};
  return obstacle(f, region, module, inside);
}

}  // namespace weft
