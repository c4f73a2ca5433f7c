// weft.lane_while in StableHLO alone: a loop over the lanes, in which each runs its own loop.
#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"

namespace weft {
namespace {

std::vector<int64_t> joined(int64_t first, std::span<const int64_t> rest) {
  std::vector<int64_t> out = {first};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

/// Start indices of lane `lane` in an array of rank `rank` whose first axis counts lanes.
std::vector<Value> at_lane(OpBuilder& b, Value lane, int64_t rank) {
  std::vector<Value> starts(static_cast<size_t>(rank), b.scalar(ElementType::kI64, 0));
  starts[0] = lane;
  return starts;
}

/// The source region with `args` for its first arguments and `rest` for the others.
std::vector<Value> copied(OpBuilder& into, const OpView& op, RegionId region, std::span<const Value> args,
                          std::span<const Value> rest) {
  ValueMap map(op.function);
  const auto formal = op.function.args(region);
  for (size_t i = 0; i < formal.size(); ++i) map.set(formal[i], i < args.size() ? args[i] : rest[i - args.size()]);
  return clone_ops(op.function, region, into.function(), into.region(), map);
}

}  // namespace

std::vector<Value> portable_lane_while(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  OpBuilder& b = context.builder();
  const std::vector<int64_t>&lanes = op.attrs().ints("lanes"), varies = op.attrs().ints("varies");
  const auto carries = static_cast<size_t>(op.attrs().integer("num_carries"));
  const int64_t count = num_elements(lanes);
  std::vector<Type> inner;
  for (Value v : op.function.args(op.region(1))) inner.push_back(op.function.type(v));
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!inner[i].is_tensor() || !inner[i].is_static()) {
      throw Unsupported("[weft.lane_while] portable form: operand " + std::to_string(i) + ": got " + inner[i].str() +
                            ", expected a static tensor",
                        op.loc());
    }
  }
  std::vector<Value> given(operands.begin(), operands.end());
  for (size_t i = 0; i < given.size(); ++i) {
    if (varies[i] != 0) given[i] = b.reshape(given[i], joined(count, inner[i].shape()));
  }
  std::vector<Value> state = {b.scalar(ElementType::kI64, 0)};
  for (size_t i = 0; i < carries; ++i) state.push_back(b.zeros(inner[i].with_shape(joined(count, inner[i].shape()))));
  std::vector<Type> types, carried(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(carries));
  for (Value v : state) types.push_back(b.type(v));
  const RegionId all[] = {
      b.make_region(types,
                    [&](OpBuilder& c, std::span<const Value> x) {
                      return std::vector{
                          c.compare(x[0], c.scalar(ElementType::kI64, static_cast<double>(count)), "LT")};
                    }),
      b.make_region(types, [&](OpBuilder& c, std::span<const Value> x) {
        std::vector<Value> own;
        for (size_t i = 0; i < given.size(); ++i) {
          own.push_back(varies[i] == 0 ? given[i]
                                       : c.reshape(c.dynamic_slice(given[i], at_lane(c, x[0], inner[i].rank() + 1),
                                                                   joined(1, inner[i].shape())),
                                                   inner[i].shape()));
        }
        const std::span<const Value> first = std::span(own).first(carries), rest = std::span(own).subspan(carries);
        const RegionId loop[] = {
            c.make_region(carried, [&](OpBuilder& r, auto args) { return copied(r, op, op.region(0), args, rest); }),
            c.make_region(carried, [&](OpBuilder& r, auto args) { return copied(r, op, op.region(1), args, rest); })};
        const std::vector<Value> done = c.create("stablehlo.while", first, {}, carried, loop);
        std::vector<Value> next = {c.add(x[0], c.scalar(ElementType::kI64, 1))};
        for (size_t i = 0; i < carries; ++i) {
          next.push_back(c.dynamic_update_slice(x[i + 1], c.reshape(done[i], joined(1, inner[i].shape())),
                                                at_lane(c, x[0], inner[i].rank() + 1)));
        }
        return next;
      })};
  std::vector<Value> out = b.create("stablehlo.while", state, {}, types, all);
  out.erase(out.begin());
  for (size_t i = 0; i < carries; ++i) out[i] = b.reshape(out[i], op.result_type(i).shape());
  return out;
}

}  // namespace weft
