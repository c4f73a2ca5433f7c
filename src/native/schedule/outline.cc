#include "native/schedule/outline.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>

#include "native/codegen/kernel.h"
#include "native/schedule/fusion_rules.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft::native {
namespace {

class Outliner {
 public:
  explicit Outliner(const OutlinedGroup& group) : group_(group), f_(group.function) {}

  FusedKernel run() {
    FusedKernel out;
    auto kernel = std::make_shared<Function>("kernel");
    std::unordered_map<Value, Value> map;
    std::unordered_set<OpId> in_group(group_.members.begin(), group_.members.end());
    std::vector<OpId> ordered(group_.members.rbegin(), group_.members.rend());
    const auto input = [&](Value v) {
      const Value arg = kernel->add_arg(kernel->body(), f_.type(v));
      map[v] = arg;
      out.inputs.push_back(v);
      return arg;
    };
    const std::function<Value(Value)> resolve = [&](Value v) -> Value {
      const auto it = map.find(v);
      if (it != map.end()) return it->second;
      const OpId def = f_.defining_op(v);
      // Constants of one element are part of the code, wherever they stand; but an update starts from memory.
      const bool is_literal =
          def && is(view(def), "stablehlo.constant") && is_free(view(def)) && !is_updated_by(group_.roots[0], v);
      if (is_literal ||
          (def && f_.parent(def) == group_.region && !in_group.contains(def) && group_.free.contains(def))) {
        copy(def, *kernel, kernel->body(), map, resolve);
        return map.at(v);
      }
      return input(v);
    };
    for (OpId op : ordered) copy(op, *kernel, kernel->body(), map, resolve);
    std::vector<Value> results;
    for (auto root = group_.roots.rbegin(); root != group_.roots.rend(); ++root) {
      for (Value r : f_.results(*root)) {
        if (!group_.needed.contains(r) && (f_.num_results(*root) == 1 || may_omit_results(view(*root)))) continue;
        results.push_back(map.at(r));
        out.outputs.push_back(r);
        out.updates_input.push_back(static_cast<int>(codegen::updated_argument(*kernel, map.at(r))));
      }
    }
    OpBuilder(*kernel, kernel->body()).yield(results);
    out.is_pointwise = pointwise_inputs(*kernel);
    out.function = std::move(kernel);
    return out;
  }

 private:
  OpView view(OpId op) const { return {f_, op}; }

  bool is_updated_by(OpId root, Value v) const {
    const auto operands = f_.operands(root);
    return is_update(view(root)) &&
           std::ranges::find(operands.first(f_.num_results(root)), v) != operands.first(f_.num_results(root)).end();
  }

  using Resolve = std::function<Value(Value)>;

  /// Copies an op with its regions to the end of a region of the kernel.
  void copy(OpId op, Function& kernel, RegionId to, std::unordered_map<Value, Value>& map, const Resolve& resolve) {
    std::vector<Value> operands;
    for (Value v : f_.operands(op)) operands.push_back(resolve(v));
    std::vector<RegionId> regions;
    for (RegionId source : f_.regions(op)) {
      const RegionId region = kernel.new_region();
      for (Value v : f_.args(source)) map[v] = kernel.add_arg(region, f_.type(v));
      for (OpId inner : f_.ops(source)) copy(inner, kernel, region, map, resolve);
      regions.push_back(region);
    }
    std::vector<Type> types;
    for (Value v : f_.results(op)) types.push_back(f_.type(v));
    const OpId made = kernel.append(to, f_.def(op), operands, f_.shared_attrs(op), types, regions, f_.loc(op));
    for (size_t i = 0; i < types.size(); ++i) map[f_.result(op, i)] = kernel.result(made, i);
  }

  /// Inputs that reach the roots through elementwise ops of the roots' shape only.
  static std::vector<bool> pointwise_inputs(const Function& kernel) {
    std::vector<bool> out(kernel.args().size(), true);
    const OpId terminator = kernel.terminator(kernel.body());
    const Type root = kernel.type(kernel.operand(terminator, 0));
    bool all_elementwise = true;
    for (OpId op : kernel.ops(kernel.body())) {
      if (kernel.def(op).is_terminator) continue;
      const OpView v{kernel, op};
      const bool elementwise = !record(v).scalar.refused();
      for (size_t i = 0; i < v.num_operands(); ++i) {
        const Value operand = v.operand(i);
        if (kernel.defining_op(operand)) continue;
        const bool same_shape = std::ranges::equal(kernel.type(operand).shape(), root.shape());
        if (!elementwise || !same_shape) out[kernel.position(operand)] = false;
      }
      if (!elementwise && !is_free(v)) all_elementwise = false;
    }
    // Behind an op that moves elements, an elementwise read happens at another index.
    if (!all_elementwise) out.assign(out.size(), false);
    for (Value r : kernel.operands(terminator)) {
      if (!std::ranges::equal(kernel.type(r).shape(), root.shape())) out.assign(out.size(), false);
    }
    return out;
  }

  const OutlinedGroup& group_;
  const Function& f_;
};

}  // namespace

FusedKernel outline(const OutlinedGroup& group) { return Outliner(group).run(); }

}  // namespace weft::native
