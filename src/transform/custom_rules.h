// Calls of functions that have derivative rules of their own (ops/control_flow/derivative_rule.h).
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "ops/control_flow/derivative_rule.h"
#include "transform/linearizer.h"

namespace weft {

/// The derivative of a call by the rule of what it calls; none when that has no rule.
std::optional<Linearized> linearize_by_rule(DerivativeSession& session, Linearizer& context, const OpView& op,
                                            std::span<const Value> primals, std::span<const Value> tangents);

/// A function of f's signature that calls f, so that the derivative of f itself is by its rule; null when it has none.
std::unique_ptr<Function> call_of_ruled(const Module& module, const Function& f);

/// A function over lanes for a pattern of arguments that vary.
using OverLanes = std::function<RegionVectorizer::Callee(const std::string& name, const std::vector<bool>& args)>;
/// The rule of f over lanes where the arguments and results marked vary.
DerivativeRule rule_over_lanes(Module& module, const Function& f, const std::vector<bool>& args,
                               const std::vector<bool>& results, int64_t lanes, const OverLanes& over_lanes);

}  // namespace weft
