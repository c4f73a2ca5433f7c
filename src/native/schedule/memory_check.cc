#include "native/schedule/memory_check.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"
#include "text/print.h"

namespace weft::native {
namespace {

/// Values with equal contents that a buffer holds now; none after something else was written over it.
using Contents = std::vector<Value>;
/// By buffer.
using State = std::vector<Contents>;

bool holds(const Contents& contents, Value v) { return std::ranges::find(contents, v) != contents.end(); }

bool same(const Contents& a, const Contents& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](Value v) { return holds(b, v); });
}

/// What holds on both ways; whether that is less than `into` was.
bool meet(State& into, const State& other) {
  bool has_changed = false;
  for (size_t b = 0; b < into.size(); ++b) {
    has_changed |= std::erase_if(into[b], [&](Value v) { return !holds(other[b], v); }) > 0;
  }
  return has_changed;
}

class Checker {
 public:
  Checker(const Function& f, const Block& body, const MemoryPlan& plan, const MemoryPlanInput& rules)
      : f_(f), body_(body), plan_(plan), rules_(rules) {}

  void run() {
    join_exchanged(body_);
    find_overlaps();
    state_.resize(plan_.buffers.size());
    for (Value v : f_.args()) {
      if (plan_.find(v) >= 0) state_[index(v)] = {v};
    }
    walk(body_);
    place_results();
  }

 private:
  size_t index(Value v) const { return static_cast<size_t>(plan_.find(v)); }
  const BufferPlan& buffer(size_t b) const { return plan_.buffers[b]; }

  std::string describe(Value v) const {
    const OpId op = f_.defining_op(v);
    return "%" + std::to_string(v.index) + " (" + (op ? std::string(f_.def(op).mnemonic) : std::string("an argument")) +
           " " + f_.type(v).str() + ")";
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InternalError("[memory plan] @" + f_.name() + ": " + what);
  }

  // ---- bytes ----

  size_t root(size_t b) const {
    while (set_[b] != b) b = set_[b];
    return b;
  }

  /// Buffers whose addresses are exchanged are taken to lie at any place of their set.
  void join_exchanged(const Block& block) {
    if (set_.empty()) {
      for (size_t b = 0; b < plan_.buffers.size(); ++b) set_.push_back(b);
    }
    for (const Step& step : block.steps) {
      for (const Block& inner : step.blocks) join_exchanged(inner);
      const auto carry = plan_.carries.find(step.op);
      if (step.blocks.size() < 2 || carry == plan_.carries.end()) continue;
      for (size_t i = 0; i < carry->second.exchange.size(); ++i) {
        if (carry->second.exchange[i])
          set_[root(static_cast<size_t>(carry->second.buffers[i]))] = root(index(step.blocks[1].results[i]));
      }
    }
  }

  /// Memory that may hold several buffers: the arena, an argument with the result it is donated to, a result.
  std::pair<int, size_t> space(Home home, size_t at) const {
    if (home == Home::kArena) return {0, 0};
    if (home == Home::kArgument) return {1, at};
    for (const auto& [argument, result] : rules_.donations) {
      if (result == at) return {1, argument};
    }
    return {2, at};
  }

  void find_overlaps() {
    struct Range {
      size_t begin, end, buffer;
    };
    std::map<std::pair<int, size_t>, std::vector<Range>> spaces;
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      const BufferPlan& p = buffer(b);
      if (p.home == Home::kConstant || p.home == Home::kLane || p.bytes == 0) continue;
      const size_t begin = p.home == Home::kArena ? p.offset : 0;
      if (p.home == Home::kArena && begin + p.bytes > plan_.arena_bytes) fail("a buffer reaches beyond the arena");
      spaces[space(p.home, p.index)].push_back({begin, begin + p.bytes, b});
    }
    std::map<size_t, std::vector<size_t>> members;
    for (size_t b = 0; b < set_.size(); ++b) members[root(b)].push_back(b);
    overlaps_.resize(plan_.buffers.size());
    for (auto& [where, ranges] : spaces) {
      std::ranges::sort(ranges, {}, &Range::begin);
      for (size_t i = 0; i < ranges.size(); ++i) {
        for (size_t j = i + 1; j < ranges.size() && ranges[j].begin < ranges[i].end; ++j) {
          const size_t a = root(ranges[i].buffer), b = root(ranges[j].buffer);
          if (a == b) fail("two buffers that change places overlap");
          for (size_t x : members[a]) {
            for (size_t y : members[b]) {
              overlaps_[x].push_back(y);
              overlaps_[y].push_back(x);
            }
          }
        }
      }
    }
    for (auto& list : overlaps_) {
      std::ranges::sort(list);
      list.erase(std::ranges::unique(list).begin(), list.end());
    }
  }

  bool overlap(size_t a, size_t b) const { return a == b || std::ranges::binary_search(overlaps_[a], b); }

  // ---- reading and writing ----

  void read(Value v, const char* where) {
    if (const auto whole = lane_of_.find(v); whole != lane_of_.end()) read(whole->second, where);
    const int b = plan_.find(v);
    if (b >= 0 && !holds(state_[static_cast<size_t>(b)], v)) {
      const auto by = overwritten_by_.find(static_cast<size_t>(b));
      fail(describe(v) + " is read by " + where +
           (by == overwritten_by_.end() ? " before it is written"
                                        : " after " + describe(by->second) + " was written over it"));
    }
  }

  /// Writes `v`, which is `bytes` long, to buffer b; what overlaps is gone.
  void write(size_t b, Value v) {
    if (!buffer(b).is_writable) fail(describe(v) + " is written over memory that must not change");
    if (value_bytes(f_.type(v)) > buffer(b).bytes) fail(describe(v) + " is larger than its buffer");
    for (size_t other : overlaps_[b]) {
      state_[other].clear();
      overwritten_by_[other] = v;
    }
    if (!state_[b].empty()) overwritten_by_[b] = v;
    state_[b] = {v};
  }
  void write(Value v) {
    if (plan_.find(v) >= 0) write(index(v), v);
  }
  /// The entry's copy of a value to a buffer where it does not live already.
  void move(int to, Value v, const char* where) {
    if (to < 0) return read(v, where);
    read(v, where);
    if (plan_.find(v) != to) write(static_cast<size_t>(to), v);
  }
  void name(int b, Value v) {
    if (b >= 0 && !holds(state_[static_cast<size_t>(b)], v)) state_[static_cast<size_t>(b)].push_back(v);
  }

  // ---- steps ----

  void walk(const Block& block) {
    for (const Step& step : block.steps) walk(step);
  }

  void walk(const Step& step) {
    const char* const where = f_.def(step.op).mnemonic.data();
    switch (step.kind) {
      case StepKind::kConstant: return name(plan_.find(f_.result(step.op)), f_.result(step.op));
      case StepKind::kElement: return walk_element(step);
      case StepKind::kKernel: return walk_kernel(step);
      case StepKind::kView:
        read(f_.operand(step.op, 0), where);
        if (plan_.find(f_.operand(step.op, 0)) < 0) return write(f_.result(step.op));
        if (plan_.find(f_.result(step.op)) >= 0 && plan_.find(f_.result(step.op)) != plan_.find(f_.operand(step.op, 0)))
          fail(describe(f_.result(step.op)) + " is a view, but lies elsewhere than its operand");
        return name(plan_.find(f_.result(step.op)), f_.result(step.op));
      case StepKind::kCall: return walk_call(step);
      case StepKind::kWhile: return walk_while(step);
      case StepKind::kCase: return walk_case(step);
      case StepKind::kLaneWhile: return walk_lane_while(step);
      case StepKind::kStackPush:
      case StepKind::kStackPop: {
        for (Value v : f_.operands(step.op)) read(v, where);
        // The handles stay where they are.
        const Value stack = f_.result(step.op, 0);
        if (plan_.find(stack) >= 0 && plan_.find(stack) != plan_.find(f_.operand(step.op, 0))) write(stack);
        name(plan_.find(stack), stack);
        for (size_t i = 1; i < f_.num_results(step.op); ++i) write(f_.result(step.op, i));
        return;
      }
      default: return walk_apart(step);
    }
  }

  /// Everything that reads all of its operands before, while or after it writes: no result may lie over an operand or another result.
  void walk_apart(const Step& step) {
    const char* const where = f_.def(step.op).mnemonic.data();
    std::vector<Value> operands(f_.operands(step.op).begin(), f_.operands(step.op).end());
    std::vector<Value> results = f_.results(step.op);
    if (step.kind == StepKind::kLibrary) {
      operands = step.kernel.inputs;
      results = step.kernel.outputs;
    }
    for (Value v : operands) read(v, where);
    for (size_t i = 0; i < results.size(); ++i) {
      if (plan_.find(results[i]) < 0) continue;
      for (Value v : operands) {
        if (plan_.find(v) >= 0 && step.kind != StepKind::kScalar && overlap(index(results[i]), index(v)))
          fail(describe(results[i]) + " is written over " + describe(v) + ", which " + where + " reads");
      }
      for (size_t j = 0; j < i; ++j) {
        if (plan_.find(results[j]) >= 0 && overlap(index(results[i]), index(results[j])))
          fail("two results of " + std::string(where) + " overlap");
      }
    }
    for (Value v : results) write(v);
  }

  void walk_element(const Step& step) {
    const FusedKernel& k = step.kernel;
    const Value whole = k.inputs[0];
    const bool is_update = !k.updates_input.empty();
    // The scalar is in a register before anything is written.
    for (size_t i = is_update ? 1 : 0; i < k.inputs.size(); ++i) read(k.inputs[i], "the access to an element");
    if (!is_update) return;
    if (plan_.find(whole) == plan_.find(k.outputs[0])) read(whole, "the update of an element");
    else move(plan_.find(k.outputs[0]), whole, "the copy before an update");
    write(k.outputs[0]);
  }

  void walk_kernel(const Step& step) {
    const FusedKernel& k = step.kernel;
    for (size_t o = 0; o < k.outputs.size(); ++o) {
      if (k.updates_input[o] < 0) continue;
      const Value from = k.inputs[static_cast<size_t>(k.updates_input[o])];
      if (plan_.find(from) != plan_.find(k.outputs[o]))
        move(plan_.find(k.outputs[o]), from, "the copy before an update");
    }
    for (Value v : k.inputs) read(v, "a kernel");
    for (size_t o = 0; o < k.outputs.size(); ++o) {
      if (plan_.find(k.outputs[o]) < 0) continue;
      for (size_t i = 0; i < k.inputs.size(); ++i) {
        if (plan_.find(k.inputs[i]) < 0 || !overlap(index(k.outputs[o]), index(k.inputs[i]))) continue;
        const bool is_same_place = index(k.outputs[o]) == index(k.inputs[i]);
        if (!is_same_place || !(updates_only(*k.function, i, o) || reads_in_place(*k.function, i, o)))
          fail(describe(k.outputs[o]) + " is written over " + describe(k.inputs[i]) +
               ", which its kernel also reads at other places:\n" + print_function(*k.function));
      }
      for (size_t p = 0; p < o; ++p) {
        if (plan_.find(k.outputs[p]) >= 0 && overlap(index(k.outputs[o]), index(k.outputs[p])))
          fail("two outputs of a kernel overlap: " + describe(k.outputs[o]) + ", " + describe(k.outputs[p]));
      }
    }
    for (Value v : k.outputs) write(v);
  }

  /// A callee writes over an argument that it brings up to date, and over its results while it still reads its other arguments.
  void walk_call(const Step& step) {
    const OpView op{f_, step.op};
    const InOutPairs& pairs = rules_.in_out->at(*callee(op));
    const auto updated_by = [&](size_t i) -> std::optional<Value> {
      for (const auto& [argument, result] : pairs) {
        if (argument == i) return op.result(result);
      }
      return std::nullopt;
    };
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const auto result = updated_by(i);
      if (result && plan_.find(op.operand(i)) != plan_.find(*result))
        move(plan_.find(*result), op.operand(i), "the copy before a call");
    }
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const auto result = updated_by(i);
      if (!result || plan_.find(op.operand(i)) == plan_.find(*result)) read(op.operand(i), "a call");
    }
    for (size_t j = 0; j < op.num_results(); ++j) {
      if (plan_.find(op.result(j)) < 0) continue;
      for (size_t i = 0; i < op.num_operands(); ++i) {
        const auto result = updated_by(i);
        const int at = plan_.find(op.operand(i));
        const bool is_read = at >= 0 && (!result || (at == plan_.find(*result) && *result != op.result(j)));
        if (is_read && overlap(index(op.result(j)), static_cast<size_t>(at)))
          fail(describe(op.result(j)) + " is written over " + describe(op.operand(i)) + ", which the callee reads");
      }
      for (size_t k = 0; k < j; ++k) {
        if (plan_.find(op.result(k)) >= 0 && overlap(index(op.result(j)), index(op.result(k))))
          fail("two results of a call overlap");
      }
    }
    for (size_t j = 0; j < op.num_results(); ++j) write(op.result(j));
  }

  /// Whether result o of the kernel is input i with a part replaced, and nothing else in the kernel reads input i.
  static bool updates_only(const Function& kernel, size_t i, size_t o) {
    const Value input = kernel.args()[i];
    const Value result = kernel.operand(kernel.terminator(kernel.body()), o);
    const OpId update = kernel.defining_op(result);
    if (!update) return false;
    const std::string_view op = kernel.def(update).mnemonic;
    if (op != "stablehlo.dynamic_update_slice" && op != "stablehlo.scatter") return false;
    size_t number = 0;
    while (kernel.result(update, number) != result) ++number;
    size_t uses = 0;
    for (OpId id : kernel.ops(kernel.body()))
      uses += static_cast<size_t>(std::ranges::count(kernel.operands(id), input));
    return uses == 1 && kernel.operand(update, number) == input;
  }

  /// Whether the kernel reads input i only at the index at which it writes result o, in elements of the same size.
  static bool reads_in_place(const Function& kernel, size_t i, size_t o) {
    const Value input = kernel.args()[i];
    const OpId terminator = kernel.terminator(kernel.body());
    const Type written = kernel.type(kernel.operand(terminator, o)), read = kernel.type(input);
    if (!written.is_tensor() || !read.is_tensor() ||
        byte_size(written.element_type()) != byte_size(read.element_type()))
      return false;
    // Values that are computed at the index of the output, from the outputs back.
    std::map<uint32_t, bool> elsewhere;
    const auto mark = [&](Value v, bool is_elsewhere) {
      bool& e = elsewhere[v.index];
      e = e || is_elsewhere || !std::ranges::equal(kernel.type(v).shape(), written.shape());
    };
    for (Value v : kernel.operands(terminator)) mark(v, false);
    const auto ops = kernel.ops(kernel.body());
    for (size_t at = ops.size(); at-- > 0;) {
      const OpView op{kernel, ops[at]};
      if (op.def().is_terminator) continue;
      bool is_elsewhere = record(op).scalar.refused() || !op.regions().empty();
      for (size_t r = 0; r < op.num_results(); ++r) {
        const auto e = elsewhere.find(op.result(r).index);
        is_elsewhere |= e != elsewhere.end() && e->second;
      }
      for (Value v : op.operands()) mark(v, is_elsewhere);
    }
    const auto e = elsewhere.find(input.index);
    return e == elsewhere.end() || !e->second;
  }

  /// Repeats `turn`, which goes from the state before a turn of the loop to the one after it, until nothing new can be lost; the state
  /// is then that of the beginning of any turn.
  template <class Turn>
  void repeat(Turn&& turn) {
    for (;;) {
      State start = state_;
      turn();
      if (!meet(start, state_)) {
        state_ = std::move(start);
        return;
      }
      state_ = std::move(start);
    }
  }

  /// The places of a loop's carries, which hold their region arguments at the beginning of each turn.
  void name_carries(const Step& step, const CarryPlan& carry, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] < 0) continue;
      state_[static_cast<size_t>(carry.buffers[i])] = {f_.args(step.blocks[0].region)[i],
                                                       f_.args(step.blocks[1].region)[i]};
    }
  }

  void loop(const Step& step, const CarryPlan& carry, size_t n) {
    const Block& cond = step.blocks[0];
    const Block& body = step.blocks[1];
    State left;
    repeat([&] {
      walk(cond);
      read(cond.results[0], "the condition of a loop");
      left = state_;
      walk(body);
      next_carries(body, carry);
      name_carries(step, carry, n);
    });
    state_ = std::move(left);
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] >= 0) read(f_.args(cond.region)[i], "the end of a loop");
    }
  }

  void next_carries(const Block& body, const CarryPlan& carry) {
    const size_t n = body.results.size();
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] < 0) read(body.results[i], "the next turn of a loop");
    }
    for (const bool is_staged : {true, false}) {
      for (size_t i = 0; i < n; ++i) {
        const int to = carry.buffers[i];
        if (to < 0 || plan_.find(body.results[i]) == to || carry.exchange[i] || (carry.staging[i] >= 0) != is_staged)
          continue;
        move(is_staged ? carry.staging[i] : to, body.results[i], "the next turn of a loop");
      }
    }
    std::map<size_t, size_t> source_of, target_of;
    for (size_t i = 0; i < n; ++i) {
      if (!carry.exchange[i]) continue;
      read(body.results[i], "an exchange of carries");
      const size_t to = static_cast<size_t>(carry.buffers[i]), from = index(body.results[i]);
      if (source_of.contains(to) || target_of.contains(from)) fail("two carries take one buffer over");
      source_of[to] = from;
      target_of[from] = to;
    }
    const State old = state_;
    for (const auto& [to, from] : source_of) {
      state_[to] = old[from];
      if (source_of.contains(from)) continue;
      size_t last = to;
      while (target_of.contains(last)) last = target_of.at(last);
      state_[from] = old[last];
    }
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] < 0 || carry.staging[i] < 0) continue;
      if (!holds(state_[static_cast<size_t>(carry.staging[i])], body.results[i]))
        fail("a staged carry was written over");
      write(static_cast<size_t>(carry.buffers[i]), body.results[i]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] >= 0 && !holds(state_[static_cast<size_t>(carry.buffers[i])], body.results[i]))
        fail(describe(body.results[i]) + " does not reach its carry in the next turn of a loop");
    }
  }

  void walk_while(const Step& step) {
    const size_t n = f_.num_results(step.op);
    const CarryPlan& carry = plan_.carries.at(step.op);
    for (size_t i = 0; i < n; ++i) move(carry.buffers[i], f_.operand(step.op, i), "the beginning of a loop");
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] >= 0 && !holds(state_[static_cast<size_t>(carry.buffers[i])], f_.operand(step.op, i)))
        fail(describe(f_.operand(step.op, i)) + " does not reach its carry at the beginning of a loop");
    }
    name_carries(step, carry, n);
    loop(step, carry, n);
    for (size_t i = 0; i < n; ++i) name(carry.buffers[i], f_.result(step.op, i));
  }

  void walk_case(const Step& step) {
    read(f_.operand(step.op, 0), "a branch");
    const State before = state_;
    State after;
    for (size_t k = 0; k < step.blocks.size(); ++k) {
      state_ = before;
      const Block& branch = step.blocks[k];
      walk(branch);
      for (size_t i = 0; i < branch.results.size(); ++i) {
        if (plan_.find(f_.result(step.op, i)) < 0) read(branch.results[i], "the end of a branch");
      }
      for (size_t i = 0; i < branch.results.size(); ++i) {
        const int to = plan_.find(f_.result(step.op, i));
        if (to >= 0) move(to, branch.results[i], "the end of a branch");
      }
      for (size_t i = 0; i < branch.results.size(); ++i) {
        const int to = plan_.find(f_.result(step.op, i));
        if (to < 0) continue;
        if (!holds(state_[static_cast<size_t>(to)], branch.results[i]))
          fail(describe(branch.results[i]) + " does not reach the result of its branch");
        name(to, f_.result(step.op, i));
      }
      if (k == 0) after = state_;
      else meet(after, state_);
    }
    if (!step.blocks.empty()) state_ = std::move(after);
  }

  void walk_lane_while(const Step& step) {
    const size_t n = f_.num_results(step.op);
    const auto operands = f_.operands(step.op);
    const auto& varies = f_.attrs(step.op).ints("varies");
    const CarryPlan& carry = plan_.carries.at(step.op);
    const auto args = f_.args(step.blocks[0].region);
    for (size_t i = 0; i < n; ++i) {
      if (varies[i] != 0) move(carry.lane_buffers[i], operands[i], "the beginning of a loop over lanes");
    }
    // A carry's whole is read and written lane by lane: it holds the operand until its last lane.
    for (size_t i = n; i < operands.size(); ++i) {
      for (const Block& block : step.blocks) lane_of_[f_.args(block.region)[i]] = operands[i];
    }
    repeat([&] {
      for (size_t i = 0; i < operands.size(); ++i) {
        if (i >= n || varies[i] == 0) read(operands[i], "a lane");
        else if (!holds(state_[static_cast<size_t>(carry.lane_buffers[i])], operands[i]))
          fail(describe(operands[i]) + " does not reach its lanes");
        if (carry.buffers[i] >= 0 && i < n) write(static_cast<size_t>(carry.buffers[i]), args[i]);
      }
      const std::vector<Contents> wholes = [&] {
        std::vector<Contents> out;
        for (size_t i = 0; i < n; ++i) out.push_back(state_[static_cast<size_t>(carry.lane_buffers[i])]);
        return out;
      }();
      name_carries(step, carry, operands.size());
      loop(step, carry, n);
      for (size_t i = 0; i < n; ++i) {
        const auto whole = static_cast<size_t>(carry.lane_buffers[i]);
        if (varies[i] != 0 && !same(state_[whole], wholes[i]))
          fail("the lanes of a carry are written over by another lane");
        write(whole, f_.result(step.op, i));
        for (Value v : wholes[i]) name(carry.lane_buffers[i], v);
      }
    });
    for (size_t i = 0; i < n; ++i) write(static_cast<size_t>(carry.lane_buffers[i]), f_.result(step.op, i));
  }

  // ---- results ----

  void place_results() {
    const auto& results = body_.results;
    for (size_t j = 0; j < results.size(); ++j) {
      if (plan_.result_staging[j] >= 0) move(plan_.result_staging[j], results[j], "the way to a result");
    }
    for (size_t j = 0; j < results.size(); ++j) {
      if (!f_.type(results[j]).is_tensor()) continue;
      if (rules_.scalars_in_registers && passes_in_register(f_.type(results[j]))) {
        read(results[j], "a result");
        continue;
      }
      const int staging = plan_.result_staging[j];
      if (staging >= 0) {
        if (!holds(state_[static_cast<size_t>(staging)], results[j])) fail("a staged result was written over");
      } else {
        read(results[j], "a result");
      }
      const int at = plan_.find(results[j]);
      const auto place = space(Home::kResult, j);
      const auto is_place = [&](size_t b) {
        const Home home = buffer(b).home;
        return (home == Home::kResult || home == Home::kArgument) && space(home, buffer(b).index) == place;
      };
      if (at >= 0 && staging < 0 && is_place(static_cast<size_t>(at))) continue;
      // The copy to the caller's memory: other buffers that may lie there are gone.
      for (size_t b = 0; b < state_.size(); ++b) {
        if (!is_place(b)) continue;
        for (size_t other = 0; other < state_.size(); ++other) {
          if (root(other) != root(b) || (at >= 0 && other == static_cast<size_t>(at))) continue;
          state_[other].clear();
          overwritten_by_[other] = results[j];
        }
      }
    }
  }

  const Function& f_;
  const Block& body_;
  const MemoryPlan& plan_;
  const MemoryPlanInput& rules_;
  std::vector<size_t> set_;  // of buffers that change places
  std::vector<std::vector<size_t>> overlaps_;
  State state_;
  std::map<size_t, Value> overwritten_by_;
  std::unordered_map<Value, Value> lane_of_;  // region argument → the operand of which it is a part
};

}  // namespace

void check_memory_plan(const Function& function, const Block& schedule, const MemoryPlan& plan,
                       const MemoryPlanInput& rules) {
  Checker(function, schedule, plan, rules).run();
}

}  // namespace weft::native
