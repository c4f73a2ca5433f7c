#include "transform/loop_stacks.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "transform/counted_loop.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

class CounterFolder : public LoopRewriter {
 public:
  explicit CounterFolder(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const auto loop = counted_loop(from(), op);
    if (!loop) return false;
    std::vector<std::pair<size_t, int64_t>> known;
    for (size_t i = 0; i < from().num_results(op); ++i) {
      if (uses(from().result(op, i)) == 0) continue;
      if (const auto value = value_after(from(), op, *loop, i)) known.push_back({i, *value});
    }
    if (known.empty()) return false;
    copy_op(op, region);
    OpBuilder b(to(), region);
    b.loc = from().loc(op);
    for (const auto& [i, value] : known) {
      const Value result = from().result(op, i);
      map().set(result, b.scalar(from().type(result).element_type(), static_cast<double>(value)));
    }
    return true;
  }
};

class StackLayout : public LoopRewriter {
 public:
  explicit StackLayout(const Function& f) : LoopRewriter(f), users_(f.num_values()) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      for (Value v : f.operands(OpId{i})) users_[v.index] = OpId{i};
    }
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      if (f.def(OpId{i}).mnemonic == "weft.stack_new") plan(OpId{i});
    }
  }

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const auto changes = changes_.find(op);
    if (changes == changes_.end()) return false;
    const Function& f = from();
    const CountedLoop loop = *counted_loop(f, op);
    const size_t n = f.num_results(op);
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    std::vector<Value> operands;
    std::vector<size_t> position(n, SIZE_MAX);  // in the new loop; pops read their sequence from outside
    for (size_t i = 0; i < n; ++i) {
      const auto change = changes->second.find(i);
      if (change != changes->second.end() && !change->second.pushes) continue;
      position[i] = operands.size();
      operands.push_back(change != changes->second.end() ? b.zeros(sequence_type(change->second, loop.trips))
                                                         : map().at(f.operand(op, i)));
    }
    std::vector<RegionId> regions;
    for (size_t r = 0; r < 2; ++r) regions.push_back(write_region(op, r, loop, changes->second, position, operands));
    const std::vector<Value> results = b.create(f.def(op), operands, f.attrs(op), {}, regions);
    for (size_t i = 0; i < n; ++i) {
      if (position[i] == SIZE_MAX) continue;
      const auto change = changes->second.find(i);
      if (change == changes->second.end()) map().set(f.result(op, i), results[position[i]]);
      else sequences_[change->second.stack] = results[position[i]];
    }
    return true;
  }

 private:
  struct Change {
    OpId stack;   // the stack_new
    OpId access;  // its push or pop
    bool pushes;
  };

  /// The only user of v, when it has one use.
  OpId only_user(Value v) const { return uses(v) == 1 ? users_[v.index] : OpId{}; }

  /// Position of a value among the operands of an op.
  size_t operand_position(OpId op, Value v) const {
    const auto operands = from().operands(op);
    return static_cast<size_t>(std::ranges::find(operands, v) - operands.begin());
  }

  /// The push or pop that is all that happens to carry i in the body; none otherwise.
  OpId access(OpId loop, size_t i, std::string_view mnemonic, size_t result) const {
    const Function& f = from();
    const RegionId body = f.regions(loop)[1];
    if (uses(f.args(f.regions(loop)[0])[i]) != 0) return {};
    const OpId user = only_user(f.args(body)[i]);
    if (!user || f.def(user).mnemonic != mnemonic || f.parent(user) != body) return {};
    const Value after = f.result(user, result);
    if (uses(after) != 1 || f.operand(f.terminator(body), i) != after) return {};
    return user;
  }

  void plan(OpId made) {
    const Function& f = from();
    const Value stack = f.result(made);
    const OpId first = only_user(stack);
    if (!first || f.parent(first) != f.parent(made)) return;
    const auto forward = counted_loop(f, first);
    if (!forward || forward->trips < 1) return;
    const size_t i = operand_position(first, stack);
    const OpId push = access(first, i, "weft.stack_push", 0);
    if (!push) return;
    const Type element = f.type(f.operand(push, 1));
    if (!element.is_tensor() || !element.is_static() || element.num_elements() == 0) return;
    const Value filled = f.result(first, i);
    const OpId second = only_user(filled);
    if (!second || f.parent(second) != f.parent(made)) return;
    const auto backward = counted_loop(f, second);
    if (!backward || backward->trips != forward->trips) return;
    const size_t j = operand_position(second, filled);
    const OpId pop = access(second, j, "weft.stack_pop", 0);
    if (!pop || uses(f.result(second, j)) != 0) return;
    changes_[first][i] = {made, push, true};
    changes_[second][j] = {made, pop, false};
  }

  Type sequence_type(const Change& change, int64_t trips) const {
    const Type t = from().type(from().operand(change.access, 1));
    std::vector<int64_t> shape = {trips};
    shape.insert(shape.end(), t.shape().begin(), t.shape().end());
    return Type::tensor(t.element_type(), shape);
  }

  RegionId write_region(OpId op, size_t r, const CountedLoop& loop, const std::map<size_t, Change>& changes,
                        const std::vector<size_t>& position, const std::vector<Value>& operands) {
    const Function& f = from();
    const RegionId source = f.regions(op)[r], region = to().new_region();
    std::vector<Value> args;
    for (Value v : operands) args.push_back(to().add_arg(region, to().type(v)));
    for (size_t i = 0; i < position.size(); ++i) {
      if (position[i] != SIZE_MAX) map().set(f.args(source)[i], args[position[i]]);
    }
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    const auto old = f.operands(f.terminator(source));
    if (r == 0) {
      copy_ops(source, region);
      b.yield(std::vector{map().at(old[0])});
      return region;
    }
    const Value counter = args[position[loop.counter]];
    Value at;
    const auto starts = [&](const Type& sequence, bool pushes) {
      if (!at) at = iteration_of(b, loop, counter);
      const ElementType t = b.type(at).element_type();
      std::vector<Value> s(static_cast<size_t>(sequence.rank()), b.scalar(t, 0));
      s[0] = pushes ? at : b.subtract(b.scalar(t, static_cast<double>(loop.trips - 1)), at);
      return s;
    };
    for (const auto& [i, change] : changes) {  // what was popped is read first
      if (change.pushes) continue;
      const Value whole = sequences_.at(change.stack), popped = f.result(change.access, 1);
      std::vector<int64_t> sizes(to().type(whole).shape().begin(), to().type(whole).shape().end());
      sizes[0] = 1;
      const Value slice = b.dynamic_slice(whole, starts(to().type(whole), false), sizes);
      map().set(popped, b.reshape(slice, f.type(popped).shape()));
    }
    copy_ops(source, region, [&](OpId inner) {
      return std::ranges::any_of(changes, [&](const auto& c) { return c.second.access == inner; });
    });
    std::vector<Value> results(operands.size());
    for (size_t i = 0; i < position.size(); ++i) {
      if (position[i] == SIZE_MAX) continue;
      const auto change = changes.find(i);
      if (change == changes.end()) {
        results[position[i]] = map().at(old[i]);
        continue;
      }
      const Value pushed = map().at(f.operand(change->second.access, 1)), whole = args[position[i]];
      results[position[i]] = b.dynamic_update_slice(whole, with_axis(b, pushed, 0), starts(to().type(whole), true));
    }
    b.yield(results);
    return region;
  }

  std::vector<OpId> users_;  // the last user of each value
  std::unordered_map<OpId, std::map<size_t, Change>> changes_;
  std::unordered_map<OpId, Value> sequences_;  // of new loops, by stack
};

}  // namespace

std::unique_ptr<Function> fold_counters(const Function& f) { return CounterFolder(f).run(); }
std::unique_ptr<Function> lay_out_stacks(const Function& f) { return StackLayout(f).run(); }

}  // namespace weft
