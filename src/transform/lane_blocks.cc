#include "transform/lane_blocks.h"

#include <algorithm>

#include "ops/control_flow/lane_cost.h"
#include "ops/record.h"
#include "transform/lane_regions.h"
#include "transform/loop_rewriter.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr int64_t kBlockElements = 1 << 16, kFewestLanes = 64, kMostLanes = 4096;

class LaneBlocks : public LoopRewriter {
 public:
  LaneBlocks(const Function& f, const std::function<int64_t(int64_t)>& likely) : LoopRewriter(f), likely_(likely) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "weft.lane_while" || f.attrs(op).has(kLanesNote)) return false;
    const OpView view{f, op};
    if (!is_eligible(view)) return false;
    const auto& axes = view.attrs().ints("lanes");
    const auto& varies = view.attrs().ints("varies");
    const size_t carries = static_cast<size_t>(view.attrs().integer("num_carries"));
    int64_t lanes = 1, elements = 0;
    for (int64_t n : axes) lanes *= n;
    const auto inner = f.args(view.region(1));
    for (size_t i = 0; i < inner.size(); ++i)
      elements += i < carries || varies[i] != 0 ? f.type(inner[i]).num_elements() : 0;
    if (lanes < 2 || elements == 0) return false;
    int64_t block = kMostLanes;
    while (block > kFewestLanes && block * elements > kBlockElements) block /= 2;
    // Blocks are for so many lanes that at least one is full.
    const int64_t count = likely_ ? likely_(lanes) : lanes;
    if (count != lanes || lanes <= 2 * block) block = lanes;
    std::vector<bool> by_lane;
    for (size_t i = 0; i < inner.size(); ++i) by_lane.push_back(i < carries || varies[i] != 0);
    const LaneCost cost = weighed(view, by_lane, count, count != lanes ? count : block);
    note_ = cost.str(count);
    if (cost.way == LaneWay::kOneByOne) {
      copy_op(op, region);
      note_lanes(to(), to().ops(region).back(), note_);
      return true;
    }

    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    std::vector<Value> given;
    for (Value v : view.operands()) given.push_back(map().at(v));
    const std::vector<Value> operands = on_one_lane_axis(b, view, given, carries, lanes);
    Module module;
    const Function &cond = lanes_of(module, view, 0, "cond", by_lane, block),
                   &body = lanes_of(module, view, 1, "body", by_lane, block);
    const Lanes l{cond, body, block, lanes, carries, by_lane};
    const std::vector<Value> out = block == lanes ? all_at_once(b, l, operands) : by_blocks(b, l, operands);
    for (size_t i = 0; i < carries; ++i) map().set(view.result(i), b.reshape(out[i], f.type(view.result(i)).shape()));
    return true;
  }

 private:
  struct Lanes {
    const Function &cond, &body;  // of a block
    int64_t block, lanes;
    size_t carries;
    std::vector<bool> by_lane;
  };

  static bool is_eligible(const OpView& op) {
    const Function& f = op.function;
    bool has_tensor = false;
    if (!has_static_lanes(op)) return false;
    for (RegionId r : op.regions()) {
      for (Value v : f.args(r)) {
        const Type t = f.type(v);
        if (!t.is_tensor() || !t.is_static() || t.is_quantized()) return false;
        has_tensor = has_tensor || t.rank() > 0;
      }
      if (!is_quiet(f, r)) return false;
    }
    return has_tensor;
  }

  /// What the loop costs in one way and another.
  static LaneCost weighed(const OpView& op, const std::vector<bool>& by_lane, int64_t lanes, int64_t block) {
    const LaneWork work = lane_loop_work(op, by_lane, block);
    const double bytes = lane_loop_bytes(op);
    return block == lanes ? cheapest_way(lanes, work, 0, {}, bytes) : cheapest_way(lanes, {}, block, work, bytes);
  }

  /// A region of the loop as a function of a block of lanes.
  static const Function& lanes_of(Module& module, const OpView& op, size_t r, const std::string& name,
                                  const std::vector<bool>& by_lane, int64_t block) {
    module.add(one_lane_region(op, r, name));
    std::vector<int64_t> axes;
    for (bool varies : by_lane) axes.push_back(varies ? 0 : kUniform);
    return vectorize(module, name, axes, block, {.name = name + "_lanes"});
  }

  static Value choose(OpBuilder& b, Value mask, Value x, Value y) {
    const std::vector<int64_t> axis = {0};
    return b.select(b.broadcast_in_dim(mask, axis, b.type(x).shape()), x, y);
  }
  static Value any(OpBuilder& b, Value mask) {
    const std::vector<int64_t> axis = {0};
    return b.reduce(mask, axis, "stablehlo.or");
  }

  /// One step of the lanes in `active`: their new carries and which of them go on.
  static std::vector<Value> step(OpBuilder& b, const Lanes& l, Value active, std::vector<Value> args) {
    const std::vector<Value> next = inlined(l.body, b, args);
    for (size_t i = 0; i < l.carries; ++i) args[i] = choose(b, active, next[i], args[i]);
    const Value goes_on = b.logical_and(active, inlined(l.cond, b, args)[0]);
    std::vector<Value> out = {goes_on};
    out.insert(out.end(), args.begin(), args.begin() + static_cast<std::ptrdiff_t>(l.carries));
    return out;
  }

  static std::vector<Type> types_of(const OpBuilder& b, std::span<const Value> values) {
    std::vector<Type> types;
    for (Value v : values) types.push_back(b.type(v));
    return types;
  }

  std::vector<Value> all_at_once(OpBuilder& b, const Lanes& l, const std::vector<Value>& operands) {
    std::vector<Value> state = {inlined(l.cond, b, operands)[0]};
    state.insert(state.end(), operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(l.carries));
    const auto types = types_of(b, state);
    const RegionId regions[] = {
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) { return std::vector{any(c, a[0])}; }),
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
          std::vector<Value> args(a.begin() + 1, a.end());
          args.insert(args.end(), operands.begin() + static_cast<std::ptrdiff_t>(l.carries), operands.end());
          return step(c, l, a[0], args);
        })};
    const std::vector<Value> end = b.create("stablehlo.while", state, {{kLanesNote, note_}}, {}, regions);
    return {end.begin() + 1, end.end()};
  }

  // ---- blocks; lanes are numbered by i32

  /// How many of the mask's n places before each are set: within rows of a square, and in the rows before.
  static Value ranks(OpBuilder& b, Value mask, int64_t n) {
    int64_t row = 1;
    while (row * row < n) row *= 2;
    const int64_t rows = n / row;  // n is a power of two
    const std::vector<int64_t> grid = {rows, row}, cube = {rows, row, row}, square = {rows, rows}, flat = {n};
    const std::vector<int64_t> first = {0}, second = {1}, third = {2}, outer_and_last = {0, 2};
    const auto before = [&](const std::vector<int64_t>& shape) {
      const Type t = Type::tensor(ElementType::kI32, shape);
      const int64_t last = static_cast<int64_t>(shape.size()) - 1;
      return b.compare(b.iota(t, last), b.iota(t, last - 1), "LT");
    };
    const Value set = b.reshape(b.convert(mask, ElementType::kI32), grid);
    const Value zero = b.zeros(Type::tensor(ElementType::kI32, cube));
    const Value in_row =
        b.reduce(b.select(before(cube), b.broadcast_in_dim(set, outer_and_last, cube), zero), third, "stablehlo.add");
    const Value row_sums = b.reduce(set, second, "stablehlo.add");
    const Value none = b.zeros(Type::tensor(ElementType::kI32, square));
    const Value in_rows_before =
        b.reduce(b.select(before(square), b.broadcast_in_dim(row_sums, second, square), none), second, "stablehlo.add");
    return b.reshape(b.add(in_row, b.broadcast_in_dim(in_rows_before, first, grid)), flat);
  }
  static Value count(OpBuilder& b, Value mask) {
    const std::vector<int64_t> axis = {0};
    return b.reduce(b.convert(mask, ElementType::kI32), axis, "stablehlo.add");
  }

  // State: next waiting lane, numbers of the lanes at work, which of them go on, their carries and what else varies, the results.
  std::vector<Value> by_blocks(OpBuilder& b, const Lanes& l, const std::vector<Value>& operands) {
    const Value lanes = b.scalar(ElementType::kI32, static_cast<double>(l.lanes));
    const Value numbers = b.iota(Type::tensor(ElementType::kI32, std::vector<int64_t>{l.block}), 0);
    std::vector<Value> first = operands;
    std::vector<size_t> in_state;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!l.by_lane[i]) continue;
      in_state.push_back(i);
      std::vector<int64_t> low(static_cast<size_t>(b.type(operands[i]).rank()), 0);
      std::vector<int64_t> high(b.type(operands[i]).shape().begin(), b.type(operands[i]).shape().end());
      high[0] = l.block;
      first[i] = b.slice(operands[i], low, high);
    }
    std::vector<Value> state = {b.scalar(ElementType::kI32, static_cast<double>(l.block)), numbers,
                                inlined(l.cond, b, first)[0]};
    for (size_t i : in_state) state.push_back(first[i]);
    const size_t results = state.size();
    state.insert(state.end(), operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(l.carries));
    const auto types = types_of(b, state);
    const auto arguments = [&](std::span<const Value> a) {
      std::vector<Value> args = operands;
      for (size_t k = 0; k < in_state.size(); ++k) args[in_state[k]] = a[3 + k];
      return args;
    };
    const auto leave = [&](OpBuilder& c, std::vector<Value>& s) {
      for (size_t i = 0; i < l.carries; ++i) s[results + i] = put_rows(c, s[results + i], s[1], s[3 + i]);
    };
    const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      return std::vector{c.logical_or(any(c, a[2]), c.compare(a[0], lanes, "LT"))};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      std::vector<Value> s(a.begin(), a.end());
      // While few are done, or all that are left are here and some are not.
      const int64_t most = l.block - l.block / 4;
      const Value enough =
          c.select(c.compare(s[0], lanes, "LT"), c.scalar(ElementType::kI32, static_cast<double>(most)),
                   c.scalar(ElementType::kI32, 0));
      std::vector<Value> hot = {s[2]};
      hot.insert(hot.end(), s.begin() + 3, s.begin() + 3 + static_cast<std::ptrdiff_t>(l.carries));
      const std::vector<Value> rest = arguments(s);
      const auto hot_types = types_of(c, hot);
      const RegionId regions[] = {c.make_region(hot_types,
                                                [&](OpBuilder& d, std::span<const Value> h) {
                                                  return std::vector{d.compare(count(d, h[0]), enough, "GT")};
                                                }),
                                  c.make_region(hot_types, [&](OpBuilder& d, std::span<const Value> h) {
                                    std::vector<Value> args = rest;
                                    std::copy(h.begin() + 1, h.end(), args.begin());
                                    return step(d, l, h[0], args);
                                  })};
      const std::vector<Value> after = c.create("stablehlo.while", hot, {}, {}, regions);
      s[2] = after[0];
      std::copy(after.begin() + 1, after.end(), s.begin() + 3);
      leave(c, s);
      // Waiting lanes to the free places, in order.
      const Value free = c.logical_not(s[2]);
      const std::vector<int64_t> block = {l.block};
      const Value candidates = c.add(c.broadcast_scalar(s[0], block), ranks(c, free, l.block));
      const Value all_lanes = c.broadcast_scalar(lanes, block);
      const Value admitted = c.logical_and(free, c.compare(candidates, all_lanes, "LT"));
      s[1] = c.select(admitted, candidates, s[1]);
      for (size_t k = 0; k < in_state.size(); ++k)
        s[3 + k] = choose(c, admitted, take_rows(c, operands[in_state[k]], s[1]), s[3 + k]);
      s[0] = c.minimum(c.add(s[0], count(c, free)), lanes);
      s[2] = c.logical_or(s[2], c.logical_and(admitted, inlined(l.cond, c, arguments(s))[0]));
      return s;
    });
    const RegionId regions[] = {cond, body};
    std::vector<Value> end = b.create("stablehlo.while", state, {{kLanesNote, note_}}, {}, regions);
    leave(b, end);
    return {end.begin() + static_cast<std::ptrdiff_t>(results), end.end()};
  }

  const std::function<int64_t(int64_t)>& likely_;
  std::string note_;  // of the loop at hand
};

}  // namespace

std::unique_ptr<Function> block_lanes(const Function& f, const std::function<int64_t(int64_t)>& likely) {
  return LaneBlocks(f, likely).run();
}

}  // namespace weft
