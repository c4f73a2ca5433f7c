// The reverse derivative of a loop that keeps values on stacks. Stacks are carries like any other, so a loop within a loop keeps
// stacks of stacks, and derivatives of either loop follow from the same rules.
#include <algorithm>

#include "ops/control_flow/reverse_loop.h"

namespace weft {

std::vector<Value> StackLoop::write_forward(OpBuilder& b) {
  LoopWriter loop(b, op_);
  const Type count_type = Type::scalar(ElementType::kI64);
  add_source(loop);
  const size_t carries = num_carries();
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
  return results_ = results_of(b, loop, values);
}

/// What is pushed, and what the backward loop has anyway. Counters run backwards. The result that a carry became is the carry
/// of one trip later, which the backward loop has seen before; the last one is the loop's result.
void StackLoop::plan_saved(OpBuilder& b) {
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

std::optional<StackLoop::Counter> StackLoop::counter_of(const Function& f, Value v) const {
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

std::vector<Value> StackLoop::write_backward(OpBuilder& b, std::span<const Value> cotangents,
                                             std::span<const Value> sums) {
  LoopWriter loop(b, op_);
  const Type count_type = Type::scalar(ElementType::kI64);
  loop.carry(count_, count_type, true);
  for (size_t k = 0; k < pushed_.size(); ++k) loop.carry(stacks_[k], Type::stack(b.type(pushed_[k])), true);
  for (const Counter& counter : counters_) loop.carry(results_[counter.carry], shape_.types[counter.carry], true);
  for (const Next& next : next_) loop.carry(results_[next.carry], shape_.types[next.carry], true);
  add_cotangents(loop, cotangents, sums);
  add_extras(loop);

  const size_t first_counter = 1 + pushed_.size(), first_next = first_counter + counters_.size(),
               first_moving = first_next + next_.size();
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
        for (Value v : backward_trip(c, kept, kept_now, now.subspan(first_moving))) out.push_back(v);
        return out;
      });
  return cotangents_of(b, loop, std::span(values).subspan(first_moving), sums);
}

}  // namespace weft
