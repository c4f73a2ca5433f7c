#include "transform/lane_branches.h"

#include <algorithm>

#include "transform/lane_regions.h"
#include "transform/loop_rewriter.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr int64_t kBlockElements = 1 << 16, kFewestLanes = 64, kMostLanes = 4096;
constexpr ElementType kNumber = ElementType::kI32;

class BranchJoiner : public LoopRewriter {
 public:
  BranchJoiner(const Function& f, const std::function<int64_t(int64_t)>& likely) : LoopRewriter(f), likely_(likely) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "weft.lane_while") return false;
    const OpView view{f, op};
    const size_t choice = branch_choice(view);
    if (choice == SIZE_MAX || !has_static_lanes(view)) return false;
    const auto& varies = view.attrs().ints("varies");
    const auto inner = f.args(view.region(1));
    const size_t carries = view.num_results();
    const int64_t lanes = num_elements(view.attrs().ints("lanes"));
    if (lanes < 2) return false;
    std::vector<bool> by_lane;
    int64_t elements = 0;
    for (size_t i = 0; i < inner.size(); ++i) {
      const Type t = f.type(inner[i]);
      if (!t.is_tensor() || !t.is_static() || t.is_quantized()) return false;
      by_lane.push_back(i < carries || varies[i] != 0);
      elements += by_lane[i] ? t.num_elements() : 0;
    }
    if (!is_quiet(f, view.region(1))) return false;
    // The last block is full of lanes that ran before.
    int64_t block = kMostLanes;
    while (block > kFewestLanes && (block * elements > kBlockElements || block * 4 > lanes)) block /= 2;
    // Blocks are for so many lanes that at least one is full.
    const int64_t count = likely_ ? likely_(lanes) : lanes;
    const bool has_blocks = count == lanes && lanes > block;
    const LaneCost cost = cheapest_branch(count, lane_loop_work(view, by_lane, count), has_blocks ? block : 0,
                                          lane_loop_work(view, by_lane, block), lane_loop_bytes(view));
    const std::string note = cost.str(count);
    if (cost.way == LaneWay::kOneByOne) {
      copy_op(op, region);
      note_lanes(to(), to().ops(region).back(), note);
      return true;
    }

    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    std::vector<Value> given;
    for (Value v : view.operands()) given.push_back(map().at(v));
    const std::vector<Value> operands = on_one_lane_axis(b, view, given, carries, lanes);
    Module module;
    module.add(one_lane_region(view, 1, "branch"));
    std::vector<int64_t> axes;
    for (bool v : by_lane) axes.push_back(v ? 0 : kUniform);
    const int64_t at_once = cost.way == LaneWay::kTogether ? lanes : block;
    const Function& branch = vectorize(module, "branch", axes, at_once, {.name = "lanes"});
    const std::vector<Value> out = cost.way == LaneWay::kTogether
                                       ? of_all(b, branch, operands, choice, carries)
                                       : of_takers(b, branch, operands, by_lane, choice, carries, block, note);
    for (size_t i = 0; i < carries; ++i) map().set(view.result(i), b.reshape(out[i], f.type(view.result(i)).shape()));
    return true;
  }

 private:
  /// The carry that says whether a lane takes the branch, if the body always clears it.
  static size_t branch_choice(const OpView& op) {
    const Function& f = op.function;
    const Value asked = f.operand(f.terminator(op.region(0)), 0);
    const auto args = f.args(op.region(0));
    const auto at = static_cast<size_t>(std::ranges::find(args, asked) - args.begin());
    if (at >= op.num_results()) return SIZE_MAX;
    const OpId next = f.defining_op(f.operand(f.terminator(op.region(1)), at));
    if (!next || f.def(next).mnemonic != "stablehlo.constant") return SIZE_MAX;
    return *f.attrs(next).literal("value").element(0) == std::byte{0} ? at : SIZE_MAX;
  }

  static std::vector<Value> of_all(OpBuilder& b, const Function& branch, const std::vector<Value>& operands,
                                   size_t choice, size_t carries) {
    std::vector<Value> out = inlined(branch, b, operands);
    const int64_t lane_axis[] = {0};
    for (size_t i = 0; i < carries; ++i)
      out[i] = b.select(b.broadcast_in_dim(operands[choice], lane_axis, b.type(out[i]).shape()), out[i], operands[i]);
    return out;
  }

  /// Numbers of the lanes that hold in the mask come first, in order; beyond them stands a number that no lane has. And how many they are.
  static std::pair<Value, Value> takers(OpBuilder& b, Value mask) {
    const int64_t lanes = b.type(mask).dim(0);
    const Type numbers = Type::tensor(kNumber, std::vector<int64_t>{lanes});
    const Value ones = b.convert(mask, kNumber);
    WindowAttrs window;
    window.dimensions = {lanes};
    window.padding = {lanes - 1, 0};
    const Value so_far = b.reduce_window(ones, b.scalar(kNumber, 0), window, "stablehlo.add");
    const Value none = b.splat(numbers, static_cast<double>(lanes));
    const Value place = b.select(mask, b.subtract(so_far, b.splat(numbers, 1)), none);
    const int64_t lane_axis[] = {0};
    return {put_rows(b, none, place, b.iota(numbers, 0)), b.reduce(ones, lane_axis, "stablehlo.add")};
  }

  static std::vector<Value> of_takers(OpBuilder& b, const Function& branch, const std::vector<Value>& operands,
                                      const std::vector<bool>& by_lane, size_t choice, size_t carries, int64_t block,
                                      const std::string& note) {
    const auto [order, count] = takers(b, operands[choice]);
    std::vector<Value> state = {b.scalar(kNumber, 0)};
    state.insert(state.end(), operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(carries));
    std::vector<Type> types;
    for (Value v : state) types.push_back(b.type(v));
    const RegionId regions[] = {
        b.make_region(
            types,
            [&](OpBuilder& c, std::span<const Value> s) { return std::vector<Value>{c.compare(s[0], count, "LT")}; }),
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> s) {
          // The last block begins early enough to be whole: what runs again makes the same of its operands.
          const Value starts[] = {s[0]};
          const int64_t sizes[] = {block};
          const Value numbers = c.dynamic_slice(order, starts, sizes);
          std::vector<Value> args;
          for (size_t i = 0; i < operands.size(); ++i)
            args.push_back(by_lane[i] ? take_rows(c, operands[i], numbers) : operands[i]);
          const std::vector<Value> made = inlined(branch, c, args);
          std::vector<Value> next = {c.add(s[0], c.scalar(kNumber, static_cast<double>(block)))};
          for (size_t i = 0; i < carries; ++i) next.push_back(put_rows(c, s[i + 1], numbers, made[i]));
          return next;
        })};
    const std::vector<Value> end = b.create("stablehlo.while", state, {{kLanesNote, note}}, types, regions);
    return {end.begin() + 1, end.end()};
  }

  const std::function<int64_t(int64_t)>& likely_;
};

}  // namespace

std::unique_ptr<Function> join_branches(const Function& f, const std::function<int64_t(int64_t)>& likely) {
  return BranchJoiner(f, likely).run();
}

}  // namespace weft
