#include "transform/loop_conditions.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"
#include "transform/loop_rewriter.h"
#include "transform/same_ops.h"

namespace weft {
namespace {

class ConditionSharer : public LoopRewriter {
 public:
  explicit ConditionSharer(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "stablehlo.while") return false;
    const RegionId cond = f.regions(op)[0];
    if (std::ranges::none_of(f.ops(cond), [&](OpId inner) { return is_sum(inner); })) return false;
    const Shared shared = find_shared(op);
    if (shared.values.empty()) return false;
    write(op, region, shared);
    return true;
  }

 private:
  struct Shared {
    std::vector<Value> values;       // of the condition
    std::vector<Value> twins;        // the same in the body
    std::unordered_set<OpId> slice;  // ops of the condition that compute them
  };

  /// Whether results depend on an order of additions that no rule fixes.
  bool is_sum(OpId op) const {
    const std::string_view m = from().def(op).mnemonic;
    if (m != "stablehlo.reduce" && m != "stablehlo.dot_general" && m != "stablehlo.convolution" &&
        m != "stablehlo.reduce_window")
      return false;
    const Type t = from().type(from().result(op));
    return t.is_tensor() && (is_float(t.element_type()) || is_complex(t.element_type()));
  }
  bool is_pure(OpId op) const {
    const OpView v{from(), op};
    if (callee(v) != nullptr || v.def().is_terminator) return false;
    const Effects effects = record(v).effects;
    return effects == Effects::kPure || (effects == Effects::kRegions && is_sum(op));
  }

  Shared find_shared(OpId op) const {
    const Function& f = from();
    const RegionId cond = f.regions(op)[0], body = f.regions(op)[1];
    ValuePairs twin;  // value of the condition → of the body
    for (size_t i = 0; i < f.args(cond).size(); ++i) twin[f.args(cond)[i]] = f.args(body)[i];
    std::unordered_multimap<std::string_view, OpId> candidates;
    for (OpId y : f.ops(body)) {
      if (is_pure(y)) candidates.emplace(f.def(y).mnemonic, y);
    }
    std::unordered_set<OpId> twinned;
    std::unordered_set<Value> of_sums;
    for (OpId x : f.ops(cond)) {
      if (!is_pure(x)) continue;
      const auto [first, last] = candidates.equal_range(f.def(x).mnemonic);
      const auto found = std::find_if(first, last, [&](const auto& y) { return is_same_op(f, x, y.second, twin); });
      if (found == last) continue;
      twinned.insert(x);
      const bool has_sum =
          is_sum(x) || std::ranges::any_of(f.operands(x), [&](Value v) { return of_sums.contains(v); });
      for (size_t i = 0; i < f.num_results(x); ++i) {
        twin[f.result(x, i)] = f.result(found->second, i);
        if (has_sum) of_sums.insert(f.result(x, i));
      }
    }
    Shared out;
    std::unordered_set<Value> seen;
    const auto need = [&](Value v) {
      if (!of_sums.contains(v) || !seen.insert(v).second) return;
      out.values.push_back(v);
      out.twins.push_back(twin.at(v));
    };
    for (OpId x : f.ops(cond)) {
      if (twinned.contains(x)) continue;
      for (Value v : f.operands(x)) need(v);
      for (RegionId inner : f.regions(x)) {
        for (Value v : captures(f, inner)) need(v);
      }
    }
    // What computes them, backwards.
    std::vector<Value> open = out.values;
    while (!open.empty()) {
      const OpId made = f.defining_op(open.back());
      open.pop_back();
      if (!made || f.parent(made) != cond || !out.slice.insert(made).second) continue;
      for (Value v : f.operands(made)) open.push_back(v);
      for (RegionId inner : f.regions(made)) {
        for (Value v : captures(f, inner)) open.push_back(v);
      }
    }
    return out;
  }

  /// The shared values for carries of these values, computed in `region` of the copy.
  std::vector<Value> compute(const Shared& shared, RegionId cond, std::span<const Value> carries, RegionId region) {
    const Function& f = from();
    for (size_t i = 0; i < carries.size(); ++i) map().set(f.args(cond)[i], carries[i]);
    for (OpId op : f.ops(cond)) {
      if (shared.slice.contains(op)) copy_op(op, region);
    }
    std::vector<Value> out;
    for (Value v : shared.values) out.push_back(map().at(v));
    return out;
  }

  std::vector<Value> mapped(std::span<const Value> values) {
    std::vector<Value> out;
    for (Value v : values) out.push_back(map().at(v));
    return out;
  }

  void write(OpId op, RegionId region, const Shared& shared) {
    const Function& f = from();
    const RegionId regions[] = {f.regions(op)[0], f.regions(op)[1]};
    std::vector<Value> operands = mapped(f.operands(op));
    const std::vector<Value> before = compute(shared, regions[0], operands, region);
    operands.insert(operands.end(), before.begin(), before.end());
    std::vector<Type> types;
    for (Value v : operands) types.push_back(to().type(v));
    RegionId copies[2];
    for (size_t r = 0; r < 2; ++r) {
      const std::vector<Value>& known = r == 0 ? shared.values : shared.twins;
      copies[r] = to().new_region();
      for (Value v : f.args(regions[r])) map().set(v, to().add_arg(copies[r], f.type(v)));
      std::vector<Value> carried;
      for (Value v : known) carried.push_back(to().add_arg(copies[r], f.type(v)));
      for (OpId inner : f.ops(regions[r])) {
        if (f.def(inner).is_terminator) break;
        if (!rewrite(inner, copies[r])) copy_op(inner, copies[r]);
        for (size_t k = 0; k < known.size(); ++k) {
          if (f.defining_op(known[k]) == inner) map().set(known[k], carried[k]);
        }
      }
      const OpId end = f.terminator(regions[r]);
      std::vector<Value> results = mapped(f.operands(end));
      if (r == 1) {
        const std::vector<Value> next = compute(shared, regions[0], results, copies[r]);
        results.insert(results.end(), next.begin(), next.end());
      }
      to().append(copies[r], f.def(end), results, f.shared_attrs(end), {}, {}, f.loc(end));
    }
    const OpId made = to().append(region, f.def(op), operands, f.shared_attrs(op), types, copies, f.loc(op));
    for (size_t i = 0; i < f.num_results(op); ++i) map().set(f.result(op, i), to().result(made, i));
  }
};

}  // namespace

std::unique_ptr<Function> share_conditions(const Function& f) { return ConditionSharer(f).run(); }

}  // namespace weft
