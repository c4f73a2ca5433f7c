// Uniformity analysis: which values of a function vary by lane, given which arguments do.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

/// The flags of one function under one pattern of arguments. Flags only ever grow, from "nothing varies" to a fixpoint.
class Uniformity : public UniformityContext {
 public:
  /// Answers for calls: results of a function (by name) when its arguments vary so.
  using CalleeFn = std::function<std::vector<bool>(const std::string&, const std::vector<bool>&)>;
  /// Whether an op, or what it calls, needs all lanes (lane_ops.h): its results are the same for all of them.
  using CrossesFn = std::function<bool(const OpView&)>;
  Uniformity(const Function& f, CalleeFn callee, CrossesFn crosses = [](const OpView&) { return false; });

  /// Sweeps the function until no flag changes. Returns whether any flag changed at all.
  bool run(const std::vector<bool>& args);
  bool varies(Value v) const { return flags_[v.index]; }
  std::vector<bool> results() const;
  /// Whether the op has a varying operand or result, needs all lanes, or one of its regions holds such an op.
  bool touches_varying(OpId op) const;

  std::vector<bool> region_varies(RegionId region, const std::vector<bool>& args) override;
  std::vector<bool> callee_varies(const std::string& name, const std::vector<bool>& args) override {
    return callee_(name, args);
  }

 private:
  void mark(Value v);
  void visit(OpId op);
  void unite_stacks();
  void unite(const std::vector<Value>& values);
  bool spread_stacks();
  uint32_t root(uint32_t v);

  const Function& f_;
  CalleeFn callee_;
  CrossesFn crosses_;
  std::vector<bool> flags_;
  std::vector<uint32_t> parent_;  // union-find over stack values
  std::vector<Value> stacks_;
  bool changed_ = false;
};

}  // namespace weft
