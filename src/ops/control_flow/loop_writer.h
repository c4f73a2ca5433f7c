// Loops as derivatives write them: stablehlo.while, or weft.lane_while with its marks.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "ops/builder.h"
#include "ops/tangent_space.h"

namespace weft {

/// The lane extents of a weft.lane_while; none of a while.
std::span<const int64_t> lanes_of(const OpView& op);

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
std::vector<Value> source_args(const LoopShape& shape, std::span<const Value> carries, std::span<const Value> extras);
/// With the lane axes of `op` in front, if it has none.
Value over_lanes(OpBuilder& b, const OpView& op, Value v);
Value sum_over_lanes(OpBuilder& b, const OpView& op, Value v);

}  // namespace weft
