// Derivatives of loops: stablehlo.while and weft.lane_while.
//
// In reverse the loop becomes two. The forward loop also counts its trips and pushes on stacks what the body's backward part
// needs; the backward loop runs as often, pops, and carries the cotangents of the carries and sums of cotangents of everything
// else the body reads. Stacks are carries like any other, so a loop within a loop keeps stacks of stacks, and derivatives of
// either loop follow from the same rules.
#include <algorithm>
#include <optional>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/tangent_space.h"

namespace weft {
namespace {

std::span<const int64_t> lanes_of(const OpView& op) {
  const Attr* lanes = op.attrs().find("lanes");
  return lanes == nullptr ? std::span<const int64_t>() : std::span<const int64_t>(op.attrs().ints("lanes"));
}

/// What the operands of a loop are. Types are those of one lane.
struct LoopShape {
  explicit LoopShape(const OpView& op) : carries(op.num_results()) {
    const std::span<const Value> args = op.function.args(op.region(1));
    const std::span<const Value> next = op.function.operands(op.function.terminator(op.region(1)));
    for (size_t i = 0; i < args.size(); ++i) {
      types.push_back(op.function.type(args[i]));
      varies.push_back(op.attrs().has("varies") && op.attrs().ints("varies")[i] != 0);
      is_extra.push_back(i >= carries || (next[i] == args[i] && types[i].is_tensor()));
    }
  }
  size_t carries;
  std::vector<Type> types;
  std::vector<bool> varies;
  std::vector<bool> is_extra;  // the same in every trip: not a carry, or one that the body hands on
};

/// Writes a loop of the kind of `like`.
class LoopWriter {
 public:
  LoopWriter(OpBuilder& b, const OpView& like) : b_(b), like_(like), lanes_(lanes_of(like)) {}

  bool has_lanes() const { return !lanes_.empty(); }
  Type stack_type(Type element) const { return Type::stack(element, lanes_); }
  /// `type` is that of one lane; `varies` says whether the value has the lane axes.
  void carry(Value v, Type type, bool varies) { carries_.push_back({v, type, varies}); }
  void extra(Value v, Type type, bool varies) { extras_.push_back({v, type, varies}); }
  /// A carry that starts as zero.
  void zero_carry(Type type) {
    if (type.is_stack())
      return carry(zero_tangent(b_, has_lanes() ? Type::stack(type.stacked(), lanes_) : type), type, true);
    carry(zero_tangent(b_, type), type, false);
  }

  using Fill =
      std::function<std::vector<Value>(OpBuilder&, std::span<const Value> carries, std::span<const Value> extras)>;
  std::vector<Value> write(const Fill& condition, const Fill& body) {
    std::vector<Value> operands;
    std::vector<Type> types;
    Attr::Ints varies;
    const auto add = [&](const Entry& e) {
      operands.push_back(e.value);
      types.push_back(e.type);
      varies.push_back(e.varies ? 1 : 0);
    };
    std::vector<Value> outer;
    for (const Entry& e : carries_) add(e);
    for (const Entry& e : extras_) {
      if (has_lanes()) add(e);
      outer.push_back(e.value);
    }
    const auto region = [&](const Fill& fill) {
      return b_.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
        // A while's regions use what is outside as it is; those of a lane_while have arguments for it.
        const std::span<const Value> extras =
            has_lanes() ? args.subspan(carries_.size()) : std::span<const Value>(outer);
        return fill(inner, args.first(carries_.size()), extras);
      });
    };
    Attrs attrs = like_.attrs();
    if (has_lanes()) {
      attrs.set("varies", varies);
      attrs.set("num_carries", static_cast<int64_t>(carries_.size()));
    }
    const RegionId regions[] = {region(condition), region(body)};
    return b_.create(like_.def(), operands, std::move(attrs), {}, regions);
  }

 private:
  struct Entry {
    Value value;
    Type type;
    bool varies;
  };
  OpBuilder& b_;
  const OpView& like_;
  std::span<const int64_t> lanes_;
  std::vector<Entry> carries_, extras_;
};

/// Operands of a region of the source loop, from carries and extras of a written one that has `shape`'s carries first.
std::vector<Value> source_args(const LoopShape& shape, std::span<const Value> carries, std::span<const Value> extras) {
  std::vector<Value> out;
  size_t c = 0, e = 0;
  for (bool is_extra : shape.is_extra) out.push_back(is_extra ? extras[e++] : carries[c++]);
  return out;
}

// ---- forward mode ---------------------------------------------------------------------------------------------------------

Linearized forward_loop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                        std::span<const Value> tangents) {
  RegionLinearizer& regions = context.regions();
  LoopShape shape(op);
  for (size_t i = 0; i < shape.carries; ++i) shape.is_extra[i] = false;
  const std::span<const Value> args = op.function.args(op.region(1));
  LoopWriter loop(context.primal(), op);
  std::vector<size_t> moving, moving_extras;  // operands with a tangent
  for (size_t i = 0; i < primals.size(); ++i) {
    if (i < shape.carries) {
      loop.carry(primals[i], shape.types[i], shape.varies[i]);
      if (regions.is_differentiated(args[i])) moving.push_back(i);
    } else {
      loop.extra(primals[i], shape.types[i], shape.varies[i]);
      if (tangents[i]) moving_extras.push_back(i);
    }
  }
  for (size_t i : moving) {
    if (tangents[i]) loop.carry(tangents[i], shape.types[i], shape.varies[i]);
    else loop.zero_carry(shape.types[i]);
  }
  for (size_t i : moving_extras) loop.extra(tangents[i], shape.types[i], shape.varies[i]);

  const std::vector<Value> values = loop.write(
      [&](OpBuilder& b, std::span<const Value> carries, std::span<const Value> extras) {
        return regions.copy_region(op.region(0), b, source_args(shape, carries, extras));
      },
      [&](OpBuilder& b, std::span<const Value> carries, std::span<const Value> extras) {
        std::vector<Value> directions(args.size());
        for (size_t k = 0; k < moving.size(); ++k) directions[moving[k]] = carries[shape.carries + k];
        for (size_t k = 0; k < moving_extras.size(); ++k) {
          directions[moving_extras[k]] = extras[args.size() - shape.carries + k];
        }
        const Linearized body =
            regions.forward_region(op.region(1), b, source_args(shape, carries, extras), directions);
        std::vector<Value> out = body.results;
        for (size_t i : moving) out.push_back(body.tangents[i] ? body.tangents[i] : zero_tangent(b, shape.types[i]));
        return out;
      });
  Linearized out{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shape.carries)},
                 std::vector<Value>(shape.carries)};
  for (size_t k = 0; k < moving.size(); ++k) out.tangents[moving[k]] = values[shape.carries + k];
  return out;
}

// ---- reverse mode ---------------------------------------------------------------------------------------------------------

/// With the lane axes in front, if it has none.
Value over_lanes(OpBuilder& b, const OpView& op, Value v) {
  const std::span<const int64_t> lanes = lanes_of(op);
  std::vector<int64_t> shape(lanes.begin(), lanes.end()), dimensions;
  for (int64_t d = 0; d < b.type(v).rank(); ++d) dimensions.push_back(static_cast<int64_t>(lanes.size()) + d);
  shape.insert(shape.end(), b.type(v).shape().begin(), b.type(v).shape().end());
  return b.broadcast_in_dim(v, dimensions, shape);
}

Value sum_over_lanes(OpBuilder& b, const OpView& op, Value v) {
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < lanes_of(op).size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
  return b.reduce(v, dimensions, "stablehlo.add");
}

/// A loop and its derivative between the two passes.
class ReverseLoop {
 public:
  ReverseLoop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
              std::span<const Value> tangents)
      : regions_(context.regions()), op_(op), shape_(op), primals_(primals.begin(), primals.end()) {
    const std::span<const Value> args = op.function.args(op.region(1));
    request_.extras = shape_.is_extra;
    request_.captures = regions_.differentiated_captures(op);
    for (size_t i = 0; i < args.size(); ++i) {
      const bool moves = regions_.is_differentiated(args[i]);
      if (i < shape_.carries) request_.results.push_back(moves && !shape_.is_extra[i]);
      if (moves && !shape_.is_extra[i]) moving_.push_back(i);
      if (moves && shape_.is_extra[i] && tangents[i]) request_.summed.push_back(i);
    }
    vjp_ = regions_.vjp_region(op.region(1), request_);
    for (Value v : request_.captures) sum_types_.push_back(op.function.type(v));
    for (size_t i : request_.summed) sum_types_.push_back(shape_.types[i]);
    plan_saved(context.primal());
  }

  std::vector<Value> write_forward(OpBuilder& b) {
    LoopWriter loop(b, op_);
    const Type count_type = Type::scalar(ElementType::kI64);
    for (size_t i = 0; i < primals_.size(); ++i) {
      if (shape_.is_extra[i]) loop.extra(primals_[i], shape_.types[i], shape_.varies[i]);
      else loop.carry(primals_[i], shape_.types[i], shape_.varies[i]);
    }
    const size_t carries = static_cast<size_t>(std::ranges::count(shape_.is_extra, false));
    loop.zero_carry(count_type);
    for (Value v : pushed_) loop.carry(zero_tangent(b, loop.stack_type(b.type(v))), Type::stack(b.type(v)), true);

    const std::vector<Value> values = loop.write(
        [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
          return regions_.copy_region(op_.region(0), c, source_args(shape_, now, extras));
        },
        [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
          const std::vector<Value> all = regions_.emit_forward(vjp_, pushed_, c, source_args(shape_, now, extras));
          std::vector<Value> out;
          for (size_t i = 0; i < shape_.carries; ++i) {
            if (!shape_.is_extra[i]) out.push_back(all[i]);
          }
          out.push_back(c.add(now[carries], c.splat(count_type, 1)));
          for (size_t k = 0; k < pushed_.size(); ++k) {
            out.push_back(c.make("weft.stack_push", {now[carries + 1 + k], all[shape_.carries + k]}));
          }
          return out;
        });
    count_ = values[carries];
    stacks_.assign(values.begin() + static_cast<std::ptrdiff_t>(carries) + 1, values.end());
    std::vector<Value> results;
    for (size_t i = 0, at = 0; i < shape_.carries; ++i) {
      if (!shape_.is_extra[i]) results.push_back(values[at++]);
      else results.push_back(loop.has_lanes() && !shape_.varies[i] ? over_lanes(b, op_, primals_[i]) : primals_[i]);
    }
    results_ = results;
    return results;
  }

  /// Tangents of the results, by a node on the tape that keeps this object.
  std::vector<Value> write_linear(LinearizeContext& context, std::span<const Value> tangents,
                                  std::shared_ptr<ReverseLoop> self) {
    std::vector<Value> inputs;
    std::vector<Type> types;
    for (size_t i : moving_) {
      inputs.push_back(tangents[i]);
      types.push_back(op_.result_type(i));
    }
    for (Value v : request_.captures) inputs.push_back(regions_.tangent(v));
    for (size_t i : request_.summed) inputs.push_back(tangents[i]);
    const std::vector<Value> values = regions_.accumulating_map(
        inputs, moving_.size(), types,
        [self = std::move(self)](OpBuilder& b, std::span<const Value> cotangents, std::span<const Value> sums) {
          return self->write_backward(b, cotangents, sums);
        });
    std::vector<Value> out(shape_.carries);
    for (size_t k = 0; k < moving_.size(); ++k) out[moving_[k]] = values[k];
    for (size_t i : request_.summed) {
      if (i >= shape_.carries) continue;
      const bool spread = !lanes_of(op_).empty() && !shape_.varies[i];
      out[i] = spread ? over_lanes(context.linear(), op_, tangents[i]) : tangents[i];
    }
    return out;
  }

 private:
  /// What is pushed, and what the backward loop has anyway. Counters run backwards. The result that a carry became is the carry
  /// of one trip later, which the backward loop has seen before; the last one is the loop's result.
  void plan_saved(OpBuilder& b) {
    const std::vector<Value> saved = regions_.choose_saved(vjp_);
    const auto is_saved = [&](Value v) { return std::ranges::find(saved, v) != saved.end(); };
    const auto is_arg = [&](Value v) { return std::ranges::find(vjp_.args, v) != vjp_.args.end(); };
    for (Value v : saved) {
      size_t i = 0;
      while (i < shape_.carries && !(vjp_.results[i] == v && !shape_.is_extra[i] && is_saved(vjp_.args[i]))) ++i;
      if (const std::optional<Counter> counter = counter_of(b.function(), v)) counters_.push_back(*counter);
      else if (i < shape_.carries && !is_arg(v) && b.type(v) == shape_.types[i]) next_.push_back({v, i});
      else pushed_.push_back(v);
    }
  }

  /// An integer carry that grows or shrinks by the same amount in every trip.
  struct Counter {
    size_t carry;
    std::string_view back;  // the op that undoes a step
    Value step;             // a value from outside, or a constant of the block
  };
  std::optional<Counter> counter_of(const Function& f, Value v) const {
    for (size_t i = 0; i < shape_.carries; ++i) {
      const Type t = shape_.types[i];
      if (vjp_.args[i] != v || shape_.is_extra[i] || !t.is_tensor() || !is_integer(t.element_type())) continue;
      const OpId op = f.defining_op(vjp_.results[i]);
      if (!op || f.parent(op) != vjp_.block) return {};
      const bool adds = f.def(op).mnemonic == "stablehlo.add";
      if (!adds && f.def(op).mnemonic != "stablehlo.subtract") return {};
      const Value a = f.operand(op, 0), c = f.operand(op, 1);
      if (a != v && (!adds || c != v)) return {};
      const Value step = a == v ? c : a;
      const OpId made_by = f.defining_op(step);
      const bool is_constant = made_by && f.def(made_by).mnemonic == "stablehlo.constant";
      if (f.region(step) == vjp_.block && !is_constant) return {};
      return Counter{i, adds ? "stablehlo.subtract" : "stablehlo.add", step};
    }
    return {};
  }

  std::vector<Value> write_backward(OpBuilder& b, std::span<const Value> cotangents, std::span<const Value> sums) {
    LoopWriter loop(b, op_);
    const Type count_type = Type::scalar(ElementType::kI64);
    loop.carry(count_, count_type, true);
    for (size_t k = 0; k < pushed_.size(); ++k) loop.carry(stacks_[k], Type::stack(b.type(pushed_[k])), true);
    for (const Counter& counter : counters_) loop.carry(results_[counter.carry], shape_.types[counter.carry], true);
    for (const Next& next : next_) loop.carry(results_[next.carry], shape_.types[next.carry], true);
    for (size_t k = 0; k < moving_.size(); ++k) {
      const Type t = shape_.types[moving_[k]];
      if (cotangents[k]) loop.carry(cotangents[k], t, true);
      else loop.zero_carry(t);
    }
    const auto sum_varies = [&](size_t k) {
      return k < request_.captures.size() || !loop.has_lanes() ||
             shape_.varies[request_.summed[k - request_.captures.size()]];
    };
    for (size_t k = 0; k < sum_types_.size(); ++k) {
      const Value start = sums[moving_.size() + k];
      if (start && sum_varies(k)) loop.carry(start, sum_types_[k], true);
      else loop.zero_carry(sum_types_[k]);
    }
    for (size_t i = 0; i < primals_.size(); ++i) {
      if (shape_.is_extra[i]) loop.extra(primals_[i], shape_.types[i], shape_.varies[i]);
    }

    const size_t first_counter = 1 + pushed_.size(), first_next = first_counter + counters_.size(),
                 first_moving = first_next + next_.size(), first_sum = first_moving + moving_.size();
    const std::vector<Value> values = loop.write(
        [&](OpBuilder& c, std::span<const Value> now, std::span<const Value>) {
          return std::vector<Value>{c.compare(now[0], c.splat(count_type, 0), "GT")};
        },
        [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
          std::vector<Value> out = {c.subtract(now[0], c.splat(count_type, 1))}, kept, kept_now;
          const auto keep = [&](Value saved, Value value) {
            kept.push_back(saved);
            kept_now.push_back(value);
          };
          for (size_t k = 0; k < pushed_.size(); ++k) {
            const std::vector<Value> pair = c.create("weft.stack_pop", now.subspan(1 + k, 1));
            out.push_back(pair[0]);
            keep(pushed_[k], pair[1]);
          }
          for (size_t k = 0; k < counters_.size(); ++k) {
            Value step = counters_[k].step;
            if (c.function().region(step) == vjp_.block) {
              step = c.constant(c.function().attrs(c.function().defining_op(step)).literal("value"));
            }
            out.push_back(c.make(counters_[k].back, {now[first_counter + k], step}));
            keep(vjp_.args[counters_[k].carry], out.back());
          }
          for (size_t k = 0; k < next_.size(); ++k) {
            const auto carry = std::ranges::find(kept, vjp_.args[next_[k].carry]);
            out.push_back(kept_now[static_cast<size_t>(carry - kept.begin())]);
          }
          for (size_t k = 0; k < next_.size(); ++k) keep(next_[k].saved, now[first_next + k]);
          kept_now.insert(kept_now.end(), extras.begin(), extras.end());

          std::vector<Value> given(shape_.carries);
          for (size_t k = 0; k < moving_.size(); ++k) given[moving_[k]] = now[first_moving + k];
          const std::vector<Value> back =
              regions_.emit_backward(vjp_, kept, c, kept_now, given, now.subspan(first_sum));
          for (size_t i : moving_) out.push_back(back[i] ? back[i] : zero_tangent(c, shape_.types[i]));
          for (size_t k = 0; k < sum_types_.size(); ++k) {
            const Value sum = back[vjp_.args.size() + k];
            out.push_back(sum ? sum : now[first_sum + k]);
          }
          return out;
        });

    std::vector<Value> out;
    for (size_t k = 0; k < moving_.size(); ++k) {
      const Value v = values[first_moving + k];
      out.push_back(loop.has_lanes() && !shape_.varies[moving_[k]] ? sum_over_lanes(b, op_, v) : v);
    }
    for (size_t k = 0; k < sum_types_.size(); ++k) {
      const Value v = values[first_sum + k];
      out.push_back(sum_varies(k) ? v : accumulate_tangent(b, sums[moving_.size() + k], sum_over_lanes(b, op_, v)));
    }
    return out;
  }

  struct Next {
    Value saved;
    size_t carry;
  };
  RegionLinearizer& regions_;
  const OpView op_;
  const LoopShape shape_;
  std::vector<Value> primals_;
  RegionLinearizer::VjpRequest request_;
  RegionVjp vjp_;
  std::vector<size_t> moving_;  // carries with a cotangent
  std::vector<Type> sum_types_;
  std::vector<Value> pushed_;
  std::vector<Counter> counters_;
  std::vector<Next> next_;
  Value count_;
  std::vector<Value> stacks_, results_;
};

Linearized linearize_loop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  if (!context.is_reverse()) return forward_loop(context, op, primals, tangents);
  const auto loop = std::make_shared<ReverseLoop>(context, op, primals, tangents);
  Linearized out;
  out.results = loop->write_forward(context.primal());
  out.tangents = loop->write_linear(context, tangents, loop);
  return out;
}

}  // namespace

Linearized linearize_while(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                           std::span<const Value> tangents) {
  return linearize_loop(context, op, primals, tangents);
}

Linearized linearize_lane_while(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                std::span<const Value> tangents) {
  return linearize_loop(context, op, primals, tangents);
}

}  // namespace weft
