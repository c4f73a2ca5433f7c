// Ops that need all lanes to arrive at them (weft.lanes_reduce, weft.lanes_concat).
#pragma once
#include <map>
#include <optional>
#include <string>

#include "ir/function.h"

namespace weft {

/// Finds those of one level in functions of a module.
class LaneCrossings {
 public:
  LaneCrossings(const Module& module, std::string level) : module_(module), level_(std::move(level)) {}

  /// Whether an op is one, or calls a function that holds one.
  bool crosses(const OpView& op);
  /// The first of a region, or of what is called there.
  std::optional<OpView> first(const Function& f, RegionId region, bool named_only = false);

 private:
  std::optional<OpView> first_called(const OpView& op, bool named_only);
  bool is_one(const OpView& op, bool named_only) const;

  const Module& module_;
  std::string level_;
  std::map<std::pair<std::string, bool>, std::optional<OpView>> known_;  // by function
};

}  // namespace weft
