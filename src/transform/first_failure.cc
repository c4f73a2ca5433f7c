#include "transform/first_failure.h"

#include <algorithm>
#include <numeric>

#include "ops/record.h"
#include "transform/counted_loop.h"
#include "weft/tensor.h"

namespace weft {
namespace {

using enum ElementType;

bool is_op(const Function& f, OpId op, std::string_view name) { return f.def(op).mnemonic == name; }
bool is_control_flow(const Function& f, OpId op) {
  return is_op(f, op, "stablehlo.while") || is_op(f, op, "stablehlo.if") || is_op(f, op, "stablehlo.case") ||
         is_op(f, op, "weft.lane_while");
}

/// weft.check ops within the regions of control flow, in program order.
void add_sites(const Function& f, OpId op, std::vector<OpId>& out) {
  if (!is_control_flow(f, op)) return;
  for (RegionId region : f.regions(op)) {
    for (OpId inner : f.ops(region)) {
      if (is_op(f, inner, "weft.check")) out.push_back(inner);
      else add_sites(f, inner, out);
    }
  }
}

/// What loops carry besides their own values.
struct State {
  Value site;
  std::vector<Value> reports;

  std::vector<Value> all() const {
    std::vector<Value> out{site};
    out.insert(out.end(), reports.begin(), reports.end());
    return out;
  }
  static State from(std::span<const Value> values) { return {values[0], {values.begin() + 1, values.end()}}; }
};

class Copier {
 public:
  Copier(const Function& f, OpId op, ValueMap& map) : f_(f), map_(map) { add_sites(f, op, sites_); }

  const std::vector<OpId>& sites() const { return sites_; }

  State start(OpBuilder& b, Value earlier) const {
    State s{earlier, {}};
    for (OpId site : sites_) {
      const OpView v{f_, site};
      for (size_t i = 1; i < v.num_operands(); ++i) s.reports.push_back(b.zeros(v.operand_type(i)));
    }
    return s;
  }

  void copy_op(OpId op, OpBuilder& b, State& s) {
    b.loc = f_.loc(op);
    if (is_op(f_, op, "weft.check")) return record(op, b, s);
    if (!has_inner_checks(f_, op) && !may_not_end(f_, op)) {
      clone_op(f_, op, b.function(), b.region(), map_);
    } else if (is_op(f_, op, "stablehlo.while")) {
      copy_while(op, b, s);
    } else if (is_op(f_, op, "weft.lane_while")) {
      copy_lanes(op, b, s);
    } else {
      copy_branches(op, b, s);
    }
  }

 private:
  std::vector<Value> mapped(std::span<const Value> values) const {
    std::vector<Value> out;
    for (Value v : values) out.push_back(map_.at(v));
    return out;
  }
  static std::vector<Type> types_of(const OpBuilder& b, std::span<const Value> values) {
    std::vector<Type> out;
    for (Value v : values) out.push_back(b.type(v));
    return out;
  }
  static Value is_none(OpBuilder& b, Value site) { return b.compare(site, b.scalar(kI32, 0), "EQ"); }

  void record(OpId op, OpBuilder& b, State& s) {
    const OpView v{f_, op};
    const size_t number = static_cast<size_t>(std::ranges::find(sites_, op) - sites_.begin());
    size_t first = 0;
    for (size_t i = 0; i < number; ++i) first += OpView{f_, sites_[i]}.num_operands() - 1;
    const Value fails = b.logical_and(b.logical_not(all_hold(b, map_.at(v.operand(0)))), is_none(b, s.site));
    s.site = b.select(fails, b.scalar(kI32, static_cast<double>(number + 1)), s.site);
    for (size_t i = 1; i < v.num_operands(); ++i) {
      Value& report = s.reports[first + i - 1];
      report = b.select(fails, map_.at(v.operand(i)), report);
    }
  }

  /// The ops of a region; returns what its terminator gives.
  std::vector<Value> copy_region(RegionId region, OpBuilder& b, State& s) {
    std::vector<Value> out;
    for (OpId op : f_.ops(region)) {
      if (f_.def(op).is_terminator) out = mapped(f_.operands(op));
      else copy_op(op, b, s);
    }
    return out;
  }
  bool region_has_checks(RegionId region) const {
    return std::ranges::any_of(f_.ops(region),
                               [&](OpId op) { return is_op(f_, op, "weft.check") || has_inner_checks(f_, op); });
  }
  void map_args(RegionId region, std::span<const Value> values) {
    for (size_t i = 0; i < f_.args(region).size(); ++i) map_.set(f_.args(region)[i], values[i]);
  }

  void copy_while(OpId op, OpBuilder& b, State& s) {
    const RegionId condition = f_.regions(op)[0], body = f_.regions(op)[1];
    const size_t own = f_.operands(op).size();
    const bool checks_first = region_has_checks(condition), ends = counted_loop(f_, op).has_value();
    std::vector<Value> carries = mapped(f_.operands(op));
    const auto evaluate_condition = [&](OpBuilder& inner, std::span<const Value> values, State& state) {
      map_args(condition, values.first(own));
      return copy_region(condition, inner, state)[0];
    };
    // A condition that checks is evaluated before the loop and at the end of its body, as conditions carry nothing.
    Value goes;
    if (checks_first) goes = evaluate_condition(b, carries, s);
    const std::vector<Value> state = s.all();
    carries.insert(carries.end(), state.begin(), state.end());
    if (checks_first) carries.push_back(goes);
    const std::vector<Type> types = types_of(b, carries);
    const auto state_in = [&](std::span<const Value> x) { return State::from(x.subspan(own, state.size())); };
    const RegionId regions[] = {
        b.make_region(types,
                      [&](OpBuilder& inner, std::span<const Value> x) {
                        State here = state_in(x);
                        const Value c = checks_first ? x.back() : evaluate_condition(inner, x, here);
                        return std::vector<Value>{ends ? c : inner.logical_and(c, is_none(inner, here.site))};
                      }),
        b.make_region(types, [&](OpBuilder& inner, std::span<const Value> x) {
          State here = state_in(x);
          map_args(body, x.first(own));
          std::vector<Value> out = copy_region(body, inner, here);
          Value again;
          if (checks_first) again = evaluate_condition(inner, out, here);
          const std::vector<Value> after = here.all();
          out.insert(out.end(), after.begin(), after.end());
          if (checks_first) out.push_back(again);
          return out;
        })};
    finish(op, f_.def(op), b, carries, f_.attrs(op), types, regions, own, s);
  }

  void copy_branches(OpId op, OpBuilder& b, State& s) {
    std::vector<RegionId> regions;
    std::vector<Type> types;
    for (Value v : f_.results(op)) types.push_back(f_.type(v));
    const std::vector<Type> state_types = types_of(b, s.all());
    types.insert(types.end(), state_types.begin(), state_types.end());
    for (RegionId region : f_.regions(op)) {
      regions.push_back(b.make_region({}, [&](OpBuilder& inner, std::span<const Value>) {
        State here = s;
        std::vector<Value> out = copy_region(region, inner, here);
        const std::vector<Value> after = here.all();
        out.insert(out.end(), after.begin(), after.end());
        return out;
      }));
    }
    finish(op, f_.def(op), b, mapped(f_.operands(op)), f_.attrs(op), types, regions, f_.results(op).size(), s);
  }

  void finish(OpId op, const OpDef& def, OpBuilder& b, std::span<const Value> operands, const Attrs& attrs,
              std::span<const Type> types, std::span<const RegionId> regions, size_t own, State& s) {
    const std::vector<Value> out = b.create(def, operands, attrs, types, regions);
    for (size_t i = 0; i < own; ++i) map_.set(f_.results(op)[i], out[i]);
    s = State::from(std::span(out).subspan(own, 1 + s.reports.size()));
  }

  /// Each lane carries its own first failure; afterwards the first lane's that has one is the loop's.
  void copy_lanes(OpId op, OpBuilder& b, State& s) {
    const OpView v{f_, op};
    const std::vector<int64_t> extents = v.attrs().ints("lanes");
    const auto own = static_cast<size_t>(v.attrs().integer("num_carries"));
    const RegionId condition = v.region(0), body = v.region(1);
    if (region_has_checks(condition))
      throw Unsupported("[weft.check] in the condition of a loop over lanes: move it to the loop's body", v.loc());
    std::vector<Value> given = mapped(f_.operands(op)),
                       carries(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(own));
    std::vector<int64_t> varies = v.attrs().ints("varies");
    for (Value x : s.all()) {
      const Type t = b.type(x);
      std::vector<int64_t> shape(extents), dims(static_cast<size_t>(t.rank()));
      shape.insert(shape.end(), t.shape().begin(), t.shape().end());
      std::iota(dims.begin(), dims.end(), static_cast<int64_t>(extents.size()));
      carries.push_back(b.broadcast_in_dim(x, dims, shape));
    }
    const size_t states = 1 + s.reports.size();
    carries.insert(carries.end(), given.begin() + static_cast<std::ptrdiff_t>(own), given.end());
    varies.insert(varies.begin() + static_cast<std::ptrdiff_t>(own), states, 1);
    Attrs attrs = v.attrs();
    attrs.set("num_carries", static_cast<int64_t>(own + states));
    attrs.set("varies", varies);
    // Types of one lane.
    std::vector<Type> types;
    for (size_t i = 0; i < own; ++i) types.push_back(f_.type(f_.args(body)[i]));
    for (Value x : s.all()) types.push_back(b.type(x));
    for (size_t i = own; i < f_.args(body).size(); ++i) types.push_back(f_.type(f_.args(body)[i]));
    const auto map_all = [&](RegionId region, std::span<const Value> x) {
      for (size_t i = 0; i < f_.args(region).size(); ++i) map_.set(f_.args(region)[i], x[i < own ? i : i + states]);
    };
    const RegionId regions[] = {
        b.make_region(types,
                      [&](OpBuilder& inner, std::span<const Value> x) {
                        State here = State::from(x.subspan(own, states));
                        map_all(condition, x);
                        const Value c = copy_region(condition, inner, here)[0];
                        return std::vector<Value>{inner.logical_and(c, is_none(inner, here.site))};
                      }),
        b.make_region(types, [&](OpBuilder& inner, std::span<const Value> x) {
          State here = State::from(x.subspan(own, states));
          map_all(body, x);
          std::vector<Value> out = copy_region(body, inner, here);
          const std::vector<Value> after = here.all();
          out.insert(out.end(), after.begin(), after.end());
          return out;
        })};
    const std::vector<Value> out = b.create(v.def(), carries, attrs, {}, regions);
    for (size_t i = 0; i < own; ++i) map_.set(v.result(i), out[i]);

    const int64_t lanes = num_elements(extents);
    const int64_t row[] = {lanes}, all[] = {0};
    const Value sites = b.reshape(out[own], row);
    const Type t = b.type(sites);
    const Value none = b.splat(t, static_cast<double>(lanes));
    const Value failed = b.compare(sites, b.zeros(t), "GT");
    const Value first = b.reduce(b.select(failed, b.iota(t, 0), none), all, "stablehlo.minimum",
                                 b.scalar(kI32, static_cast<double>(lanes)));
    const Value any = b.compare(first, b.scalar(kI32, static_cast<double>(lanes)), "LT");
    const auto of_first = [&](Value over_lanes, Value before) {
      const Type one = b.type(before);
      std::vector<int64_t> flat{lanes}, sizes{1};
      flat.insert(flat.end(), one.shape().begin(), one.shape().end());
      sizes.insert(sizes.end(), one.shape().begin(), one.shape().end());
      std::vector<Value> starts(flat.size(), b.scalar(kI32, 0));
      starts[0] = first;  // beyond the end where there is none, which a slice makes the last
      const Value found = b.reshape(b.dynamic_slice(b.reshape(over_lanes, flat), starts, sizes), one.shape());
      return b.select(any, found, before);
    };
    State after{of_first(out[own], s.site), {}};
    for (size_t i = 0; i < s.reports.size(); ++i) after.reports.push_back(of_first(out[own + 1 + i], s.reports[i]));
    s = std::move(after);
  }

  const Function& f_;
  ValueMap& map_;
  std::vector<OpId> sites_;
};

}  // namespace

bool has_inner_checks(const Function& f, OpId op) {
  std::vector<OpId> sites;
  add_sites(f, op, sites);
  return !sites.empty();
}

bool may_not_end(const Function& f, OpId op) {
  if (is_op(f, op, "stablehlo.while") && !counted_loop(f, op)) return true;
  if (!is_control_flow(f, op) || is_op(f, op, "weft.lane_while")) return false;
  return std::ranges::any_of(f.regions(op), [&](RegionId region) {
    return std::ranges::any_of(f.ops(region), [&](OpId inner) { return may_not_end(f, inner); });
  });
}

Value all_hold(OpBuilder& b, Value pred) {
  std::vector<int64_t> dims(static_cast<size_t>(b.type(pred).rank()));
  std::iota(dims.begin(), dims.end(), 0);
  return dims.empty() ? pred : b.reduce(pred, dims, "stablehlo.and");
}

FirstFailure copy_with_failures(const Function& f, OpId op, OpBuilder& b, ValueMap& map, Value earlier) {
  Copier copier(f, op, map);
  State s = copier.start(b, earlier);
  copier.copy_op(op, b, s);
  return {copier.sites(), s.site, std::move(s.reports)};
}

}  // namespace weft
