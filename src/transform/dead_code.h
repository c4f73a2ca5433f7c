// Removal of what no result and no effect needs.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace weft {

/// Answers what an op does beyond its results, calls included (looked up once per callee).
class EffectAnalysis {
 public:
  explicit EffectAnalysis(const Module* module) : module_(module) {}
  bool has_effects(const OpView& op);

 private:
  bool function_has_effects(const std::string& name);
  const Module* module_;
  std::unordered_map<std::string, bool> callees_;
};

/// A copy of the function without ops whose results nothing uses; carries of loops and results of branches that nothing uses go
/// too. Ops with effects stay, in order. Arguments stay. Without a module every call counts as an effect.
/// `replaced`, by op: others have taken over its effects too, so that it stays only where its results are used.
std::unique_ptr<Function> eliminate_dead_code(const Function& f, const Module* module,
                                              const std::vector<bool>& replaced = {});

}  // namespace weft
