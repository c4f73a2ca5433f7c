#include "transform/shared_part.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "transform/dead_code.h"
#include "transform/inline.h"
#include "transform/uniformity.h"

namespace weft {
namespace {

class Cut {
 public:
  Cut(const Function& f, const Uniformity& uniformity)
      : f_(f),
        uniformity_(uniformity),
        is_late_(f.num_values()),
        is_constant_(f.num_values()),
        is_wanted_(f.num_ops()) {
    for (Value v : f.args()) is_late_[v.index] = uniformity.varies(v);
    for (OpId op : f.ops(f.body())) place(op);
    find_crossing();
  }

  /// Values of the shared part that the rest takes.
  const std::vector<Value>& crossing() const { return crossing_; }

  std::unique_ptr<Function> shared(const Module& module, const std::string& name) const {
    auto [out, map] = begin(name);
    for (OpId op : f_.ops(f_.body())) {
      if (placed(op) != Place::kRest) clone_op(f_, op, *out, out->body(), map);
    }
    std::vector<Value> results;
    for (Value v : crossing_) results.push_back(map.at(v));
    OpBuilder(*out, out->body(), &module).yield(results);
    return eliminate_dead_code(*out, &module);
  }

  std::unique_ptr<Function> rest(const Module& module, const std::string& name) const {
    auto [out, map] = begin(name);
    for (Value v : crossing_) map.set(v, out->add_arg(out->body(), f_.type(v)));
    for (OpId op : f_.ops(f_.body())) {
      if (placed(op) == Place::kRest || is_wanted_[op.index]) clone_op(f_, op, *out, out->body(), map);
    }
    return eliminate_dead_code(*out, &module);
  }

 private:
  enum class Place : uint8_t { kShared, kRest, kBoth };
  Place placed(OpId op) const { return places_[op.index]; }

  std::pair<std::unique_ptr<Function>, ValueMap> begin(const std::string& name) const {
    auto out = std::make_unique<Function>(name);
    out->set_loc(f_.loc());
    out->set_public(false);
    ValueMap map(f_);
    for (Value v : f_.args()) map.set(v, out->add_arg(out->body(), f_.type(v)));
    return {std::move(out), std::move(map)};
  }

  static bool has_plain_types(const OpView& op) {
    for (size_t i = 0; i < op.num_operands(); ++i) {
      if (!op.operand_type(i).is_tensor()) return false;
    }
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (!op.result_type(i).is_tensor()) return false;
    }
    return true;
  }

  /// Cheaper to make twice than to keep: what is larger than what it is made of, and simple arithmetic on such that depends on no argument.
  bool is_cheap(const OpView& op) const {
    if (record(op).effects != Effects::kPure || !op.regions().empty()) return false;
    double in = 0, out = 0;
    for (size_t i = 0; i < op.num_operands(); ++i) in = std::max(in, bytes_of(op.operand_type(i)));
    for (size_t i = 0; i < op.num_results(); ++i) out += bytes_of(op.result_type(i));
    if (op.num_operands() == 0) return true;
    if (record(op).cost.refused()) return false;
    const double flops = (*record(op).cost.rule())(op).flops;
    if (out > in) return flops == 0;
    return !record(op).scalar.refused() && flops <= static_cast<double>(op.result_type().num_elements()) &&
           depends_on_nothing(op);
  }

  bool depends_on_nothing(const OpView& op) const {
    return std::ranges::all_of(op.operands(), [&](Value v) { return is_constant_[v.index]; });
  }

  void place(OpId id) {
    const OpView op{f_, id};
    if (places_.size() <= id.index) places_.resize(f_.num_ops(), Place::kRest);
    const auto is_late = [&](Value v) { return is_late_[v.index]; };
    bool late = op.def().is_terminator || uniformity_.touches_varying(id) || !has_plain_types(op) ||
                callee(op) != nullptr || std::ranges::any_of(op.operands(), is_late);
    for (RegionId r : op.regions()) late = late || std::ranges::any_of(captures(f_, r), is_late);
    places_[id.index] = late ? Place::kRest : is_cheap(op) ? Place::kBoth : Place::kShared;
    for (size_t i = 0; i < op.num_results(); ++i) {
      is_late_[op.result(i).index] = late;
      is_constant_[op.result(i).index] = placed(id) == Place::kBoth && depends_on_nothing(op);
    }
  }

  void find_crossing() {
    std::vector<bool> needed(f_.num_values());
    const auto ops = f_.ops(f_.body());
    for (size_t i = ops.size(); i-- > 0;) {
      const OpView op{f_, ops[i]};
      if (placed(op.id) == Place::kShared) continue;
      bool is_used = placed(op.id) == Place::kRest;
      for (size_t r = 0; r < op.num_results(); ++r) is_used = is_used || needed[op.result(r).index];
      if (!is_used) continue;
      is_wanted_[op.id.index] = true;
      for (Value v : op.operands()) needed[v.index] = true;
      for (RegionId r : op.regions()) {
        for (Value v : captures(f_, r)) needed[v.index] = true;
      }
    }
    for (OpId op : ops) {
      if (placed(op) != Place::kShared) continue;
      for (Value v : f_.results(op)) {
        if (needed[v.index]) crossing_.push_back(v);
      }
    }
  }

  const Function& f_;
  const Uniformity& uniformity_;
  std::vector<Place> places_;      // by op
  std::vector<bool> is_late_;      // by value: made by the rest only
  std::vector<bool> is_constant_;  // by value: made of nothing, in both parts
  std::vector<bool> is_wanted_;    // by op: the rest needs it
  std::vector<Value> crossing_;
};

}  // namespace

SharedPart cut_shared(Module& module, const std::string& name, const std::vector<bool>& varies) {
  // Derivatives of the outcome need the rules of what it calls.
  const std::unique_ptr<Function> f = inline_calls(
      module, module.get(name), [](const Function& callee, bool) { return derivative_rule(callee).exists(); });
  Uniformity uniformity(*f, [&](const std::string& called, const std::vector<bool>&) {
    return std::vector<bool>(module.get(called).result_types().size(), true);
  });
  uniformity.run(varies);
  const Cut cut(*f, uniformity);
  SharedPart out;
  for (Value v : cut.crossing()) out.values.push_back(f->type(v));
  if (!out.values.empty()) out.shared = module.add(cut.shared(module, module.unique_name(name + "_shared"))).name();
  out.rest = module.add(cut.rest(module, module.unique_name(name + "_rest"))).name();
  return out;
}

}  // namespace weft
