#include "transform/lane_pairs.h"

#include <algorithm>
#include <map>

#include "ops/control_flow/lane_cost.h"
#include "ops/families.h"
#include "ops/indexing/select_update.h"
#include "transform/lane_pair_search.h"
#include "transform/lane_regions.h"
#include "transform/loop_rewriter.h"
#include "transform/uniformity.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr size_t kNone = SIZE_MAX;

/// A body of one lane: what stands in the source's region, with values added to it.
struct OneLane {
  std::unique_ptr<Function> f;
  ValueMap map;
  std::vector<bool> varies;  // by argument
  std::vector<Value> results;

  OneLane(const Function& source, const std::string& name) : f(std::make_unique<Function>(name)), map(source) {}
  Value arg(Type t, bool differs) {
    varies.push_back(differs);
    return f->add_arg(f->body(), t);
  }
  void finish() { OpBuilder(*f, f->body()).yield(results); }
};

class LanePairs : public LoopRewriter {
 public:
  LanePairs(const Function& f, const std::function<int64_t(int64_t)>& likely) : LoopRewriter(f), likely_(likely) {
    for (LanePair& found : lane_pairs(f, [this](Value v) { return is_zero(v); })) {
      auto pair = std::make_shared<LanePair>(std::move(found));
      weigh(*pair);
      firsts_[pair->first.op] = seconds_[pair->second.op] = pair;
      if (!pair->runs_together) continue;
      for (const LaneSum& s : pair->second.sums) {
        for (OpId r : s.reductions) reductions_.insert({r, {}});
      }
    }
  }

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const auto first = firsts_.find(op), second = seconds_.find(op);
    if (first != firsts_.end() || second != seconds_.end()) {
      LanePair& pair = first != firsts_.end() ? *first->second : *second->second;
      if (!pair.runs_together) copy_op(op, region), note_lanes(to(), to().ops(region).back(), pair.note);
      else if (first != firsts_.end()) write_first(pair, region);
      else write_second(pair, region);
      return true;
    }
    if (const auto it = reductions_.find(op); it != reductions_.end()) {
      const Function& f = from();
      OpBuilder b(to(), region);
      b.loc = f.loc(op);
      const Value start = f.operand(op, 1), total = it->second;
      const Value out =
          is_zero(start) ? total : b.add(b.broadcast_scalar(map().at(start), b.type(total).shape()), total);
      map().set(f.result(op), out);
      return true;
    }
    return false;
  }

 private:
  // ---- the loops' parts

  RegionId body(const LaneLoop& l) const { return from().regions(l.op)[1]; }
  Value before(const LaneLoop& l, size_t i) const { return from().args(body(l))[i]; }
  Value after(const LaneLoop& l, size_t i) const { return from().operand(from().terminator(body(l)), i); }
  /// Handed on as it is.
  bool stays(const LaneLoop& l, size_t i) const { return i >= l.carries || after(l, i) == before(l, i); }

  // ---- bodies of one lane

  /// Arguments for what the region takes, stacks and sums excepted; `by_lane` says of each carry and extra whether it differs.
  void add_args(OneLane& one, const LaneLoop& l, RegionId region, const std::vector<bool>& by_lane) const {
    const auto args = from().args(region);
    for (size_t i = 0; i < args.size(); ++i) {
      if (!l.is_stack(i) && !l.is_sum(i)) one.map.set(args[i], one.arg(from().type(args[i]), by_lane[i]));
    }
  }

  OneLane condition(const LaneLoop& l, const std::vector<bool>& by_lane) const {
    OneLane one(from(), "condition");
    const RegionId cond = from().regions(l.op)[0];
    add_args(one, l, cond, by_lane);
    one.results = clone_ops(from(), cond, *one.f, one.f->body(), one.map);
    one.finish();
    return one;
  }

  /// The body; where `is_masked`, with an argument more that says whether the lane runs, which keeps its carries if not. Results: carries
  /// that change, then `more`; of sums the parts of their terms.
  OneLane one_body(const LaneLoop& l, const std::vector<bool>& by_lane, const std::vector<bool>& popped_by_lane,
                   bool is_masked) const {
    const Function& f = from();
    OneLane one(f, "body");
    add_args(one, l, body(l), by_lane);
    const bool pops = f.def(l.stacks[0].access).mnemonic == "weft.stack_pop";
    for (size_t k = 0; pops && k < l.stacks.size(); ++k) {
      const Value popped = f.result(l.stacks[k].access, 1);
      one.map.set(popped, one.arg(f.type(popped), popped_by_lane[k]));
    }
    const Value active = is_masked ? one.arg(Type::scalar(ElementType::kI1), true) : Value{};
    OpBuilder b(*one.f, one.f->body());
    b.loc = f.loc(l.op);
    const auto masked = [&](Value now, Value old) {
      return b.select(b.broadcast_scalar(active, b.type(now).shape()), now, old);
    };
    // Updates of a carry on its way to the next trip write only in lanes that run.
    std::vector<OpId> updates;
    std::vector<bool> is_updated(l.carries);
    for (size_t i = 0; i < l.carries && is_masked; ++i) {
      if (l.is_stack(i) || l.is_sum(i) || stays(l, i) || !by_lane[i]) continue;
      if (const auto chain = updates_between(l, i); !chain.empty()) {
        updates.insert(updates.end(), chain.begin(), chain.end());
        is_updated[i] = true;
      }
    }
    std::vector<OpId> skipped;
    for (const StackUse& s : l.stacks) skipped.push_back(s.access);
    for (const LaneSum& s : l.sums) {
      skipped.insert(skipped.end(), s.adds.begin(), s.adds.end());
      for (Value term : s.terms) {
        if (parts_of(term).size() == 2 && uses(term) == 1) skipped.push_back(f.defining_op(term));
      }
    }
    for (OpId op : f.ops(body(l))) {
      if (f.def(op).is_terminator || std::ranges::find(skipped, op) != skipped.end()) continue;
      const OpId copy = clone_op(f, op, *one.f, one.f->body(), one.map);
      if (std::ranges::find(updates, op) == updates.end()) continue;
      Value chosen = masked_update(b, {*one.f, copy}, active);
      if (!chosen) chosen = masked(one.f->result(copy), one.f->operand(copy, 0));
      one.map.set(f.result(op), chosen);
    }
    for (size_t i = 0; i < l.carries; ++i) {
      if (l.is_stack(i) || l.is_sum(i) || stays(l, i)) continue;
      const Value next = one.map.at(after(l, i));
      const bool selects = is_masked && by_lane[i] && !is_updated[i];
      one.results.push_back(selects ? masked(next, one.map.at(before(l, i))) : next);
    }
    if (!pops) {
      for (const StackUse& s : l.stacks) one.results.push_back(one.map.at(f.operand(s.access, 1)));
    }
    for (const LaneSum& s : l.sums) {
      for (Value term : s.terms) {
        for (Value part : parts_of(term)) one.results.push_back(one.map.at(part));
      }
    }
    return one;
  }

  /// A term that is a product is summed over lanes by contracting them.
  std::vector<Value> parts_of(Value term) const {
    const OpId op = from().defining_op(term);
    if (op && from().def(op).mnemonic == "stablehlo.dot_general" &&
        from().type(from().operand(op, 0)).element_type() == from().type(term).element_type() &&
        from().type(from().operand(op, 1)).element_type() == from().type(term).element_type() &&
        !from().attrs(op).has("lhs_precision_type"))
      return {from().operand(op, 0), from().operand(op, 1)};
    return {term};
  }

  /// The updates of parts that alone lead from a carry to its next value, last first.
  std::vector<OpId> updates_between(const LaneLoop& l, size_t i) const {
    const Function& f = from();
    std::vector<OpId> out;
    for (Value v = after(l, i); v != before(l, i);) {
      const OpId op = f.defining_op(v);
      if (!op || f.parent(op) != body(l)) return {};
      const std::string_view name = f.def(op).mnemonic;
      if (name != "stablehlo.dynamic_update_slice" && (name != "stablehlo.scatter" || f.num_results(op) != 1))
        return {};
      out.push_back(op);
      v = f.operand(op, 0);
    }
    return out;
  }

  static Uniformity uniformity_of(const OneLane& one) {
    Uniformity u(*one.f, [](const std::string&, const std::vector<bool>&) { return std::vector<bool>{}; });
    u.run(one.varies);
    return u;
  }
  static std::vector<bool> results_vary(const OneLane& one) { return uniformity_of(one).results(); }

  /// Carries and extras that differ between lanes that run. All have run equally often in the first loop; in the second they
  /// joined apart.
  std::vector<bool> differing(const LaneLoop& l, bool starts_together) const {
    std::vector<bool> by_lane;
    for (size_t i = 0; i < l.varies.size(); ++i)
      by_lane.push_back(l.varies[i] != 0 || (!starts_together && !stays(l, i)));
    for (bool changed = starts_together; changed;) {
      changed = false;
      OneLane one = one_body(l, by_lane, {}, false);
      one.finish();
      const std::vector<bool> varies = results_vary(one);
      size_t next = 0;
      for (size_t i = 0; i < l.carries; ++i) {
        if (l.is_stack(i) || l.is_sum(i) || stays(l, i)) continue;
        if (varies[next++] && !by_lane[i]) by_lane[i] = changed = true;
      }
    }
    return by_lane;
  }
  std::vector<bool> pushed_differ(const LaneLoop& l, const std::vector<bool>& by_lane) const {
    OneLane one = one_body(l, by_lane, {}, false);
    one.finish();
    const std::vector<bool> varies = results_vary(one);
    return {varies.end() - static_cast<std::ptrdiff_t>(l.stacks.size()), varies.end()};
  }

  // ---- whether it pays

  void weigh(LanePair& pair) const {
    const int64_t all = num_elements(pair.first.axes), lanes = likely_ ? likely_(all) : all;
    std::vector<OneLane> bodies;
    std::vector<Uniformity> uniformities;
    std::vector<LaneCode> codes;
    double bytes = 0;
    std::vector<OpId> sums;
    for (const LaneLoop* l : {&pair.first, &pair.second}) {
      const bool is_first = l == &pair.first;
      bodies.push_back(one_body(*l, differing(*l, is_first), std::vector<bool>(l->stacks.size(), true), false));
      bodies.back().finish();
      for (const LaneSum& s : l->sums) {
        for (Value term : s.terms) {
          if (parts_of(term).size() == 2) sums.push_back(from().defining_op(term));
        }
      }
      for (size_t i = 0; i < l->carries; ++i) {
        const Type t = from().type(before(*l, i));
        // Of what is updated in place only the part is chosen.
        if (!l->is_sum(i) && !l->is_stack(i) && !stays(*l, i) && updates_between(*l, i).empty()) bytes += bytes_of(t);
      }
    }
    uniformities.reserve(bodies.size());
    for (OneLane& one : bodies) {
      uniformities.push_back(uniformity_of(one));
      const Uniformity& u = uniformities.back();
      codes.push_back({*one.f, one.f->body(), [&u](Value v) { return u.varies(v); }, {}, pair.source.size()});
    }
    codes.push_back({from(), from().regions(pair.second.op)[0], [](Value) { return true; }, sums});
    const LaneCost cost = cheapest_way(lanes, lane_work(codes, lanes), 0, {}, bytes);
    pair.runs_together = cost.way == LaneWay::kTogether;
    pair.note = cost.str(lanes);
  }

  // ---- the new loops

  const Function& over_lanes(OneLane& one, int64_t lanes) {
    one.finish();
    const std::string name = one.f->name();
    modules_.push_back(std::make_unique<Module>());
    Module& module = *modules_.back();
    std::vector<int64_t> axes;
    for (bool v : one.varies) axes.push_back(v ? 0 : kUniform);
    module.add(std::move(one.f));
    return vectorize(module, name, axes, lanes, {.name = name + "_lanes", .broadcast_results = false});
  }
  static Value spread(OpBuilder& b, Value v, int64_t lanes) {
    std::vector<int64_t> shape = {lanes}, dims;
    const Type t = b.type(v);
    for (int64_t d = 0; d < t.rank(); ++d) {
      shape.push_back(t.dim(d));
      dims.push_back(d + 1);
    }
    return b.broadcast_in_dim(v, dims, shape);
  }

  /// An operand as the new loop has it: its lane axes are one.
  Value given(OpBuilder& b, const LaneLoop& l, size_t i, bool by_lane) {
    const Value v = map().at(from().operand(l.op, i));
    const int64_t lanes = num_elements(l.axes);
    if (l.varies[i] == 0) return by_lane ? spread(b, v, lanes) : v;
    const Type t = from().type(before(l, i));
    std::vector<int64_t> shape = {lanes};
    shape.insert(shape.end(), t.shape().begin(), t.shape().end());
    return b.reshape(v, shape);
  }
  /// What users of a result read, from its value with one axis of lanes.
  void set_result(OpBuilder& b, const LaneLoop& l, size_t i, Value v) {
    const Value result = from().result(l.op, i);
    map().set(result, b.reshape(v, from().type(result).shape()));
  }

  /// Values of a loop that all lanes run: carries, then what stays.
  struct Operands {
    std::vector<Value> carries, fixed;
    std::vector<size_t> carry_of, fixed_of;  // position by the source's operand; kNone
  };
  Operands operands_of(OpBuilder& b, const LaneLoop& l, const std::vector<bool>& by_lane) {
    Operands out;
    out.carry_of.assign(l.varies.size(), kNone);
    out.fixed_of.assign(l.varies.size(), kNone);
    for (size_t i = 0; i < l.varies.size(); ++i) {
      if (l.is_stack(i) || l.is_sum(i)) continue;
      auto& list = stays(l, i) ? out.fixed : out.carries;
      (stays(l, i) ? out.fixed_of : out.carry_of)[i] = list.size();
      list.push_back(given(b, l, i, by_lane[i]));
    }
    return out;
  }
  /// Arguments of the functions made of l's regions.
  static std::vector<Value> arguments(const Operands& all, std::span<const Value> carries) {
    std::vector<Value> out;
    for (size_t i = 0; i < all.carry_of.size(); ++i) {
      if (all.carry_of[i] != kNone) out.push_back(carries[all.carry_of[i]]);
      if (all.fixed_of[i] != kNone) out.push_back(all.fixed[all.fixed_of[i]]);
    }
    return out;
  }
  /// Results that stay are the operands.
  void set_fixed(OpBuilder& b, const LaneLoop& l, const Operands& all, const std::vector<bool>& by_lane) {
    for (size_t i = 0; i < l.carries; ++i) {
      if (all.fixed_of[i] == kNone || uses(from().result(l.op, i)) == 0) continue;
      const Value v = all.fixed[all.fixed_of[i]];
      set_result(b, l, i, by_lane[i] ? v : spread(b, v, num_elements(l.axes)));
    }
  }
  static std::vector<Type> types_of(const OpBuilder& b, std::span<const Value> values) {
    std::vector<Type> types;
    for (Value v : values) types.push_back(b.type(v));
    return types;
  }

  void write_first(LanePair& pair, RegionId region) {
    const LaneLoop& l = pair.first;
    const int64_t lanes = num_elements(l.axes);
    OpBuilder b(to(), region);
    b.loc = from().loc(l.op);
    const std::vector<bool> by_lane = differing(l, true), pushed = pushed_differ(l, by_lane);
    const Operands all = operands_of(b, l, by_lane);
    // Carries that are the same in all lanes that run, but differ once lanes have left: those who ask get what each left with.
    std::vector<size_t> left_with;
    for (size_t i = 0; i < l.carries; ++i) {
      if (all.carry_of[i] != kNone && !by_lane[i] && (uses(from().result(l.op, i)) != 0 || i == pair.counter))
        left_with.push_back(i);
    }
    OneLane cond_one = condition(l, by_lane), body_one = one_body(l, by_lane, {}, true);
    const Function &cond = over_lanes(cond_one, lanes), &next = over_lanes(body_one, lanes);
    const size_t carries = all.carries.size(), stacks = carries + 1, kept = stacks + l.stacks.size();
    const auto goes_on = [&](OpBuilder& c, std::span<const Value> values) {
      const Value v = inlined(cond, c, arguments(all, values))[0];
      return c.type(v).rank() == 0 ? spread(c, v, lanes) : v;
    };
    // State: carries, which lanes run, stacks, what lanes left with.
    std::vector<Value> state = all.carries;
    state.push_back(goes_on(b, state));
    for (size_t k = 0; k < l.stacks.size(); ++k) {
      const Type one = from().type(from().operand(l.stacks[k].access, 1));
      state.push_back(b.make("weft.stack_new", {}, {}, Type::stack(pushed[k] ? with_lanes(one, lanes) : one)));
    }
    for (size_t i : left_with) state.push_back(spread(b, all.carries[all.carry_of[i]], lanes));
    const std::vector<Type> types = types_of(b, state);
    const int64_t lane_axis[] = {0};
    const RegionId regions[] = {
        b.make_region(types,
                      [&](OpBuilder& c, std::span<const Value> s) {
                        return std::vector<Value>{c.reduce(s[carries], lane_axis, "stablehlo.or")};
                      }),
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> s) {
          std::vector<Value> args = arguments(all, s.first(carries));
          args.push_back(s[carries]);
          const std::vector<Value> made = inlined(next, c, args);
          std::vector<Value> out(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carries));
          for (size_t i = 0; i < l.carries; ++i) {
            if (all.carry_of[i] == kNone || !by_lane[i]) continue;
            Value& v = out[all.carry_of[i]];
            if (c.type(v) != types[all.carry_of[i]]) v = spread(c, v, lanes);
          }
          out.push_back(c.logical_and(s[carries], goes_on(c, out)));
          for (size_t k = 0; k < l.stacks.size(); ++k)
            out.push_back(c.make("weft.stack_push", {s[stacks + k], made[carries + k]}));
          for (size_t k = 0; k < left_with.size(); ++k) {
            const Value now = spread(c, out[all.carry_of[left_with[k]]], lanes);
            out.push_back(c.select(c.broadcast_in_dim(s[carries], lane_axis, c.type(now).shape()), now, s[kept + k]));
          }
          return out;
        })};
    const std::vector<Value> end = b.create("stablehlo.while", state, {{kLanesNote, pair.note}}, types, regions);
    for (size_t i = 0; i < l.carries; ++i) {
      if (all.carry_of[i] != kNone && by_lane[i]) set_result(b, l, i, end[all.carry_of[i]]);
    }
    for (size_t k = 0; k < left_with.size(); ++k) {
      set_result(b, l, left_with[k], end[kept + k]);
      if (left_with[k] == pair.counter) pair.counts = end[kept + k];
    }
    set_fixed(b, l, all, by_lane);
    pair.trips = end[all.carry_of[pair.counter]];
    pair.stacks.assign(end.begin() + static_cast<std::ptrdiff_t>(stacks),
                       end.begin() + static_cast<std::ptrdiff_t>(kept));
  }

  void write_second(LanePair& pair, RegionId region) {
    const LaneLoop& l = pair.second;
    const int64_t lanes = num_elements(l.axes);
    OpBuilder b(to(), region);
    b.loc = from().loc(l.op);
    const std::vector<bool> by_lane = differing(l, false);
    std::vector<bool> popped;
    for (size_t source : pair.source)
      popped.push_back(b.type(pair.stacks[source]).stacked() !=
                       from().type(from().operand(pair.first.stacks[source].access, 1)));
    const Operands all = operands_of(b, l, by_lane);
    OneLane one = one_body(l, by_lane, popped, true);
    // Parts of sums count where the lane runs.
    const std::vector<bool> varies = parts_vary(l, by_lane, popped);
    mask_parts(l, one, varies, all.carries.size());
    const Function& next = over_lanes(one, lanes);
    // State: carries, sums, stacks, trips that are left.
    const size_t carries = all.carries.size(), sums = carries, stacks = sums + l.sums.size(),
                 trips = stacks + l.stacks.size();
    std::vector<Value> state = all.carries;
    for (const LaneSum& s : l.sums) state.push_back(map().at(from().operand(l.op, s.carry)));
    for (size_t source : pair.source) state.push_back(pair.stacks[source]);
    state.push_back(pair.trips);
    const std::vector<Type> types = types_of(b, state);
    const RegionId regions[] = {
        b.make_region(types,
                      [&](OpBuilder& c, std::span<const Value> s) {
                        return std::vector<Value>{c.compare(s[trips], c.zeros(types[trips]), "GT")};
                      }),
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> s) {
          std::vector<Value> args = arguments(all, s.first(carries)), emptied;
          for (size_t k = 0; k < l.stacks.size(); ++k) {
            const std::vector<Value> top = c.create("weft.stack_pop", s.subspan(stacks + k, 1));
            emptied.push_back(top[0]);
            args.push_back(top[1]);
          }
          const Value left = c.subtract(s[trips], c.splat(types[trips], 1));
          args.push_back(c.compare(pair.counts, c.broadcast_scalar(left, c.type(pair.counts).shape()), "GT"));
          const std::vector<Value> made = inlined(next, c, args);
          std::vector<Value> out(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carries));
          for (size_t i = 0; i < carries; ++i) {
            if (c.type(out[i]) != types[i]) out[i] = spread(c, out[i], lanes);
          }
          size_t part = carries;
          for (size_t k = 0; k < l.sums.size(); ++k) {
            Value total = s[sums + k];
            for (Value term : l.sums[k].terms) total = c.add(total, sum_of(c, term, made, part));
            out.push_back(total);
          }
          out.insert(out.end(), emptied.begin(), emptied.end());
          out.push_back(left);
          return out;
        })};
    const std::vector<Value> end = b.create("stablehlo.while", state, {{kLanesNote, pair.note}}, types, regions);
    for (size_t i = 0; i < l.carries; ++i) {
      if (all.carry_of[i] != kNone) set_result(b, l, i, end[all.carry_of[i]]);
    }
    set_fixed(b, l, all, by_lane);
    for (size_t k = 0; k < l.sums.size(); ++k) {
      for (OpId r : l.sums[k].reductions) reductions_[r] = end[sums + k];
    }
  }

  /// Of each part of a term, whether it differs between lanes.
  std::vector<bool> parts_vary(const LaneLoop& l, const std::vector<bool>& by_lane,
                               const std::vector<bool>& popped) const {
    OneLane one = one_body(l, by_lane, popped, false);
    one.finish();
    const std::vector<bool> all = results_vary(one);
    size_t parts = 0;
    for (const LaneSum& s : l.sums) {
      for (Value term : s.terms) parts += parts_of(term).size();
    }
    return {all.end() - static_cast<std::ptrdiff_t>(parts), all.end()};
  }
  /// Zeros in the parts of lanes that do not run. A part that all lanes share beside one that differs stays.
  void mask_parts(const LaneLoop& l, OneLane& one, const std::vector<bool>& varies, size_t first) const {
    OpBuilder b(*one.f, one.f->body());
    const Value active = one.f->args().back();
    size_t at = 0;
    for (const LaneSum& s : l.sums) {
      for (Value term : s.terms) {
        const size_t count = parts_of(term).size();
        const bool any = varies[at] || varies[at + count - 1];
        for (size_t k = 0; k < count; ++k, ++at) {
          Value& v = one.results[first + at];
          if (varies[at] || (!any && k == 0))
            v = b.select(b.broadcast_scalar(active, b.type(v).shape()), v, b.zeros(b.type(v)));
        }
      }
    }
  }
  /// A term's sum over lanes from its masked parts at `part`, which moves on.
  Value sum_of(OpBuilder& b, Value term, const std::vector<Value>& made, size_t& part) const {
    const int64_t lane_axis[] = {0};
    const auto has_lanes = [&](size_t at, Value of) { return b.type(made[at]).rank() > from().type(of).rank(); };
    const std::vector<Value> parts = parts_of(term);
    if (parts.size() == 1) return b.reduce(made[part++], lane_axis, "stablehlo.add");
    const OpId product = from().defining_op(term);
    Attrs attrs = from().attrs(product);
    Value sides[2] = {made[part], made[part + 1]};
    const bool both = has_lanes(part, parts[0]) && has_lanes(part + 1, parts[1]);
    for (size_t side = 0; side < 2; ++side) {
      if (!has_lanes(part + side, parts[side])) continue;
      if (!both) {
        sides[side] = b.reduce(sides[side], lane_axis, "stablehlo.add");
        continue;
      }
      const std::string prefix = side == 0 ? "lhs" : "rhs";
      for (const char* kind : {"_batching_dimensions", "_contracting_dimensions"}) {
        std::vector<int64_t> dims = attrs.ints(prefix + kind);
        for (int64_t& d : dims) ++d;
        if (kind == std::string_view("_contracting_dimensions")) dims.insert(dims.begin(), 0);
        attrs.set(prefix + kind, dims);
      }
    }
    part += 2;
    return b.create("stablehlo.dot_general", sides, attrs, std::vector{from().type(term)})[0];
  }

  const std::function<int64_t(int64_t)>& likely_;
  std::map<OpId, std::shared_ptr<LanePair>> firsts_, seconds_;
  std::map<OpId, Value> reductions_;  // of sums over lanes → the sum
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace

std::unique_ptr<Function> pair_lanes(const Function& f, const std::function<int64_t(int64_t)>& likely) {
  return LanePairs(f, likely).run();
}

}  // namespace weft
