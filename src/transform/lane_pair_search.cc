#include "transform/lane_pair_search.h"

#include <optional>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/record.h"
#include "ops/reduction/region_body.h"
#include "transform/counted_loop.h"
#include "transform/lane_regions.h"

namespace weft {
namespace {

class Search {
 public:
  Search(const Function& f, const std::function<bool(Value)>& is_zero)
      : f_(f), is_zero_(is_zero), users_(f.num_values()) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      for (Value v : f.operands(OpId{i})) users_[v.index].push_back(OpId{i});
    }
  }

  std::optional<LaneLoop> loop(OpId op, std::string_view access) const {
    if (!has_static_lanes({f_, op})) return std::nullopt;
    const Attrs& attrs = f_.attrs(op);
    LaneLoop l;
    l.op = op;
    l.carries = static_cast<size_t>(attrs.integer("num_carries"));
    l.axes = attrs.ints("lanes");
    l.varies = attrs.ints("varies");
    for (size_t i = 0; i < l.varies.size(); ++i) {
      const Type t = f_.type(before(l, i));
      if (t.is_tensor()) {
        if (!t.is_static() || t.is_quantized()) return std::nullopt;
        continue;
      }
      if (!t.is_stack() || i >= l.carries || asks_for(l, i) || uses(before(l, i)) != 1) return std::nullopt;
      const Type kept = t.stacked();
      const OpId user = users_[before(l, i).index][0];
      if (f_.parent(user) != body(l) || f_.def(user).mnemonic != access || f_.result(user, 0) != after(l, i) ||
          uses(after(l, i)) != 1 || !kept.is_tensor() || !kept.is_static() || kept.is_quantized())
        return std::nullopt;
      l.stacks.push_back({i, user});
    }
    std::vector<OpId> accesses;
    for (const StackUse& s : l.stacks) accesses.push_back(s.access);
    if (l.stacks.empty() || !is_quiet(f_, f_.regions(op)[0]) || !is_quiet(f_, body(l), accesses)) return std::nullopt;
    return l;
  }

  bool find(OpId op, LanePair& pair) const {
    auto first = loop(op, "weft.stack_push");
    if (!first || num_elements(first->axes) < 2) return false;
    OpId next;
    for (const StackUse& s : first->stacks) {
      const OpId made = f_.defining_op(f_.operand(op, s.carry));
      const Value filled = f_.result(op, s.carry);
      if (!made || f_.def(made).mnemonic != "weft.stack_new" || uses(f_.result(made)) != 1 || uses(filled) != 1)
        return false;
      const OpId user = users_[filled.index][0];
      if ((next && user != next) || f_.parent(user) != f_.parent(op) || f_.def(user).mnemonic != "weft.lane_while")
        return false;
      next = user;
    }
    auto second = loop(next, "weft.stack_pop");
    if (!second || second->axes != first->axes || second->stacks.size() != first->stacks.size()) return false;
    for (const StackUse& s : second->stacks) {
      if (uses(f_.result(next, s.carry)) != 0) return false;
      const auto from_first = std::ranges::find_if(
          first->stacks, [&](const StackUse& p) { return f_.result(op, p.carry) == f_.operand(next, s.carry); });
      if (from_first == first->stacks.end()) return false;
      pair.source.push_back(static_cast<size_t>(from_first - first->stacks.begin()));
    }
    pair.first = std::move(*first);
    pair.second = std::move(*second);
    if (!runs_as_often(pair)) return false;
    find_sums(pair.second);
    return true;
  }

  /// v = x + step, of a carry x.
  bool is_step(Value v, Value x, int64_t step) const {
    const OpId op = f_.defining_op(v);
    if (!op) return false;
    const std::string_view name = f_.def(op).mnemonic;
    if (name != "stablehlo.add" && name != "stablehlo.subtract") return false;
    const auto by = integer_constant(f_, f_.operand(op, 1));
    return f_.operand(op, 0) == x && by && (name == "stablehlo.add" ? *by : -*by) == step;
  }

  /// Whether the second loop goes on while a number of trips of the first is left.
  bool runs_as_often(LanePair& pair) const {
    const LaneLoop &first = pair.first, &second = pair.second;
    const RegionId cond = f_.regions(second.op)[0];
    const Value asked = f_.operand(f_.terminator(cond), 0);
    const OpId compare = f_.defining_op(asked);
    if (!compare || f_.def(compare).mnemonic != "stablehlo.compare" ||
        f_.attrs(compare).text("comparison_direction") != "GT" || integer_constant(f_, f_.operand(compare, 1)) != 0)
      return false;
    const auto args = f_.args(cond);
    const auto at = static_cast<size_t>(std::ranges::find(args, f_.operand(compare, 0)) - args.begin());
    if (at >= second.carries || !is_step(after(second, at), before(second, at), -1)) return false;
    const Value left = f_.operand(second.op, at);
    if (f_.defining_op(left) != first.op) return false;
    pair.counter = static_cast<size_t>(f_.position(left));
    const Value start = f_.operand(first.op, pair.counter);
    return first.varies[pair.counter] == 0 && integer_constant(f_, start) == 0 &&
           is_step(after(first, pair.counter), before(first, pair.counter), 1);
  }

  void find_sums(LaneLoop& l) const {
    std::vector<int64_t> axes;
    for (size_t d = 0; d < l.axes.size(); ++d) axes.push_back(static_cast<int64_t>(d));
    for (size_t i = 0; i < l.carries; ++i) {
      if (l.is_stack(i) || l.varies[i] != 0 || !is_zero_(f_.operand(l.op, i)) || asks_for(l, i) ||
          uses(before(l, i)) != 1 || uses(after(l, i)) != 1)
        continue;
      LaneSum sum{i, {}, {}, {}};
      Value v = after(l, i);
      while (v != before(l, i)) {
        const OpId add = f_.defining_op(v);
        if (!add || f_.parent(add) != body(l) || f_.def(add).mnemonic != "stablehlo.add" || uses(v) != 1) break;
        const bool first = leads_to(f_.operand(add, 0), before(l, i), body(l));
        sum.adds.push_back(add);
        sum.terms.push_back(f_.operand(add, first ? 1 : 0));
        v = f_.operand(add, first ? 0 : 1);
      }
      bool is_summed = v == before(l, i);
      for (OpId user : users_[f_.result(l.op, i).index]) {
        const OpView op{f_, user};
        is_summed = is_summed && op.def().mnemonic == "stablehlo.reduce" && op.num_operands() == 2 &&
                    op.operand(0) == f_.result(l.op, i) && op.attrs().ints("dimensions") == axes &&
                    classify_body(f_, op.region(0)) == BodyKind::kAdd && op.result_type() == f_.type(before(l, i));
        sum.reductions.push_back(user);
      }
      if (is_summed) l.sums.push_back(std::move(sum));
    }
  }
  /// Whether v is x with terms added.
  bool leads_to(Value v, Value x, RegionId region) const {
    if (v == x) return true;
    const OpId add = f_.defining_op(v);
    return add && f_.parent(add) == region && f_.def(add).mnemonic == "stablehlo.add" &&
           (leads_to(f_.operand(add, 0), x, region) || leads_to(f_.operand(add, 1), x, region));
  }

 private:
  RegionId body(const LaneLoop& l) const { return f_.regions(l.op)[1]; }
  Value before(const LaneLoop& l, size_t i) const { return f_.args(body(l))[i]; }
  Value after(const LaneLoop& l, size_t i) const { return f_.operand(f_.terminator(body(l)), i); }
  bool asks_for(const LaneLoop& l, size_t i) const { return uses(f_.args(f_.regions(l.op)[0])[i]) != 0; }
  /// Handed on as it is.
  bool stays(const LaneLoop& l, size_t i) const { return i >= l.carries || after(l, i) == before(l, i); }
  size_t uses(Value v) const { return users_[v.index].size(); }

  const Function& f_;
  const std::function<bool(Value)>& is_zero_;
  std::vector<std::vector<OpId>> users_;
};

}  // namespace

std::vector<LanePair> lane_pairs(const Function& f, const std::function<bool(Value)>& is_zero) {
  const Search search(f, is_zero);
  std::vector<LanePair> out;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    LanePair pair;
    if (f.def(OpId{i}).mnemonic == "weft.lane_while" && search.find(OpId{i}, pair)) out.push_back(std::move(pair));
  }
  return out;
}

}  // namespace weft
