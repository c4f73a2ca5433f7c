#include "transform/dead_code.h"

#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"
#include "ops/record.h"

namespace weft {

using Kind = RegionFlow::Kind;

bool EffectAnalysis::function_has_effects(const std::string& name) {
  // While a recursive function is looked at, its own calls count as pure: the rest of it decides.
  const auto [it, is_new] = callees_.emplace(name, false);
  if (!is_new) return it->second;
  const Function* f = module_ == nullptr ? nullptr : module_->find(name);
  bool any = f == nullptr || f->is_declaration();
  // One that has no body yet is a derivative being written, whose effects are those of other calls.
  if (f != nullptr && f->terminator(f->body())) {
    for (OpId op : f->ops(f->body())) any = any || has_effects(OpView{*f, op});
  }
  return callees_[name] = any;
}

bool EffectAnalysis::has_effects(const OpView& op) {
  switch (record(op).effects) {
    case Effects::kPure: return false;
    case Effects::kCheck:
    case Effects::kIo: return true;
    case Effects::kRegions: break;
  }
  if (const std::string* name = callee(op)) return function_has_effects(*name);
  for (RegionId r : op.regions()) {
    for (OpId inner : op.function.ops(r)) {
      if (!op.function.def(inner).is_terminator && has_effects(OpView{op.function, inner})) return true;
    }
  }
  return false;
}

namespace {

class DeadCode {
 public:
  DeadCode(const Function& f, const Module* module, const std::vector<bool>& replaced)
      : f_(f), effects_(module), replaced_(replaced), live_values_(f.num_values()), live_ops_(f.num_ops()), map_(f) {}

  std::unique_ptr<Function> run() {
    mark_effects(f_.body());
    for (Value v : f_.operands(f_.terminator(f_.body()))) mark(v);
    while (!work_.empty()) {
      const Value v = work_.back();
      work_.pop_back();
      visit(v);
    }
    to_ = std::make_unique<Function>(f_.name());
    copy_signature(f_, *to_);
    for (Value v : f_.args()) map_.set(v, to_->add_arg(to_->body(), f_.type(v)));
    copy_ops(f_.body(), to_->body());
    clone_op(f_, f_.terminator(f_.body()), *to_, to_->body(), map_);
    return std::move(to_);
  }

 private:
  void mark(Value v) {
    if (live_values_[v.index]) return;
    live_values_[v.index] = true;
    work_.push_back(v);
  }

  void visit(Value v) {
    const OpId op = f_.defining_op(v) ? f_.defining_op(v) : f_.owner(f_.region(v));
    if (!op) return;
    mark_op(op);
    const OpView view{f_, op};
    const RegionFlow flow = region_flow(view);
    const size_t i = f_.position(v);
    if (flow.kind == Kind::kLoop) {
      mark(view.operand(i));
      for (RegionId r : view.regions()) mark(f_.args(r)[i]);
      if (i < flow.carries) mark(f_.operand(f_.terminator(view.region(1)), i));
    } else if (flow.kind == Kind::kBranches) {
      for (RegionId r : view.regions()) mark(f_.operand(f_.terminator(r), i));
    }
  }

  void mark_op(OpId op) {
    if (live_ops_[op.index]) return;
    live_ops_[op.index] = true;
    if (const OpId owner = f_.owner(f_.parent(op))) mark_op(owner);
    const OpView view{f_, op};
    const RegionFlow flow = region_flow(view);
    if (is_replaced(op) && flow.kind != Kind::kNone) {
      for (RegionId r : view.regions()) mark_effects(r);
    }
    if (flow.kind == Kind::kLoop) {
      for (Value v : f_.operands(f_.terminator(view.region(0)))) mark(v);
      return;
    }
    for (Value v : view.operands()) mark(v);
    if (flow.kind == Kind::kNone) {
      // A body that is like an attribute: all that it returns is used. One of an unknown op may lack a terminator.
      for (RegionId r : view.regions()) {
        const OpId last = f_.terminator(r);
        if (!last) mark_all(r);
        if (last) {
          for (Value v : f_.operands(last)) mark(v);
        }
        mark_effects(r);
      }
    }
  }

  void mark_all(RegionId region) {
    for (OpId op : f_.ops(region)) mark_op(op);
  }

  bool is_replaced(OpId op) const { return op.index < replaced_.size() && replaced_[op.index]; }

  void mark_effects(RegionId region) {
    for (OpId op : f_.ops(region)) {
      if (f_.def(op).is_terminator || is_replaced(op)) continue;
      const bool flows = region_flow(OpView{f_, op}).kind != Kind::kNone;
      if (flows) {
        for (RegionId r : f_.regions(op)) mark_effects(r);
      } else if (effects_.has_effects(OpView{f_, op})) {
        mark_op(op);
      }
    }
  }

  void copy_ops(RegionId from, RegionId to) {
    for (OpId op : f_.ops(from)) {
      if (f_.def(op).is_terminator || !live_ops_[op.index]) continue;
      const OpView view{f_, op};
      const RegionFlow flow = region_flow(view);
      if (flow.kind != Kind::kNone) {
        copy_flow(view, flow, to);
      } else if (view.regions().empty()) {
        clone_op(f_, op, *to_, to, map_);
      } else {
        copy_with_bodies(view, to);
      }
    }
  }

  void copy_with_bodies(const OpView& op, RegionId to) {
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map_.at(v));
    std::vector<RegionId> regions;
    for (RegionId source : op.regions()) {
      regions.push_back(to_->new_region());
      for (Value v : f_.args(source)) map_.set(v, to_->add_arg(regions.back(), f_.type(v)));
      copy_ops(source, regions.back());
      if (const OpId last = f_.terminator(source)) clone_op(f_, last, *to_, regions.back(), map_);
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId copy = to_->append(to, op.def(), operands, f_.shared_attrs(op.id), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_->result(copy, i));
  }

  void copy_flow(const OpView& op, const RegionFlow& flow, RegionId to) {
    const bool loop = flow.kind == Kind::kLoop;
    std::vector<bool> keep_result, keep_operand(op.num_operands(), true);
    for (size_t i = 0; i < op.num_results(); ++i) {
      keep_result.push_back(live_values_[(loop ? f_.args(op.region(1))[i] : op.result(i)).index]);
    }
    for (size_t i = 0; loop && i < op.num_operands(); ++i) {
      keep_operand[i] = i < flow.carries ? keep_result[i] : live_values_[f_.args(op.region(1))[i].index];
    }
    std::vector<Value> operands;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      if (keep_operand[i]) operands.push_back(map_.at(op.operand(i)));
    }
    std::vector<RegionId> regions;
    for (size_t k = 0; k < op.regions().size(); ++k) {
      const RegionId source = op.region(k);
      const RegionId copy = to_->new_region();
      regions.push_back(copy);
      for (size_t i = 0; i < f_.args(source).size(); ++i) {
        if (keep_operand[i]) map_.set(f_.args(source)[i], to_->add_arg(copy, f_.type(f_.args(source)[i])));
      }
      copy_ops(source, copy);
      const OpId last = f_.terminator(source);
      std::vector<Value> yielded;
      for (size_t i = 0; i < f_.operands(last).size(); ++i) {
        if ((loop && k == 0) || keep_result[i]) yielded.push_back(map_.at(f_.operand(last, i)));
      }
      to_->append(copy, f_.def(last), yielded, f_.shared_attrs(last), {}, {}, f_.loc(last));
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (keep_result[i]) types.push_back(op.result_type(i));
    }
    const OpId copy = to_->append(to, op.def(), operands, kept_attrs(op, keep_operand), types, regions, op.loc());
    for (size_t i = 0, n = 0; i < op.num_results(); ++i) {
      if (keep_result[i]) map_.set(op.result(i), to_->result(copy, n++));
    }
  }

  const Function& f_;
  EffectAnalysis effects_;
  const std::vector<bool>& replaced_;
  std::vector<bool> live_values_, live_ops_;
  std::vector<Value> work_;
  ValueMap map_;
  std::unique_ptr<Function> to_;
};

}  // namespace

std::unique_ptr<Function> eliminate_dead_code(const Function& f, const Module* module,
                                              const std::vector<bool>& replaced) {
  return DeadCode(f, module, replaced).run();
}

}  // namespace weft
