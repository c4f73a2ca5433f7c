// Derivatives of branches, calls and stacks. Loops: loop_linearize.cc.
#include <algorithm>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/region_flow.h"
#include "ops/tangent_space.h"

namespace weft {
namespace {

Linearized forward_case(LinearizeContext& context, const OpView& op, Value index) {
  RegionLinearizer& regions = context.regions();
  OpBuilder& b = context.primal();
  const size_t n = op.num_results();
  std::vector<RegionId> branches;
  for (RegionId source : op.regions()) {
    branches.push_back(b.make_region({}, [&](OpBuilder& c, std::span<const Value>) {
      const Linearized branch = regions.forward_region(source, c, {}, {});
      std::vector<Value> out = branch.results;
      for (size_t i = 0; i < n; ++i) {
        if (!regions.is_differentiated(op.result(i))) continue;
        out.push_back(branch.tangents[i] ? branch.tangents[i] : zero_tangent(c, op.result_type(i)));
      }
      return out;
    }));
  }
  const std::vector<Value> values = b.create(op.def(), std::span(&index, 1), op.attrs(), {}, branches);
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};
  for (size_t i = 0, at = n; i < n; ++i) {
    if (regions.is_differentiated(op.result(i))) out.tangents[i] = values[at++];
  }
  return out;
}

/// One branch on its way through the reverse derivative.
struct Branch {
  RegionVjp vjp;
  std::vector<Value> saved;
  std::vector<size_t> slots;  // where each saved value stands among the further results of the forward op
};

/// The forward op returns what the branch taken must keep, in slots shared by the branches (a branch that has no use for a slot
/// gives zeros); the backward op runs the branch that was taken once more, backwards.
Linearized reverse_case(LinearizeContext& context, const OpView& op, Value index) {
  RegionLinearizer& regions = context.regions();
  OpBuilder& b = context.primal();
  const size_t n = op.num_results();
  RegionLinearizer::VjpRequest request;
  request.captures = regions.differentiated_captures(op);
  for (size_t i = 0; i < n; ++i) request.results.push_back(regions.is_differentiated(op.result(i)));

  std::vector<Branch> branches;
  std::vector<Type> slots;
  for (RegionId source : op.regions()) {
    Branch branch{regions.vjp_region(source, request), {}, {}};
    branch.saved = regions.choose_saved(branch.vjp);
    std::vector<bool> taken(slots.size());
    for (Value v : branch.saved) {
      size_t slot = 0;
      while (slot < slots.size() && (taken[slot] || slots[slot] != b.type(v))) ++slot;
      if (slot == slots.size()) {
        slots.push_back(b.type(v));
        taken.push_back(false);
      }
      taken[slot] = true;
      branch.slots.push_back(slot);
    }
    branches.push_back(std::move(branch));
  }

  std::vector<RegionId> forward;
  for (const Branch& branch : branches) {
    forward.push_back(b.make_region({}, [&](OpBuilder& c, std::span<const Value>) {
      std::vector<Value> out = regions.emit_forward(branch.vjp, branch.saved, c, {});
      std::vector<Value> kept(slots.size());
      for (size_t k = 0; k < branch.slots.size(); ++k) kept[branch.slots[k]] = out[n + k];
      out.resize(n);
      for (size_t k = 0; k < slots.size(); ++k) out.push_back(kept[k] ? kept[k] : zero_tangent(c, slots[k]));
      return out;
    }));
  }
  const std::vector<Value> values = b.create(op.def(), std::span(&index, 1), op.attrs(), {}, forward);
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};

  std::vector<Value> inputs;
  std::vector<Type> captured_types, result_types;
  for (Value v : request.captures) {
    inputs.push_back(regions.tangent(v));
    captured_types.push_back(op.function.type(v));
  }
  for (size_t i = 0; i < n; ++i) {
    if (request.results[i]) result_types.push_back(op.result_type(i));
  }
  auto transposed = [&regions, op, index, branches = std::move(branches), values, captured_types,
                     results = request.results](OpBuilder& back, std::span<const Value> cotangents,
                                                std::span<const Value> sums) {
    std::vector<Value> given(results.size()), start(sums.begin(), sums.end());
    for (size_t i = 0, at = 0; i < results.size(); ++i) {
      if (!results[i]) continue;
      given[i] = cotangents[at] ? cotangents[at] : zero_tangent(back, op.result_type(i));
      ++at;
    }
    for (size_t k = 0; k < start.size(); ++k) {
      if (!start[k] && !captured_types[k].is_stack()) start[k] = zero_tangent(back, captured_types[k]);
    }
    std::vector<RegionId> backward;
    for (const Branch& branch : branches) {
      backward.push_back(back.make_region({}, [&](OpBuilder& c, std::span<const Value>) {
        std::vector<Value> kept;
        for (size_t slot : branch.slots) kept.push_back(values[results.size() + slot]);
        std::vector<Value> sum = regions.emit_backward(branch.vjp, branch.saved, c, kept, given, start);
        for (size_t k = 0; k < sum.size(); ++k) {
          if (!sum[k]) sum[k] = zero_tangent(c, captured_types[k]);
        }
        return sum;
      }));
    }
    return back.create(op.def(), std::span(&index, 1), op.attrs(), {}, backward);
  };
  const std::vector<Value> tangents = regions.accumulating_map(inputs, 0, result_types, transposed);
  for (size_t i = 0, at = 0; i < n; ++i) {
    if (request.results[i]) out.tangents[i] = tangents[at++];
  }
  return out;
}

}  // namespace

Linearized linearize_case(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value>) {
  return context.is_reverse() ? reverse_case(context, op, primals[0]) : forward_case(context, op, primals[0]);
}

namespace {

Linearized forward_call(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                        std::span<const Value> tangents) {
  std::vector<bool> pattern;
  std::vector<Value> operands(primals.begin(), primals.end());
  for (Value t : tangents) {
    pattern.push_back(static_cast<bool>(t));
    if (t) operands.push_back(t);
  }
  const RegionLinearizer::Callee callee = context.regions().jvp_callee(*weft::callee(op), pattern, op.loc());
  auto [def, attrs] = call_shape(op);
  attrs.set("callee", callee.name);
  const std::vector<Value> values = context.primal().create(def, operands, attrs, callee.result_types);
  const size_t n = op.num_results();
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};
  for (size_t i = 0, at = n; i < n; ++i) {
    if (callee.results[i]) out.tangents[i] = values[at++];
  }
  return out;
}

Linearized reverse_call(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                        std::span<const Value> tangents) {
  RegionLinearizer& regions = context.regions();
  const std::string& name = *weft::callee(op);
  const size_t n = op.num_results();
  std::vector<bool> args, results;
  std::vector<Type> result_types;
  for (Value t : tangents) args.push_back(static_cast<bool>(t));
  for (size_t i = 0; i < n; ++i) {
    results.push_back(regions.is_differentiated(op.result(i)));
    if (results[i]) result_types.push_back(op.result_type(i));
  }
  const auto pair = regions.vjp_callee(name, args, results);
  if (!pair) return regions.inline_callee(name, primals, tangents, op);

  CallShape shape = call_shape(op);
  Attrs& attrs = shape.attrs;
  const OpDef& def = shape.def;
  attrs.set("callee", pair->forward);
  const std::vector<Value> values = context.primal().create(def, primals, attrs, pair->forward_types);
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};
  std::vector<Value> inputs, given;
  for (size_t i : pair->plain) inputs.push_back(tangents[i]);
  for (size_t i : pair->summed) inputs.push_back(tangents[i]);
  for (size_t i : pair->used) given.push_back(primals[i]);
  given.insert(given.end(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
  attrs.set("callee", pair->backward);
  auto transposed = [op, &def, attrs, given, pair = *pair, result_types](
                        OpBuilder& b, std::span<const Value> cotangents, std::span<const Value> sums) {
    std::vector<Value> operands = given;
    for (size_t k = 0; k < cotangents.size(); ++k) {
      operands.push_back(cotangents[k] ? cotangents[k] : zero_tangent(b, result_types[k]));
    }
    for (size_t k = 0; k < pair.summed.size(); ++k) {
      const Value sum = sums[pair.plain.size() + k];
      operands.push_back(sum ? sum : zero_tangent(b, op.operand_type(pair.summed[k])));
    }
    return b.create(def, operands, attrs, pair.backward_types);
  };
  const std::vector<Value> results_tangents =
      regions.accumulating_map(inputs, pair->plain.size(), result_types, transposed);
  for (size_t i = 0, at = 0; i < n; ++i) {
    if (results[i]) out.tangents[i] = results_tangents[at++];
  }
  return out;
}

}  // namespace

Linearized linearize_call(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  return context.is_reverse() ? reverse_call(context, op, primals, tangents)
                              : forward_call(context, op, primals, tangents);
}

// A stack's tangent is a stack of tangents; push and pop are linear, and transposes of each other.

Linearized linearize_stack_push(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                std::span<const Value> tangents) {
  Value operands[2];
  for (size_t i = 0; i < 2; ++i) {
    operands[i] = tangents[i] ? tangents[i] : zero_tangent(context.primal(), op.operand_type(i));
  }
  return {context.clone_primal(op, primals), context.linear().create(op.def(), operands)};
}

Linearized linearize_stack_pop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                               std::span<const Value> tangents) {
  return {context.clone_primal(op, primals), context.linear().create(op.def(), tangents)};
}

std::vector<Value> transpose_stack_push(TransposeContext& context, const OpView&, std::span<const Value> cotangents) {
  return context.builder().create("weft.stack_pop", cotangents);
}

std::vector<Value> transpose_stack_pop(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  Value operands[2];
  for (size_t i = 0; i < 2; ++i) {
    operands[i] = cotangents[i] ? cotangents[i] : zero_tangent(context.builder(), op.result_type(i));
  }
  return context.builder().create("weft.stack_push", operands);
}

}  // namespace weft
