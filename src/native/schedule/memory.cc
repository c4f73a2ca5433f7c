#include "native/schedule/memory.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "native/schedule/last_uses.h"
#include "native/schedule/offsets.h"
#include "ops/control_flow/region_flow.h"
#include "ops/record.h"

namespace weft::native {
namespace {

class Planner {
 public:
  Planner(const Function& f, Block& body, const MemoryPlanInput& input)
      : f_(f), body_(body), input_(input), in_place_(input.in_place), uses_(f, body) {}

  MemoryPlan run() {
    place_arguments();
    prefer_backwards(body_);
    walk(body_);
    join_swapped();
    stage_results();
    input_.guard_pages ? pack_guarded(plan_) : pack(plan_);
    return std::move(plan_);
  }

 private:
  int add_buffer(BufferPlan b) {
    plan_.buffers.push_back(b);
    occupied_until_.push_back(b.begin);
    return static_cast<int>(plan_.buffers.size() - 1);
  }
  int new_arena_buffer(size_t bytes, int64_t begin) {
    BufferPlan b;
    b.bytes = bytes;
    b.is_writable = true;
    b.begin = b.end = begin;
    return add_buffer(b);
  }
  BufferPlan& buffer(int b) { return plan_.buffers[static_cast<size_t>(b)]; }
  int64_t& occupied(int b) { return occupied_until_[static_cast<size_t>(b)]; }

  void put(Value v, int b, int64_t from) {
    plan_.buffer_of[v] = b;
    const int64_t until = std::max(uses_.last(v), from);
    occupied(b) = std::max(occupied(b), until);
    buffer(b).end = std::max(buffer(b).end, until);
  }

  static bool is_register(Type t) { return t.is_scalar() || (t.is_stack() && t.shape().empty()) || t.is_token(); }

  void place_arguments() {
    const auto args = f_.args();
    for (size_t i = 0; i < args.size(); ++i) {
      if (input_.scalars_in_registers && passes_in_register(f_.type(args[i]))) continue;
      BufferPlan b;
      b.home = Home::kArgument;
      b.index = i;
      b.bytes = value_bytes(f_.type(args[i]));
      for (const auto& [arg, result] : input_.donations) {
        if (arg == i && in_place_) {
          b.is_writable = true;
          donated_to_[result] = i;
        }
      }
      put(args[i], add_buffer(b), 0);
    }
    for (size_t j = 0; j < body_.results.size(); ++j) {
      const Value v = body_.results[j];
      if (preferred_.contains(v)) continue;
      if (input_.scalars_in_registers && passes_in_register(f_.type(v))) continue;
      const auto donated = donated_to_.find(j);
      if (donated != donated_to_.end()) {
        preferred_[v] = plan_.buffer_of.at(args[donated->second]);
        continue;
      }
      const bool shares_memory = std::ranges::any_of(input_.donations, [&](const auto& d) { return d.second == j; });
      if (shares_memory) continue;  // in_place is off: the argument's memory must keep its contents until the end
      BufferPlan b;
      b.home = Home::kResult;
      b.index = j;
      b.bytes = value_bytes(f_.type(v));
      b.is_writable = true;
      preferred_[v] = add_buffer(b);
      occupied(preferred_[v]) = LastUses::kNever;
    }
  }

  /// What a view shows, and what is brought up to date and not needed otherwise, belongs where the view or the update is wanted.
  void prefer_backwards(const Block& block) {
    const auto pass = [&](Value from, Value to) {
      const auto wanted = preferred_.find(from);
      if (wanted != preferred_.end() && f_.region(to) == block.region && f_.defining_op(to))
        preferred_.try_emplace(to, wanted->second);
    };
    for (const Step& step : block.steps | std::views::reverse) {
      if (step.kind == StepKind::kView) pass(f_.result(step.op), f_.operand(step.op, 0));
      // What a carry starts as belongs where the loop's result does.
      if (step.kind == StepKind::kWhile && in_place_) {
        for (size_t i = 0; i < f_.num_results(step.op); ++i) {
          const Value init = f_.operand(step.op, i);
          if (uses_.last(init) <= step.begin) pass(f_.result(step.op, i), init);
        }
      }
      // What a branch leaves as it is belongs where the result does: updates under conditions, one after the other.
      if (step.kind == StepKind::kCase && in_place_) {
        for (const Block& branch : step.blocks) {
          for (size_t i = 0; i < branch.results.size(); ++i) {
            const Value kept = branch.results[i];
            if (uses_.last(kept) <= step.end) pass(f_.result(step.op, i), kept);
          }
        }
      }
      if ((step.kind != StepKind::kKernel && step.kind != StepKind::kElement) || !in_place_) continue;
      for (size_t i = 0; i < step.kernel.updates_input.size(); ++i) {
        const int updated = step.kernel.updates_input[i];
        if (updated < 0) continue;
        const Value before = step.kernel.inputs[static_cast<size_t>(updated)];
        if (uses_.last(before) <= step.end) pass(step.kernel.outputs[i], before);
      }
    }
  }

  /// Whether only the update itself uses input i of a kernel.
  static bool is_read_once(const Function& kernel, size_t i) {
    size_t uses = 0;
    for (OpId op : kernel.ops(kernel.body()))
      uses += static_cast<size_t>(std::ranges::count(kernel.operands(op), kernel.args()[i]));
    return uses == 1;
  }

  /// May `step` write an output of this size over buffer b?
  bool may_write(int b, const Step& step, size_t bytes, size_t element_bytes, int updates_input) {
    const BufferPlan& plan = buffer(b);
    if (!plan.is_writable || plan.bytes != bytes) return false;
    const int64_t until = occupied(b);
    if (until < step.begin) return true;
    const bool is_element = step.kind == StepKind::kElement;
    if (!in_place_ || until > step.end || (step.kind != StepKind::kKernel && !is_element)) return false;
    for (size_t i = 0; i < step.kernel.inputs.size(); ++i) {
      const Value in = step.kernel.inputs[i];
      if (plan_.find(in) != b) continue;
      if (static_cast<int>(i) == updates_input && (is_element || is_read_once(*step.kernel.function, i))) continue;
      if (is_element || !step.kernel.is_pointwise[i]) return false;
      const Type t = f_.type(in);
      if (!t.is_tensor() || byte_size(t.element_type()) != element_bytes) return false;
    }
    return true;
  }

  void place_output(Step& step, Value v, int updates_input) {
    const Type t = f_.type(v);
    const size_t bytes = value_bytes(t);
    const size_t element = t.is_tensor() ? byte_size(t.element_type()) : 8;
    const auto wanted = preferred_.find(v);
    // An update in place comes before the preferred place: it saves copying what is not updated.
    if (updates_input >= 0) {
      const int b = plan_.find(step.kernel.inputs[static_cast<size_t>(updates_input)]);
      if (b >= 0 && may_write(b, step, bytes, element, updates_input)) return put(v, b, step.end);
    }
    if (wanted != preferred_.end() && may_write(wanted->second, step, bytes, element, updates_input)) {
      return put(v, wanted->second, step.end);
    }
    if (step.kind == StepKind::kKernel && in_place_ && updates_input < 0) {
      for (Value in : step.kernel.inputs) {
        const int b = plan_.find(in);
        if (b >= 0 && buffer(b).home == Home::kArena && may_write(b, step, bytes, element, -1))
          return put(v, b, step.end);
      }
    }
    const int b = new_arena_buffer(bytes, step.begin);
    if (updates_input >= 0) plan_.copies.push_back(describe(v) + ": the value before the update is still needed");
    put(v, b, step.end);
  }

  std::string describe(Value v) const {
    const OpId op = f_.defining_op(v);
    return (op ? std::string(f_.def(op).mnemonic) : std::string("argument")) + " " + f_.type(v).str();
  }

  void walk(Block& block) {
    for (Step& step : block.steps) {
      switch (step.kind) {
        case StepKind::kScalar:
        case StepKind::kCheck: break;
        case StepKind::kHost:
        case StepKind::kLibrary:
          for (Value v : f_.results(step.op)) {
            if (!is_register(f_.type(v))) place_output(step, v, -1);
          }
          break;
        case StepKind::kConstant: {
          BufferPlan b;
          b.home = Home::kConstant;
          b.index = step.op.index;
          b.bytes = value_bytes(f_.type(f_.result(step.op)));
          put(f_.result(step.op), add_buffer(b), step.end);
          break;
        }
        case StepKind::kElement:
          if (!step.kernel.updates_input.empty()) place_output(step, step.kernel.outputs[0], 0);
          break;
        case StepKind::kKernel:
          for (size_t i = 0; i < step.kernel.outputs.size(); ++i) {
            place_output(step, step.kernel.outputs[i], step.kernel.updates_input[i]);
          }
          break;
        case StepKind::kSort:
        case StepKind::kFft:
          for (Value v : f_.results(step.op)) place_output(step, v, -1);
          break;
        case StepKind::kView: {
          const Value v = f_.result(step.op);
          const int b = plan_.find(f_.operand(step.op, 0));
          if (b >= 0) {
            put(v, b, step.end);
          } else {
            place_output(step, v, -1);  // of a register: stored
          }
          break;
        }
        case StepKind::kCall: walk_call(step); break;
        case StepKind::kWhile: walk_while(step); break;
        case StepKind::kCase: walk_case(step); break;
        case StepKind::kLaneWhile: walk_lane_while(step); break;
        case StepKind::kStackNew:
        case StepKind::kStackPush:
          if (!is_register(f_.type(f_.result(step.op)))) {
            const int from = step.kind == StepKind::kStackPush ? plan_.find(f_.operand(step.op, 0)) : -1;
            if (from >= 0) {
              put(f_.result(step.op), from, step.end);  // handles do not change
            } else {
              place_output(step, f_.result(step.op), -1);
            }
          }
          break;
        case StepKind::kStackPop:
          if (!is_register(f_.type(f_.result(step.op, 0))))
            put(f_.result(step.op, 0), plan_.find(f_.operand(step.op, 0)), step.end);
          if (!is_register(f_.type(f_.result(step.op, 1)))) place_output(step, f_.result(step.op, 1), -1);
          break;
      }
    }
  }

  /// The buffer of operand i of a call, where the callee may write over it: nothing else needs it, in the call or afterwards.
  int yielded_by(const Step& step, size_t i) {
    const auto operands = f_.operands(step.op);
    const int b = plan_.find(operands[i]);
    if (!in_place_ || b < 0 || !buffer(b).is_writable || occupied(b) > step.end) return -1;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (k != i && plan_.find(operands[k]) == b) return -1;
    }
    return buffer(b).bytes == value_bytes(f_.type(operands[i])) ? b : -1;
  }

  void walk_call(Step& step) {
    const InOutPairs& pairs = input_.in_out->at(*callee(OpView{f_, step.op}));
    for (size_t j = 0; j < f_.num_results(step.op); ++j) {
      const Value result = f_.result(step.op, j);
      if (passes_in_register(f_.type(result))) continue;
      const auto pair = std::ranges::find(pairs, j, &InOutPairs::value_type::second);
      const int b = pair == pairs.end() ? -1 : yielded_by(step, pair->first);
      if (b >= 0) {
        put(result, b, step.end);
        continue;
      }
      if (pair != pairs.end()) plan_.copies.push_back(describe(result) + ": the callee writes over its argument");
      place_output(step, result, -1);
    }
  }

  /// A buffer for carry i of a loop: the initial value's own when nothing else needs it, the result's preferred one, or a new one.
  int carry_buffer(Step& step, size_t i, std::unordered_set<int>& taken) {
    const Value init = f_.operand(step.op, i);
    const Value result = f_.result(step.op, i);
    const size_t bytes = value_bytes(f_.type(result));
    const int from = plan_.find(init);
    if (in_place_ && from >= 0 && buffer(from).is_writable && buffer(from).bytes == bytes &&
        occupied(from) <= step.begin && !taken.contains(from)) {
      return from;
    }
    const auto wanted = preferred_.find(result);
    if (wanted != preferred_.end() && buffer(wanted->second).is_writable && buffer(wanted->second).bytes == bytes &&
        occupied(wanted->second) < step.begin && !taken.contains(wanted->second)) {
      return wanted->second;
    }
    return new_arena_buffer(bytes, step.begin);
  }

  void hold(int b, int64_t begin, int64_t end) {
    buffer(b).begin = std::min(buffer(b).begin, begin);
    buffer(b).end = std::max(buffer(b).end, end);
  }

  /// A carry computed elsewhere changes places with its buffer after each iteration where the other buffer is the body's
  /// own or another carry's; both then live as long as the loop. Otherwise it is copied.
  void plan_moves(const std::vector<int>& carries, const Block& body, CarryPlan& out) {
    out.exchange.assign(body.results.size(), false);
    out.staging.assign(body.results.size(), -1);
    std::unordered_set<int> sources;
    const auto is_carry = [&](int b) { return std::ranges::find(carries, b) != carries.end(); };
    bool any_move = false;
    for (size_t i = 0; i < body.results.size(); ++i) {
      const int from = plan_.find(body.results[i]);
      if (carries[i] < 0 || from == carries[i]) continue;
      any_move = true;
      if (from < 0 || !in_place_) continue;
      const BufferPlan& source = buffer(from);
      const bool is_ours = (source.home == Home::kArena && source.begin >= body.begin) || is_carry(from);
      // Only one carry may take a buffer over; a carry that keeps its own value needs it too.
      const bool is_kept =
          is_carry(from) &&
          plan_.find(body.results[static_cast<size_t>(std::ranges::find(carries, from) - carries.begin())]) == from;
      if (!is_ours || is_kept || !source.is_writable || source.bytes != buffer(carries[i]).bytes ||
          !sources.insert(from).second)
        continue;
      out.exchange[i] = true;
      out.moving.insert(out.moving.end(), {carries[i], from});
      swapped_.emplace_back(carries[i], from);
    }
    for (size_t i = 0; any_move && i < body.results.size(); ++i) {
      const int from = plan_.find(body.results[i]);
      if (carries[i] < 0 || from == carries[i] || out.exchange[i]) continue;
      if (from >= 0 && (is_carry(from) || sources.contains(carries[i]) || sources.contains(from))) {
        out.staging[i] = new_arena_buffer(buffer(carries[i]).bytes, body.end);
      }
      plan_.copies.push_back(describe(body.results[i]) + ": copied to the loop's carry " + std::to_string(i) +
                             " in every iteration");
    }
  }

  void loop_blocks(Step& step, const std::vector<int>& carries, size_t num_args, CarryPlan& out) {
    Block& cond = step.blocks[0];
    Block& body = step.blocks[1];
    const auto cond_args = f_.args(cond.region);
    const auto body_args = f_.args(body.region);
    for (size_t i = 0; i < num_args; ++i) {
      const int b = carries[i];
      if (b < 0) continue;
      put(cond_args[i], b, cond.end);  // the condition must leave the carry as it is: it may be the loop's result
      plan_.buffer_of[body_args[i]] = b;
      hold(b, step.begin, step.end);
    }
    walk(cond);
    std::unordered_set<Value> seen;
    for (size_t i = 0; i < num_args; ++i) {
      const int b = carries[i];
      if (b < 0) continue;
      occupied(b) = std::max(uses_.last(body_args[i]), body.begin);
      if (i < body.results.size() && in_place_ && seen.insert(body.results[i]).second) preferred_[body.results[i]] = b;
    }
    prefer_backwards(body);
    walk(body);
    plan_moves(carries, body, out);
    for (size_t i = 0; i < num_args; ++i) {
      if (carries[i] >= 0) occupied(carries[i]) = std::max(occupied(carries[i]), step.end);
    }
  }

  void walk_while(Step& step) {
    const size_t n = f_.num_results(step.op);
    CarryPlan carry;
    std::unordered_set<int> taken;
    for (size_t i = 0; i < n; ++i) {
      int b = -1;
      if (!is_register(f_.type(f_.result(step.op, i)))) {
        b = carry_buffer(step, i, taken);
        taken.insert(b);
        occupied(b) = std::max(occupied(b), step.begin);
        note_copy(step, i, b);
      }
      carry.buffers.push_back(b);
    }
    loop_blocks(step, carry.buffers, n, carry);
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] >= 0) put(f_.result(step.op, i), carry.buffers[i], step.end);
    }
    plan_.carries[step.op] = std::move(carry);
  }

  void note_copy(const Step& step, size_t i, int b) {
    const int from = plan_.find(f_.operand(step.op, i));
    if (from >= 0 && from != b && buffer(from).home == Home::kArena) {
      plan_.copies.push_back(describe(f_.operand(step.op, i)) + ": needed after it enters the loop");
    }
  }

  /// Buffers whose values only the branches of a step still use: in each branch they are free after its own last use.
  std::unordered_set<int> buffers_of_branches(const Step& step) {
    std::unordered_set<int> out;
    for (const Block& branch : step.blocks) {
      for (const auto& [v, position] : uses_.in_branch(branch.region)) {
        const int b = plan_.find(v);
        if (b >= 0 && occupied(b) < step.end) out.insert(b);
      }
    }
    return out;
  }

  void walk_case(Step& step) {
    const size_t n = f_.num_results(step.op);
    const std::unordered_set<int> captured = buffers_of_branches(step);
    std::vector<int> targets(n, -1);
    for (size_t i = 0; i < n; ++i) {
      const Value result = f_.result(step.op, i);
      if (is_register(f_.type(result))) continue;
      const size_t bytes = value_bytes(f_.type(result));
      const auto wanted = preferred_.find(result);
      const bool may_prefer =
          wanted != preferred_.end() && buffer(wanted->second).is_writable && buffer(wanted->second).bytes == bytes &&
          (occupied(wanted->second) < step.begin || (in_place_ && captured.contains(wanted->second)));
      const bool is_taken = may_prefer && std::ranges::find(targets, wanted->second) != targets.end();
      targets[i] = may_prefer && !is_taken ? wanted->second : new_arena_buffer(bytes, step.begin);
      hold(targets[i], step.begin, step.end);
    }
    for (Block& branch : step.blocks) {
      std::unordered_set<Value> seen;
      for (size_t i = 0; i < n; ++i) {
        if (targets[i] >= 0) occupied(targets[i]) = step.begin;
      }
      for (int b : captured) occupied(b) = step.begin;
      for (const auto& [v, position] : uses_.in_branch(branch.region)) {
        const int b = plan_.find(v);
        if (b >= 0) occupied(b) = std::max(occupied(b), position);
      }
      for (size_t i = 0; i < n; ++i) {
        if (targets[i] < 0) continue;
        if (in_place_ && seen.insert(branch.results[i]).second && f_.region(branch.results[i]) == branch.region) {
          preferred_[branch.results[i]] = targets[i];
        }
      }
      walk(branch);
    }
    for (int b : captured) occupied(b) = step.end - 1;
    for (size_t i = 0; i < n; ++i) {
      if (targets[i] >= 0) {
        occupied(targets[i]) = step.end;
        put(f_.result(step.op, i), targets[i], step.end);
      }
    }
  }

  void walk_lane_while(Step& step) {
    const size_t n = f_.num_results(step.op);
    const size_t num_operands = f_.operands(step.op).size();
    const auto& varies = f_.attrs(step.op).ints("varies");
    CarryPlan carry;
    std::unordered_set<int> taken;
    for (size_t i = 0; i < n; ++i) {
      const bool may_share = varies[i] != 0;
      const int whole = may_share ? carry_buffer(step, i, taken)
                                  : new_arena_buffer(value_bytes(f_.type(f_.result(step.op, i))), step.begin);
      taken.insert(whole);
      occupied(whole) = std::max(occupied(whole), step.end);
      hold(whole, step.begin, step.end);
      carry.lane_buffers.push_back(whole);
      const Type one = f_.type(f_.args(step.blocks[0].region)[i]);
      carry.buffers.push_back(is_register(one) ? -1 : new_arena_buffer(value_bytes(one), step.begin));
    }
    for (size_t i = n; i < num_operands; ++i) {
      const Type one = f_.type(f_.args(step.blocks[0].region)[i]);
      int b = -1;
      if (!is_register(one)) {
        BufferPlan lane;
        lane.home = Home::kLane;
        lane.bytes = value_bytes(one);
        lane.begin = lane.end = step.begin;
        b = add_buffer(lane);
        occupied(b) = step.end;
      }
      carry.buffers.push_back(b);
    }
    loop_blocks(step, carry.buffers, num_operands, carry);
    for (size_t i = 0; i < n; ++i) put(f_.result(step.op, i), carry.lane_buffers[i], step.end);
    plan_.carries[step.op] = std::move(carry);
  }

  int root(int b) const {
    while (swap_set_[static_cast<size_t>(b)] != b) b = swap_set_[static_cast<size_t>(b)];
    return b;
  }

  /// Buffers that change places may hold each other's contents from their first to their last use.
  void join_swapped() {
    swap_set_.resize(plan_.buffers.size());
    for (size_t i = 0; i < swap_set_.size(); ++i) swap_set_[i] = static_cast<int>(i);
    for (const auto& [a, b] : swapped_) swap_set_[static_cast<size_t>(root(a))] = root(b);
    std::unordered_map<int, std::pair<int64_t, int64_t>> spans;
    for (const auto& [a, b] : swapped_) {
      for (int x : {a, b}) {
        const auto [it, fresh] = spans.try_emplace(root(x), buffer(x).begin, buffer(x).end);
        it->second.first = std::min(it->second.first, buffer(x).begin);
        it->second.second = std::max(it->second.second, buffer(x).end);
      }
    }
    for (const auto& [a, b] : swapped_) {
      for (int x : {a, b}) hold(x, spans.at(root(x)).first, spans.at(root(x)).second);
    }
  }

  void stage_results() {
    std::unordered_map<int, int> pinned_in_set, set_size;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      ++set_size[root(static_cast<int>(i))];
      const Home home = plan_.buffers[i].home;
      if (home == Home::kResult || (home == Home::kArgument && plan_.buffers[i].is_writable))
        ++pinned_in_set[root(static_cast<int>(i))];
    }
    for (size_t j = 0; j < body_.results.size(); ++j) {
      const int b = plan_.find(body_.results[j]);
      int staging = -1;
      if (b >= 0) {
        const auto donated = donated_to_.find(j);
        const BufferPlan& plan = buffer(b);
        const bool is_own_place =
            (plan.home == Home::kResult && plan.index == j) ||
            (plan.home == Home::kArgument && donated != donated_to_.end() && donated->second == plan.index);
        const bool swaps_with_pinned = pinned_in_set[root(b)] > (is_own_place ? 1 : 0) && set_size[root(b)] > 1;
        const bool is_anothers_place =
            !is_own_place &&
            (plan.home == Home::kResult || (plan.home == Home::kArgument && is_overwritten(plan.index, j)));
        if (swaps_with_pinned || is_anothers_place) staging = new_arena_buffer(plan.bytes, body_.end);
      }
      plan_.result_staging.push_back(staging);
    }
  }

  /// Whether the caller gave argument i's memory to a result other than j.
  bool is_overwritten(size_t i, size_t j) const {
    return std::ranges::any_of(input_.donations, [&](const auto& d) { return d.first == i && d.second != j; });
  }

  const Function& f_;
  Block& body_;
  const MemoryPlanInput& input_;
  const bool in_place_;
  const LastUses uses_;
  MemoryPlan plan_;
  std::vector<int64_t> occupied_until_;
  std::unordered_map<Value, int> preferred_;
  std::unordered_map<size_t, size_t> donated_to_;  // result → argument
  std::vector<std::pair<int, int>> swapped_;       // a carry's buffer and that of its next value
  std::vector<int> swap_set_;
};

}  // namespace

size_t value_bytes(Type type) {
  if (type.is_tensor()) return type.num_bytes();
  if (type.is_stack()) return 8 * static_cast<size_t>(num_elements(type.shape()));
  return 0;
}

MemoryPlan plan_memory(const Function& function, Block& schedule, const MemoryPlanInput& input) {
  return Planner(function, schedule, input).run();
}

}  // namespace weft::native
