#include "native/schedule/last_uses.h"

#include <algorithm>

namespace weft::native {

LastUses::LastUses(const Function& function, Block& schedule) : f_(function) {
  number(schedule, nullptr, nullptr);
  find(schedule);
}

int64_t LastUses::last(Value v) const {
  const auto it = last_.find(v);
  return it == last_.end() ? kNever : it->second;
}

const std::unordered_map<Value, int64_t>& LastUses::in_branch(RegionId branch) const {
  static const std::unordered_map<Value, int64_t> none;
  const auto it = in_branches_.find(branch);
  return it == in_branches_.end() ? none : it->second;
}

void LastUses::number(Block& block, Step* owner, Block* outer) {
  info_[block.region] = {owner, outer};
  block.begin = ++position_;
  for (Step& step : block.steps) {
    step.begin = ++position_;
    for (Block& inner : step.blocks) number(inner, &step, &block);
    step.end = ++position_;
  }
  block.end = ++position_;
}

void LastUses::use(Value v, RegionId region, int64_t position) {
  // A value of an outer region stays alive until the loop that contains the use is over. Of branches only one runs: a use in
  // one of them says nothing of the others.
  const RegionId home = f_.region(v);
  while (region != home) {
    const BlockInfo& info = info_.at(region);
    if (info.owner == nullptr) return;
    if (info.owner->kind == StepKind::kCase) {
      const auto [it, is_new] = in_branches_[region].try_emplace(v, position);
      it->second = std::max(it->second, position);
    } else {
      position = info.owner->end;
    }
    region = info.outer->region;
  }
  int64_t& last = last_.try_emplace(v, kNever).first->second;
  last = std::max(last, position);
}

void LastUses::find(Block& block) {
  for (Step& step : block.steps) {
    if (step.kind == StepKind::kKernel || step.kind == StepKind::kLibrary || step.kind == StepKind::kElement) {
      for (Value v : step.kernel.inputs) use(v, block.region, step.end);
    } else {
      const auto operands = f_.operands(step.op);
      // What is carried is read when a loop begins; what all lanes begin with, when each of them does.
      const auto is_read_once = [&](size_t i) {
        return step.kind == StepKind::kWhile || (step.kind == StepKind::kLaneWhile && i < f_.num_results(step.op) &&
                                                 f_.attrs(step.op).ints("varies")[i] != 0);
      };
      for (size_t i = 0; i < operands.size(); ++i)
        use(operands[i], block.region, is_read_once(i) ? step.begin : step.end);
    }
    for (Block& inner : step.blocks) find(inner);
  }
  for (Value v : block.results) use(v, block.region, block.end);
}

}  // namespace weft::native
