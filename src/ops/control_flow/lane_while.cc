// A while that each lane leaves at its own iteration.
#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Type with_lane_axes(Type t, std::span<const int64_t> lanes) {
  std::vector<int64_t> shape(lanes.begin(), lanes.end());
  shape.insert(shape.end(), t.shape().begin(), t.shape().end());
  return t.is_stack() ? Type::stack(t.stacked(), shape) : t.with_shape(shape);
}

Type without_lanes(Type t, std::span<const int64_t> lanes) {
  if (!t.is_tensor() && !t.is_stack()) return {};
  const auto shape = t.shape();
  if (shape.size() < lanes.size() || !std::equal(lanes.begin(), lanes.end(), shape.begin())) return {};
  const auto rest = shape.subspan(lanes.size());
  return t.is_stack() ? Type::stack(t.stacked(), rest) : t.with_shape(rest);
}

EvalValue lane_slice(const EvalValue& v, int64_t lanes, int64_t lane, Type type) {
  if (v.stack != nullptr) {
    auto out = std::make_shared<EvalStack>();
    out->type = type;
    const int64_t stores = static_cast<int64_t>(v.stack->lanes.size()) / lanes;
    out->lanes.assign(v.stack->lanes.begin() + lane * stores, v.stack->lanes.begin() + (lane + 1) * stores);
    return EvalValue(std::move(out));
  }
  const auto shape = type.shape();
  if (v.tensor.rank() == type.rank()) return v;  // no lane axes at all: one lane
  Tensor out(v.tensor.element_type(), Shape(shape.begin(), shape.end()));
  const size_t bytes = out.size_bytes();
  if (bytes != 0)
    std::memcpy(out.raw(), static_cast<const std::byte*>(v.tensor.raw()) + static_cast<size_t>(lane) * bytes, bytes);
  return EvalValue(std::move(out));
}

EvalValue join_lanes(std::span<const EvalValue> lanes, Type type) {
  if (type.is_stack()) {
    auto out = std::make_shared<EvalStack>();
    out->type = type;
    for (const EvalValue& lane : lanes)
      out->lanes.insert(out->lanes.end(), lane.stack->lanes.begin(), lane.stack->lanes.end());
    return EvalValue(std::move(out));
  }
  const auto shape = type.shape();
  Tensor out(type.element_type(), Shape(shape.begin(), shape.end()));
  size_t at = 0;
  for (const EvalValue& lane : lanes) {
    const size_t bytes = lane.tensor.size_bytes();
    if (bytes != 0) std::memcpy(static_cast<std::byte*>(out.raw()) + at, lane.tensor.raw(), bytes);
    at += bytes;
  }
  return EvalValue(std::move(out));
}

namespace {

struct Layout {
  std::vector<int64_t> lanes;
  size_t num_carries;
  std::vector<int64_t> varies;
  explicit Layout(const Attrs& attrs)
      : lanes(attrs.ints("lanes")),
        num_carries(static_cast<size_t>(attrs.integer("num_carries"))),
        varies(attrs.ints("varies")) {}
};

void expect_region(const TypeContext& context, const char* name, RegionId region, std::span<const Type> args,
                   std::span<const Type> results) {
  const Function& f = context.function;
  std::vector<Type> got;
  for (Value v : f.args(region)) got.push_back(f.type(v));
  if (got.size() != args.size()) {
    context.fail("", std::string("number of arguments of the ") + name + ": got " + std::to_string(got.size()) +
                         ", expected " + std::to_string(args.size()));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    context.expect_equal("", "argument " + std::to_string(i) + " of the " + name, got[i], args[i]);
  }
  const OpId last = f.terminator(region);
  if (!last) context.fail("", std::string("the ") + name + " does not end with a return");
  const auto returned = f.operands(last);
  if (returned.size() != results.size()) {
    context.fail("", std::string("number of results of the ") + name + ": got " + std::to_string(returned.size()) +
                         ", expected " + std::to_string(results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    context.expect_equal("", "result " + std::to_string(i) + " of the " + name, f.type(returned[i]), results[i]);
  }
  if (!captures(f, region).empty())
    context.fail("", std::string("the ") + name + " uses values from outside: got a capture, expected extra operands");
}

std::vector<Type> type_lane_while(const TypeContext& context) {
  const auto& attrs = context.attrs;
  const Layout layout(attrs);
  const int64_t carries = attrs.integer("num_carries");
  if (layout.lanes.empty() || std::any_of(layout.lanes.begin(), layout.lanes.end(), [](int64_t n) { return n < 0; })) {
    context.fail("", "attribute lanes: got " + format_list(layout.lanes) + ", expected one or more lane extents");
  }
  if (carries < 0 || layout.num_carries > context.operands.size()) {
    context.fail("", "attribute num_carries: got " + std::to_string(carries) + ", expected at most " +
                         std::to_string(context.operands.size()));
  }
  if (layout.varies.size() != context.operands.size()) {
    context.fail("", "attribute varies: got " + format_list(layout.varies) + ", expected " +
                         std::to_string(context.operands.size()) + " entries");
  }
  std::vector<Type> inner, results;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const Type t = context.operands[i];
    const bool varies = layout.varies[i] != 0;
    const Type unbatched = varies ? without_lanes(t, layout.lanes) : t;
    if (!unbatched || (!varies && !t.is_tensor())) {
      context.fail("", "type of operand " + std::to_string(i) + ": got " + t.str() +
                           ", expected a tensor or stack with leading lane extents " + format_list(layout.lanes));
    }
    inner.push_back(unbatched);
    if (i < layout.num_carries) results.push_back(with_lane_axes(unbatched, layout.lanes));
  }
  if (context.regions.size() != 2) {
    context.fail("", "number of regions: got " + std::to_string(context.regions.size()) + ", expected 2");
  }
  const Type i1[] = {Type::scalar(ElementType::kI1)};
  expect_region(context, "condition", context.regions[0], inner, i1);
  expect_region(context, "body", context.regions[1], inner, std::span<const Type>(inner).first(layout.num_carries));
  return results;
}

std::vector<EvalValue> eval_lane_while(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Layout layout(op.attrs());
  const int64_t lanes = num_elements(layout.lanes);
  const auto inner_args = op.function.args(op.region(1));
  std::vector<std::vector<EvalValue>> finished(layout.num_carries);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<EvalValue> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      values.push_back(layout.varies[i] ? lane_slice(operands[i], lanes, lane, op.function.type(inner_args[i]))
                                        : operands[i]);
    }
    const std::vector<EvalValue> extras(values.begin() + static_cast<std::ptrdiff_t>(layout.num_carries), values.end());
    while (context.run_region(op.region(0), std::span<const EvalValue>(values))[0].tensor.scalar<bool>()) {
      std::vector<EvalValue> next = context.run_region(op.region(1), std::move(values));
      next.insert(next.end(), extras.begin(), extras.end());
      values = std::move(next);
    }
    for (size_t i = 0; i < layout.num_carries; ++i) finished[i].push_back(std::move(values[i]));
  }
  std::vector<EvalValue> results;
  for (size_t i = 0; i < layout.num_carries; ++i) results.push_back(join_lanes(finished[i], op.result_type(i)));
  return results;
}

std::vector<Alias> alias_lane_carries(const OpView& op) {
  const Layout layout(op.attrs());
  std::vector<Alias> out;
  for (size_t i = 0; i < layout.num_carries; ++i) {
    if (layout.varies[i]) out.push_back({i, i, AliasKind::kCarry});
  }
  return out;
}

/// One trip of the body for every lane.
Cost cost_lanes(const OpView& op) {
  Cost total;
  const double lanes = static_cast<double>(num_elements(op.attrs().ints("lanes")));
  for (RegionId region : op.regions()) {
    for (OpId inner : op.function.ops(region)) {
      const OpView view{op.function, inner};
      if (record(view).cost.refused()) continue;
      const Cost cost = (*record(view).cost.rule())(view);
      total.flops += lanes * cost.flops;
      total.bytes += lanes * cost.bytes;
    }
  }
  return total;
}

/// Per lane: while x < limit, x ← x·scale + x.
std::vector<Sample> samples_lane_while() {
  const Type lanes = Type::tensor(ElementType::kF64, {3}), one = Type::scalar(ElementType::kF64);
  Sample s{"lanes leave at different trips", {{lanes, {0.5, 4}}, {one, {0.5, 1}}}, {}, true};
  s.emit = [one](OpBuilder& b, std::span<const Value> x) {
    const Type types[] = {one, one};
    const RegionId cond = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.compare(a[0], c.scalar(ElementType::kF64, 9), "LT")};
    });
    const RegionId body = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.add(c.multiply(a[0], a[1]), a[0])};
    });
    const RegionId regions[] = {cond, body};
    return b.create("weft.lane_while", x, {{"lanes", Attr::Ints{3}}, {"num_carries", 1}, {"varies", Attr::Ints{1, 0}}},
                    {}, regions);
  };
  Sample nested = s;
  nested.label = "lanes of lanes";
  nested.operands[0].type = Type::tensor(ElementType::kF64, {2, 3});
  nested.emit = [one](OpBuilder& b, std::span<const Value> x) {
    const Type types[] = {one, one};
    const RegionId cond = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.compare(a[0], c.scalar(ElementType::kF64, 9), "LT")};
    });
    const RegionId body = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.add(c.multiply(a[0], a[1]), a[0])};
    });
    const RegionId regions[] = {cond, body};
    return b.create("weft.lane_while", x,
                    {{"lanes", Attr::Ints{2, 3}}, {"num_carries", 1}, {"varies", Attr::Ints{1, 0}}}, {}, regions);
  };
  return {s, nested};
}

const OpRecord kOps[] = {
    {{"weft.lane_while"},
     {.doc = "A while over lanes that each lane leaves at its own iteration. Operands: carries, then extras (what the "
             "regions need from "
             "outside). Attributes: lanes, one or more leading lane extents; num_carries; varies, 0 or 1 for each "
             "operand: a varying "
             "operand has the lane axes in front, another has none and is the same for every lane. Regions "
             "cond(carries, extras) → i1 and "
             "body(carries, extras) → carries work on one lane, without lane axes, and capture nothing. Results: the "
             "carries, all with "
             "the lane axes. Meaning: for each lane the while on its slices; a lane that has left, or never entered, "
             "executes nothing. "
             "A stack among the operands varies: it is !weft.stack<T, [lanes…]> outside and !weft.stack<T> inside. "
             "Effects are those of "
             "the regions, lane by lane in order.",
      .syntax = Syntax::kGeneric,
      .schema = {{"lanes", AttrKind::kInts}, {"num_carries", AttrKind::kInt}, {"varies", AttrKind::kInts}},
      .type = type_lane_while,
      .eval = eval_lane_while,
      .scalar = kNotElementwise,
      .linearize = linearize_lane_while,
      .transpose = kNotOnTape,
      .vectorize = vectorize_lane_while,
      .uniformity = uniformity_any,
      .simplify = simplify_lane_while,
      .aliases = alias_lane_carries,
      .effects = Effects::kRegions,
      .cost = cost_lanes,
      .to_stablehlo = portable_lane_while,
      .samples = samples_lane_while}},
};

}  // namespace

Family lane_while_ops() { return kOps; }

}  // namespace weft
