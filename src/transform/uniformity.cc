#include "transform/uniformity.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"

namespace weft {

Uniformity::Uniformity(const Function& f, CalleeFn callee, CrossesFn crosses)
    : f_(f), callee_(std::move(callee)), crosses_(std::move(crosses)), flags_(f.num_values()), parent_(f.num_values()) {
  for (uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  unite_stacks();
}

bool Uniformity::run(const std::vector<bool>& args) {
  bool any = false;
  do {
    changed_ = false;
    region_varies(f_.body(), args);
    const bool spread = spread_stacks();
    changed_ = changed_ || spread;
    any = any || changed_;
  } while (changed_);
  return any;
}

std::vector<bool> Uniformity::results() const {
  std::vector<bool> out;
  for (Value v : f_.operands(f_.terminator(f_.body()))) out.push_back(varies(v));
  return out;
}

bool Uniformity::touches_varying(OpId op) const {
  const auto is_varying = [&](Value v) { return varies(v); };
  if (std::ranges::any_of(f_.operands(op), is_varying) || crosses_(OpView{f_, op})) return true;
  for (size_t i = 0; i < f_.num_results(op); ++i) {
    if (varies(f_.result(op, i))) return true;
  }
  for (RegionId r : f_.regions(op)) {
    if (std::ranges::any_of(f_.args(r), is_varying)) return true;
    for (OpId inner : f_.ops(r)) {
      if (touches_varying(inner)) return true;
    }
  }
  return false;
}

std::vector<bool> Uniformity::region_varies(RegionId region, const std::vector<bool>& args) {
  const auto formal = f_.args(region);
  for (size_t i = 0; i < formal.size() && i < args.size(); ++i) {
    if (args[i]) mark(formal[i]);
  }
  std::vector<bool> out;
  for (OpId op : f_.ops(region)) {
    if (f_.def(op).is_terminator) {
      for (Value v : f_.operands(op)) out.push_back(varies(v));
    } else {
      visit(op);
    }
  }
  return out;
}

void Uniformity::mark(Value v) {
  if (flags_[v.index]) return;
  flags_[v.index] = true;
  changed_ = true;
}

void Uniformity::visit(OpId op) {
  const OpView view{f_, op};
  if (lane_use(view.def()) == LaneUse::kAll && crosses_(view)) return;
  std::vector<bool> operands;
  for (Value v : view.operands()) operands.push_back(varies(v));
  const OpRecord& r = record(view);
  const std::vector<bool> results = r.uniformity.require(view, "lanes")(*this, view, operands);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]) mark(view.result(i));
  }
  if (r.effects == Effects::kRegions) return;
  // Regions that are like attributes: when they use a varying value, so does the op.
  for (RegionId region : view.regions()) {
    for (Value v : captures(f_, region)) {
      if (!varies(v)) continue;
      for (size_t i = 0; i < view.num_results(); ++i) mark(view.result(i));
    }
  }
}

// A stack is one object from its making to its last use: its type over lanes must be known where it is made, so all values that
// are stages of one stack vary together.

uint32_t Uniformity::root(uint32_t v) {
  while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
  return v;
}

void Uniformity::unite(const std::vector<Value>& values) {
  Value first;
  for (Value v : values) {
    if (!f_.type(v).is_stack()) continue;
    if (first) {
      parent_[root(v.index)] = root(first.index);
    } else {
      first = v;
    }
  }
}

void Uniformity::unite_stacks() {
  for (uint32_t i = 0; i < f_.num_values(); ++i) {
    if (f_.type(Value{i}).is_stack()) stacks_.push_back(Value{i});
  }
  if (stacks_.empty()) return;
  for (uint32_t i = 0; i < f_.num_ops(); ++i) {
    const OpView op{f_, OpId{i}};
    if (op.def().is_terminator) continue;
    const RegionFlow flow = region_flow(op);
    const auto terminated = [&](RegionId r, size_t k) { return f_.operand(f_.terminator(r), k); };
    if (flow.kind == RegionFlow::Kind::kLoop) {
      for (size_t k = 0; k < op.num_operands(); ++k) {
        std::vector<Value> stages = {op.operand(k), f_.args(op.region(0))[k], f_.args(op.region(1))[k]};
        if (k < flow.carries) {
          stages.push_back(terminated(op.region(1), k));
          stages.push_back(op.result(k));
        }
        unite(stages);
      }
    } else if (flow.kind == RegionFlow::Kind::kBranches) {
      for (size_t k = 0; k < op.num_results(); ++k) {
        std::vector<Value> stages = {op.result(k)};
        for (RegionId r : op.regions()) stages.push_back(terminated(r, k));
        unite(stages);
      }
    } else {
      std::vector<Value> stages(op.operands().begin(), op.operands().end());
      for (size_t k = 0; k < op.num_results(); ++k) stages.push_back(op.result(k));
      unite(stages);
    }
  }
}

bool Uniformity::spread_stacks() {
  std::vector<bool> varying(stacks_.empty() ? 0 : parent_.size());
  for (Value v : stacks_) {
    if (varies(v)) varying[root(v.index)] = true;
  }
  bool grown = false;
  for (Value v : stacks_) {
    if (!varying[root(v.index)] || varies(v)) continue;
    flags_[v.index] = true;
    grown = true;
  }
  return grown;
}

}  // namespace weft
