#include "ops/control_flow/reverse_loop.h"

#include <algorithm>

namespace weft {

LoopVjp::LoopVjp(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
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
}

void LoopVjp::add_source(LoopWriter& loop) const {
  for (size_t i = 0; i < primals_.size(); ++i) {
    if (!shape_.is_extra[i]) loop.carry(primals_[i], shape_.types[i], shape_.varies[i]);
  }
  add_extras(loop);
}

void LoopVjp::add_extras(LoopWriter& loop) const {
  for (size_t i = 0; i < primals_.size(); ++i) {
    if (shape_.is_extra[i]) loop.extra(primals_[i], shape_.types[i], shape_.varies[i]);
  }
}

std::vector<Value> LoopVjp::results_of(OpBuilder& b, const LoopWriter& loop, std::span<const Value> carries) const {
  std::vector<Value> results;
  for (size_t i = 0, at = 0; i < shape_.carries; ++i) {
    if (!shape_.is_extra[i]) results.push_back(carries[at++]);
    else results.push_back(loop.has_lanes() && !shape_.varies[i] ? over_lanes(b, op_, primals_[i]) : primals_[i]);
  }
  return results;
}

bool LoopVjp::sum_varies(const LoopWriter& loop, size_t k) const {
  return k < request_.captures.size() || !loop.has_lanes() ||
         shape_.varies[request_.summed[k - request_.captures.size()]];
}

void LoopVjp::add_cotangents(LoopWriter& loop, std::span<const Value> cotangents, std::span<const Value> sums) const {
  for (size_t k = 0; k < moving_.size(); ++k) {
    const Type t = shape_.types[moving_[k]];
    if (cotangents[k]) loop.carry(cotangents[k], t, true);
    else loop.zero_carry(t);
  }
  for (size_t k = 0; k < sum_types_.size(); ++k) {
    const Value start = sums[moving_.size() + k];
    if (start && sum_varies(loop, k)) loop.carry(start, sum_types_[k], true);
    else loop.zero_carry(sum_types_[k]);
  }
}

std::vector<Value> LoopVjp::backward_trip(OpBuilder& b, std::span<const Value> kept, std::span<const Value> kept_now,
                                          std::span<const Value> now) const {
  std::vector<Value> given(shape_.carries), out;
  for (size_t k = 0; k < moving_.size(); ++k) given[moving_[k]] = now[k];
  const std::span<const Value> sums = now.subspan(moving_.size());
  const std::vector<Value> back = regions_.emit_backward(vjp_, kept, b, kept_now, given, sums);
  for (size_t i : moving_) out.push_back(back[i] ? back[i] : zero_tangent(b, shape_.types[i]));
  for (size_t k = 0; k < sum_types_.size(); ++k) {
    const Value sum = back[vjp_.args.size() + k];
    out.push_back(sum ? sum : sums[k]);
  }
  return out;
}

std::vector<Value> LoopVjp::cotangents_of(OpBuilder& b, const LoopWriter& loop, std::span<const Value> last,
                                          std::span<const Value> sums) const {
  std::vector<Value> out;
  for (size_t k = 0; k < moving_.size(); ++k)
    out.push_back(loop.has_lanes() && !shape_.varies[moving_[k]] ? sum_over_lanes(b, op_, last[k]) : last[k]);
  for (size_t k = 0; k < sum_types_.size(); ++k) {
    const Value v = last[moving_.size() + k];
    out.push_back(sum_varies(loop, k) ? v : accumulate_tangent(b, sums[moving_.size() + k], sum_over_lanes(b, op_, v)));
  }
  return out;
}

std::vector<Value> ReverseLoop::write_linear(LinearizeContext& context, std::span<const Value> tangents,
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

}  // namespace weft
