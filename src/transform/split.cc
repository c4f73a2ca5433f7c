// Cutting the flat derivative of a region in two: what the forward op computes, what the backward op computes, and the values
// that cross between them.
#include <algorithm>
#include <unordered_set>

#include "transform/dead_code.h"
#include "transform/linearizer.h"
#include "transform/repeatable.h"

namespace weft {
namespace {

/// Values of `block` that the op reads, in its regions too.
template <class Visit>
void for_each_input(const Function& f, RegionId block, OpId op, Visit&& visit) {
  for (Value v : f.operands(op)) {
    if (f.region(v) == block) visit(v);
  }
  for (RegionId r : f.regions(op)) {
    for (Value v : captures(f, r)) {
      if (f.region(v) == block) visit(v);
    }
  }
}

double bytes_of(Type t) {
  constexpr double kUnknown = 1e12;
  return t.is_tensor() && t.is_static() ? static_cast<double>(t.num_bytes()) : kUnknown;
}

/// Cheap enough to compute twice: less than what storing and loading the result costs, or about that.
bool is_cheap(const OpView& op) {
  constexpr double kFlopsPerElement = 32;
  const OpRecord& r = record(op);
  if (r.effects != Effects::kPure || !op.regions().empty() || r.cost.refused()) return false;
  double elements = 0;
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor()) return false;
    if (t.is_static()) elements += static_cast<double>(t.num_elements());
  }
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_tensor()) return false;
  }
  return (*r.cost.rule())(op).flops <= kFlopsPerElement * elements;
}

class Split {
 public:
  Split(const Function& f, const RegionVjp& vjp) : f_(f), vjp_(vjp) {}

  std::vector<Value> run() {
    find_backward_ops();
    find_crossing();
    find_roots();
    return choose();
  }

 private:
  // Of each forward value the smallest stored values found from which cheap ops make it. Empty: nothing need be stored.
  using Roots = std::vector<Value>;
  static constexpr size_t kMaxRoots = 8;

  void find_backward_ops() {
    for (const auto& list : {vjp_.cotangents, vjp_.accumulators}) {
      for (Value v : list) {
        if (v) backward_.insert(v);
      }
    }
    for (OpId op : f_.ops(vjp_.block)) {
      bool any = false;
      for_each_input(f_, vjp_.block, op, [&](Value v) { any = any || backward_.contains(v); });
      if (!any) continue;
      for (Value v : f_.results(op)) backward_.insert(v);
    }
  }

  void need(Value v) {
    if (!v || f_.region(v) != vjp_.block) return;
    (backward_.contains(v) ? needed_backward_ : crossing_).insert(v);
  }

  void find_crossing() {
    for (Value v : vjp_.arg_cotangents) need(v);
    for (Value v : vjp_.accumulated) need(v);
    const std::span<const OpId> ops = f_.ops(vjp_.block);
    for (size_t n = ops.size(); n-- > 0;) {
      const std::vector<Value> results = f_.results(ops[n]);
      if (std::ranges::none_of(results, [&](Value v) { return needed_backward_.contains(v); })) continue;
      for_each_input(f_, vjp_.block, ops[n], [&](Value v) { need(v); });
    }
  }

  void find_roots() {
    for (Value v : f_.args(vjp_.block)) {
      if (!backward_.contains(v))
        roots_[v] = std::ranges::find(vjp_.extras, v) == vjp_.extras.end() ? Roots{v} : Roots{};
    }
    for (OpId op : f_.ops(vjp_.block)) {
      const std::vector<Value> results = f_.results(op);
      if (results.empty() || backward_.contains(results[0])) continue;
      const bool cheap = is_cheap(OpView{f_, op});
      Roots joined;
      if (cheap) {
        cheap_.insert(results.begin(), results.end());
        for_each_input(f_, vjp_.block, op, [&](Value v) {
          for (Value root : roots_.at(v)) {
            if (joined.size() <= kMaxRoots && std::ranges::find(joined, root) == joined.end()) joined.push_back(root);
          }
        });
      }
      double bytes = 0;
      for (Value root : joined) bytes += bytes_of(f_.type(root));
      for (Value v : results) {
        const bool recompute = cheap && joined.size() <= kMaxRoots && bytes <= bytes_of(f_.type(v));
        roots_[v] = recompute ? joined : Roots{v};
      }
    }
  }

  /// What is stored, without cheap values that follow from other stored ones.
  std::vector<Value> choose() {
    std::unordered_set<Value> wanted, available(vjp_.extras.begin(), vjp_.extras.end());
    for (Value v : crossing_) {
      for (Value root : roots_.at(v)) wanted.insert(root);
    }
    std::vector<Value> saved;
    for (Value v : f_.args(vjp_.block)) {
      if (!wanted.contains(v)) continue;
      saved.push_back(v);
      available.insert(v);
    }
    for (OpId op : f_.ops(vjp_.block)) {
      const std::vector<Value> results = f_.results(op);
      if (results.empty() || backward_.contains(results[0])) continue;
      bool follows = cheap_.contains(results[0]);
      if (follows) for_each_input(f_, vjp_.block, op, [&](Value v) { follows = follows && available.contains(v); });
      for (Value v : results) {
        if (!follows && wanted.contains(v)) saved.push_back(v);
        if (follows || wanted.contains(v)) available.insert(v);
      }
    }
    return saved;
  }

  const Function& f_;
  const RegionVjp& vjp_;
  std::unordered_set<Value> backward_, needed_backward_, crossing_, cheap_;
  std::unordered_map<Value, Roots> roots_;
};

}  // namespace

std::vector<Value> choose_saved_values(const Function& f, const RegionVjp& vjp) { return Split(f, vjp).run(); }

std::vector<bool> rerun_args(const Function& f, const RegionVjp& vjp, RepeatableOps& repeatable) {
  std::unordered_set<Value> needed;
  const auto need = [&](Value v) { return v && f.region(v) == vjp.block && needed.insert(v).second; };
  for (Value v : vjp.arg_cotangents) need(v);
  for (Value v : vjp.accumulated) need(v);
  const std::span<const OpId> ops = f.ops(vjp.block);
  for (bool grows = true; grows;) {
    for (size_t n = ops.size(); n-- > 0;) {
      const std::vector<Value> results = f.results(ops[n]);
      if (std::ranges::none_of(results, [&](Value v) { return needed.contains(v); })) continue;
      if (!repeatable.can_repeat(OpView{f, ops[n]})) return {};
      for_each_input(f, vjp.block, ops[n], need);
    }
    grows = false;
    for (size_t i = 0; i < vjp.results.size(); ++i)
      grows = (needed.contains(vjp.args[i]) && need(vjp.results[i])) || grows;
  }
  std::vector<bool> out;
  for (Value v : vjp.args) out.push_back(needed.contains(v));
  return out;
}

std::vector<Value> emit_wanted(Function& f, RegionId block, std::span<const Value> wanted, EffectAnalysis* effects,
                               OpBuilder& into, ValueMap& map) {
  std::unordered_set<Value> needed;
  const auto need = [&](Value v) {
    if (v && f.region(v) == block && !map.get(v)) needed.insert(v);
  };
  for (Value v : wanted) need(v);
  const std::vector<OpId> ops(f.ops(block).begin(), f.ops(block).end());
  // What depends on arguments that are not given belongs to the other half, effects included.
  std::unordered_set<Value> foreign;
  std::vector<bool> has_effects(ops.size());
  if (effects != nullptr) {
    for (Value v : f.args(block)) {
      if (!map.get(v)) foreign.insert(v);
    }
    for (size_t n = 0; n < ops.size(); ++n) {
      bool is_foreign = false;
      for_each_input(f, block, ops[n], [&](Value v) { is_foreign = is_foreign || foreign.contains(v); });
      if (is_foreign) {
        for (Value v : f.results(ops[n])) foreign.insert(v);
      }
      has_effects[n] = !is_foreign && effects->has_effects(OpView{f, ops[n]});
    }
  }
  std::vector<OpId> chosen;
  for (size_t n = ops.size(); n-- > 0;) {
    const std::vector<Value> results = f.results(ops[n]);
    const bool used = std::ranges::any_of(results, [&](Value v) { return needed.contains(v); });
    if (!used && !has_effects[n]) continue;
    chosen.push_back(ops[n]);
    for_each_input(f, block, ops[n], need);
  }
  for (Value v : f.args(block)) {
    if (needed.contains(v)) throw InternalError("the backward part of a region needs an argument that was not saved");
  }
  for (size_t n = chosen.size(); n-- > 0;) {
    // Results that are mapped already were given: the op is copied for its other results.
    std::vector<std::pair<Value, Value>> given;
    for (Value v : f.results(chosen[n])) {
      if (const Value to = map.get(v)) given.emplace_back(v, to);
    }
    clone_op(f, chosen[n], f, into.region(), map);
    for (const auto& [v, to] : given) map.set(v, to);
  }
  std::vector<Value> out;
  for (Value v : wanted) {
    const Value mapped = v ? map.get(v) : Value{};
    out.push_back(mapped ? mapped : v);
  }
  return out;
}

}  // namespace weft
