// Lanes whose number is an extent that need not be known yet: what `vectorize` writes for an open number of lanes.
#include <algorithm>

#include "base/format.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_group.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/pfor_call.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/structural/extents.h"

namespace weft {

// ---- runs of lanes --------------------------------------------------------------------------------------------------

namespace {

thread_local LaneRun* current_run = nullptr;

}  // namespace

LaneRun::LaneRun(LaneGroup& group, int64_t lane, size_t pfor)
    : group_(group), outer_(current_run), lane_(lane), pfor_(pfor) {
  current_run = this;
}
LaneRun::~LaneRun() { current_run = outer_; }
LaneRun* LaneRun::current() { return current_run; }
size_t LaneRun::next_pfor() { return current_run == nullptr ? 0 : current_run->pfors_++; }

LaneRun* LaneRun::of(const OpView& op) {
  LaneRun* run = current_run;
  while (run != nullptr && !is_of_level(op, run->group_.level)) run = run->outer_;
  return run;
}

std::string LaneRun::next_place() {
  std::string place;
  for (LaneRun* run = current_run; run != this; run = run->outer_)
    place = "/" + std::to_string(run->pfor_) + "." + std::to_string(run->lane_) + place;
  return place + ":" + std::to_string(current_run->places_[&group_]++);
}

// ---- the call -------------------------------------------------------------------------------------------------------

PforCall::PforCall(const Attrs& attrs)
    : callee(attrs.text("callee")),
      varies(attrs.ints("varies")),
      level(attrs.text_or("level", "")),
      chunk(attrs.integer_or("chunk", 0)) {}

Attrs PforCall::attrs() const {
  Attrs out;
  out.set("callee", callee);
  out.set("varies", varies);
  if (!level.empty()) out.set("level", level);
  if (chunk != 0) out.set("chunk", chunk);
  return out;
}

Type one_lane(Type t) {
  const auto shape = t.shape();
  if (t.is_stack()) return Type::stack(t.stacked(), shape.subspan(1));
  std::vector<int64_t> rest(shape.begin() + 1, shape.end()), bounds = bounds_of(t);
  if (!bounds.empty()) bounds.erase(bounds.begin());
  return t.with_shape(rest).with_bounds(bounds);
}

namespace {

std::vector<Type> type_pfor(const TypeContext& c) {
  const PforCall call(c.attrs);
  if (call.varies.size() != c.operands.size()) {
    c.fail("", "attribute varies: got " + format_list(call.varies) + ", expected " + std::to_string(c.operands.size()) +
                   " entries");
  }
  if (call.chunk < 0) c.fail("", "attribute chunk: got " + std::to_string(call.chunk) + ", expected 0 (all) or more");
  std::optional<Extent> lanes;
  std::vector<Type> args;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const Type t = c.operands[i];
    args.push_back(t);
    if (call.varies[i] == 0) continue;
    if (t.is_stack() && !t.shape().empty()) {
      args.back() = one_lane(t);
      continue;
    }
    if (!t.is_tensor() || t.rank() == 0) {
      c.fail("",
             "type of operand " + std::to_string(i) + ": got " + t.str() + ", expected a tensor with lanes on axis 0");
    }
    if (lanes && !is_compatible(*lanes, extent_of(t, 0))) {
      c.fail("", "lanes of operand " + std::to_string(i) + ": got " + std::to_string(t.dim(0)) + ", expected " +
                     std::to_string(lanes->size));
    }
    lanes = lanes ? most_specific(*lanes, extent_of(t, 0)) : extent_of(t, 0);
    args.back() = one_lane(t);
  }
  if (!lanes) c.fail("", "nothing varies by lane: expected an operand that says how many lanes there are");
  const Function* f = c.module == nullptr ? nullptr : c.module->find(call.callee);
  if (f == nullptr) {
    if (c.module != nullptr) c.fail("", "there is no function @" + call.callee);
    return c.declared;
  }
  const std::vector<Type> formal = f->arg_types();
  if (formal.size() != args.size()) {
    c.fail("", "number of operands: got " + std::to_string(args.size()) + ", expected " +
                   std::to_string(formal.size()) + ", the arguments of @" + call.callee);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_compatible(args[i], formal[i]))
      c.expect_equal("", "type of operand " + std::to_string(i) + " of one lane", args[i], formal[i]);
  }
  std::vector<Type> out;
  for (const Type& t : f->result_types()) {
    out.push_back(with_lanes(t, lanes->size));
    const size_t i = out.size() - 1;
    if (i < c.declared.size() && !is_compatible(c.declared[i], out[i]))
      c.expect_equal("", "type of result " + std::to_string(i), c.declared[i], out[i]);
  }
  return out;
}

Type type_at_run_time(const EvalValue& v) {
  return v.stack != nullptr ? v.stack->type : Type::tensor(v.tensor.element_type(), v.tensor.shape());
}

std::vector<EvalValue> eval_pfor(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const PforCall call(op.attrs());
  LaneGroup group;
  group.level = call.level;
  for (size_t i = 0; i < operands.size(); ++i)
    if (call.varies[i] != 0) group.lanes = type_at_run_time(operands[i]).shape()[0];
  const size_t number = LaneRun::next_pfor();
  std::vector<std::vector<EvalValue>> results(static_cast<size_t>(group.lanes));
  for (bool waits = true; waits;) {
    waits = false;
    const size_t answers = group.given.size();
    for (int64_t lane = 0; lane < group.lanes; ++lane) {
      std::vector<EvalValue> args;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (call.varies[i] == 0) {
          args.push_back(operands[i]);
          continue;
        }
        args.push_back(lane_slice(operands[i], group.lanes, lane, one_lane(type_at_run_time(operands[i]))));
      }
      LaneRun run(group, lane, number);
      try {
        results[static_cast<size_t>(lane)] = context.call(call.callee, args, op.loc());
      } catch (const LaneWaits& w) {
        if (w.group != &group) throw;
        waits = true;
      }
    }
    if (waits && group.given.size() == answers)
      throw UserError("[weft.pfor] some lanes came to an op that needs all lanes, and others did not", op.loc());
  }
  std::vector<EvalValue> out;
  for (size_t r = 0; r < op.num_results(); ++r) {
    std::vector<EvalValue> lanes;
    for (const auto& one : results) lanes.push_back(one[r]);
    const Type declared = op.result_type(r);
    if (declared.is_stack()) {
      out.push_back(join_lanes(lanes, with_lanes(one_lane(declared), group.lanes)));
      continue;
    }
    std::vector<int64_t> shape = {group.lanes};
    if (lanes.empty()) {
      const auto rest = op.result_type(r).shape().subspan(1);
      shape.insert(shape.end(), rest.begin(), rest.end());
      if (std::ranges::find(shape, kDynamic) != shape.end())
        throw Unsupported(
            "[weft.pfor] no lanes, and extents of a result that only lanes know: got " + op.result_type(r).str(),
            op.loc());
    } else {
      for (int64_t n : lanes[0].tensor.shape()) shape.push_back(n);
    }
    out.push_back(join_lanes(lanes, Type::tensor(op.result_type(r).element_type(), shape)));
  }
  return out;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------

Linearized forward_pfor(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                        std::span<const Value> tangents) {
  PforCall call(op.attrs());
  std::vector<bool> pattern;
  std::vector<Value> operands(primals.begin(), primals.end());
  const Attr::Ints varies = call.varies;
  for (size_t i = 0; i < tangents.size(); ++i) {
    pattern.push_back(static_cast<bool>(tangents[i]));
    if (!tangents[i]) continue;
    operands.push_back(tangents[i]);
    call.varies.push_back(varies[i]);
  }
  const RegionLinearizer::Callee callee = context.regions().jvp_callee(call.callee, pattern, op.loc());
  call.callee = callee.name;
  const std::vector<Value> values = emit_pfor(context.primal(), call, operands, callee.result_types);
  const size_t n = op.num_results();
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};
  for (size_t i = 0, at = n; i < n; ++i) {
    if (callee.results[i]) out.tangents[i] = values[at++];
  }
  return out;
}

Linearized reverse_pfor(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                        std::span<const Value> tangents) {
  RegionLinearizer& regions = context.regions();
  const PforCall call(op.attrs());
  const size_t n = op.num_results();
  std::vector<bool> args, results;
  std::vector<Type> result_types;
  for (Value t : tangents) args.push_back(static_cast<bool>(t));
  for (size_t i = 0; i < n; ++i) {
    results.push_back(regions.is_differentiated(op.result(i)));
    if (results[i]) result_types.push_back(op.result_type(i));
  }
  const RegionLinearizer::CalleeVjp pair = regions.vjp_function(call.callee, args, results);
  PforCall forward = call, backward = call;
  forward.callee = pair.forward;
  const std::vector<Value> values = emit_pfor(context.primal(), forward, primals, pair.forward_types);
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, std::vector<Value>(n)};
  backward.callee = pair.backward;
  backward.varies.clear();
  std::vector<Value> given, inputs;
  for (size_t i : pair.used) {
    given.push_back(primals[i]);
    backward.varies.push_back(call.varies[i]);
  }
  for (size_t i = n; i < values.size(); ++i) {
    given.push_back(values[i]);
    backward.varies.push_back(1);
  }
  std::vector<bool> is_shared;
  for (size_t i : pair.summed) {
    inputs.push_back(tangents[i]);
    is_shared.push_back(call.varies[i] == 0);
  }
  const auto never = [](OpBuilder&, std::span<const Value>) -> std::vector<Value> {
    throw InternalError("[weft.pfor] its reverse derivative was run forwards");
  };
  auto transposed = [given, backward, is_shared, types = pair.backward_types, result_types](
                        OpBuilder& b, std::span<const Value> cotangents) {
    std::vector<Value> operands = given;
    PforCall lanes = backward;
    // Zeros are the same for every lane: how many lanes there are need not be known.
    for (size_t k = 0; k < cotangents.size(); ++k) {
      operands.push_back(cotangents[k] ? cotangents[k] : b.zeros(one_lane(result_types[k])));
      lanes.varies.push_back(cotangents[k] ? 1 : 0);
    }
    for (const Type& t : types) {
      operands.push_back(b.zeros(t));
      lanes.varies.push_back(0);
    }
    std::vector<Value> sums = emit_pfor(b, lanes, operands, types);
    const std::vector<int64_t> axis = {0};
    for (size_t k = 0; k < sums.size(); ++k) {
      // What all lanes share gets the sum over them.
      if (is_shared[k]) sums[k] = b.reduce(sums[k], axis, "stablehlo.add");
    }
    return sums;
  };
  const std::vector<Value> result_tangents = context.linear_map(inputs, result_types, never, transposed);
  for (size_t i = 0, at = 0; i < n; ++i) {
    if (results[i]) out.tangents[i] = result_tangents[at++];
  }
  return out;
}

Linearized linearize_pfor(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  return context.is_reverse() ? reverse_pfor(context, op, primals, tangents)
                              : forward_pfor(context, op, primals, tangents);
}

// ---- lanes of lanes -------------------------------------------------------------------------------------------------

/// The function of one lane gets the new lanes; the lanes of this op stay in front.
std::vector<LaneValue> vectorize_pfor(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  PforCall call(op.attrs());
  OpBuilder& b = context.builder();
  std::vector<bool> pattern;
  for (const LaneValue& v : operands) pattern.push_back(v.varies);
  const RegionVectorizer::Callee callee = context.regions().vectorize_callee(call.callee, pattern, op.loc());
  call.callee = callee.name;
  const auto exchanged = [&](Value v) {
    std::vector<int64_t> order = {1, 0};
    for (int64_t d = 2; d < b.type(v).rank(); ++d) order.push_back(d);
    return b.transpose(v, order);
  };
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.push_back(operands[i].varies && call.varies[i] != 0 ? exchanged(operands[i].value) : operands[i].value);
  std::vector<LaneValue> out;
  const std::vector<Value> results = emit_pfor(b, call, values, callee.result_types);
  for (size_t i = 0; i < results.size(); ++i)
    out.push_back({callee.result_varies[i] ? exchanged(results[i]) : results[i], callee.result_varies[i]});
  return out;
}

std::vector<bool> uniformity_pfor(UniformityContext& context, const OpView& op, const std::vector<bool>& operands) {
  return context.callee_varies(op.attrs().text("callee"), operands);
}

constexpr Refuse kNoForm{"the number of lanes is not known: refine the shapes first"};
constexpr Refuse kNoSamples{"needs a function to run; tests/open/lanes_test.cc has them"};

const OpRecord kOps[] = {
    {{"weft.pfor"},
     {.doc = "Runs a function once for each lane. Operands with varies = 1 have the lanes on axis 0 and hand each lane "
             "its row; the others "
             "are the same for every lane. Results have the lanes on axis 0. `level` names the lanes for the ops "
             "inside that ask for them, "
             "`chunk` says how many run at once (0: all). Written where the number of lanes is an open extent; as "
             "soon as it is known "
             "the ops of the function over all lanes take its place. Meaning: the function on each lane in turn.",
      .syntax = Syntax::kGeneric,
      .schema = {{"callee", AttrKind::kText},
                 {"varies", AttrKind::kInts},
                 {"level", AttrKind::kText, false},
                 {"chunk", AttrKind::kInt, false}},
      .type = type_pfor,
      .eval = eval_pfor,
      .scalar = kNotElementwise,
      .linearize = linearize_pfor,
      .transpose = kNotOnTape,
      .vectorize = vectorize_pfor,
      .uniformity = uniformity_pfor,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_free,
      .to_stablehlo = kNoForm,
      .samples = kNoSamples}},
};

}  // namespace

std::vector<Value> emit_pfor(OpBuilder& b, const PforCall& call, std::span<const Value> operands,
                             std::span<const Type> one_lane_results) {
  int64_t lanes = kDynamic;
  for (size_t i = 0; i < operands.size() && lanes == kDynamic; ++i)
    if (call.varies[i] != 0) lanes = b.type(operands[i]).shape()[0];
  std::vector<Type> types;
  for (const Type& t : one_lane_results) types.push_back(with_lanes(t, lanes));
  return b.create("weft.pfor", operands, call.attrs(), types);
}

Family pfor_ops() { return kOps; }

}  // namespace weft
