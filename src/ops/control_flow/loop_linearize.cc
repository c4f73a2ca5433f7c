// Derivatives of loops: stablehlo.while and weft.lane_while.
#include <algorithm>

#include "ops/control_flow/reverse_loop.h"

namespace weft {
namespace {

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

double bytes_of(const Function& f, std::span<const Value> values) {
  double bytes = 0;
  for (Value v : values) bytes += f.type(v).is_tensor() && f.type(v).is_static() ? double(f.type(v).num_bytes()) : 1e12;
  return bytes;
}

std::shared_ptr<ReverseLoop> reverse_loop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                          std::span<const Value> tangents) {
  const LoopVjp vjp(context, op, primals, tangents);
  auto stacks = std::make_shared<StackLoop>(vjp, context.primal());
  if (stacks->pushed().empty()) return stacks;
  RegionLinearizer& regions = context.regions();
  if (!regions.may_rerun(op)) return stacks;
  auto slots = std::make_shared<SlotLoop>(vjp);
  if (!slots->why_not().empty()) {
    regions.keeps_every_trip(op, slots->why_not());
    return stacks;
  }
  const int64_t count =
      regions.loop_slots(op, bytes_of(context.primal().function(), stacks->pushed()), slots->state_bytes());
  if (count == 0) return stacks;
  slots->set_slots(count);
  return slots;
}

Linearized linearize_loop(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  if (!context.is_reverse()) return forward_loop(context, op, primals, tangents);
  const std::shared_ptr<ReverseLoop> loop = reverse_loop(context, op, primals, tangents);
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
