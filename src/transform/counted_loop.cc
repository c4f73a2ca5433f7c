#include "transform/counted_loop.h"

#include <algorithm>
#include <cstring>

#include "weft/element_type.h"

namespace weft {
namespace {

// Far from the ends of 32-bit counters, so that nothing below wraps around.
constexpr int64_t kFar = int64_t{1} << 30;

bool is_far(int64_t v) { return v <= -kFar || v >= kFar; }

const OpDef* def_of(const Function& f, Value v) {
  const OpId op = f.defining_op(v);
  return op ? &f.def(op) : nullptr;
}

bool is(const Function& f, Value v, std::string_view mnemonic) {
  const OpDef* def = def_of(f, v);
  return def != nullptr && def->mnemonic == mnemonic;
}

/// Iterations while `start + step · t DIRECTION limit` holds; none when it never ends or does not end exactly.
std::optional<int64_t> trips_of(int64_t start, int64_t step, int64_t limit, std::string_view direction) {
  if (step == 0) return std::nullopt;
  if (direction == "NE") {
    const int64_t distance = limit - start;
    if (distance % step != 0 || distance / step < 0) return std::nullopt;
    return distance / step;
  }
  if (direction == "LE" || direction == "GE") {
    limit += direction == "LE" ? 1 : -1;
    direction = direction == "LE" ? "LT" : "GT";
  }
  const bool up = direction == "LT";
  if ((!up && direction != "GT") || (step > 0) != up) return std::nullopt;
  const int64_t distance = up ? limit - start : start - limit, stride = up ? step : -step;
  return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

}  // namespace

std::optional<int64_t> integer_constant(const Function& f, Value v) {
  const OpId op = f.defining_op(v);
  if (!op || f.def(op).mnemonic != "stablehlo.constant" || !f.type(v).is_tensor() || !f.type(v).is_static())
    return std::nullopt;
  const ElementType t = f.type(v).element_type();
  if (!is_integer(t) || is_boolean(t) || byte_size(t) > 8 || bit_width(t) < 8 || f.type(v).num_elements() != 1)
    return std::nullopt;
  const Literal& literal = f.attrs(op).literal("value");
  uint64_t bits = 0;
  std::memcpy(&bits, literal.element(0), byte_size(t));
  const unsigned unused = 64 - 8 * static_cast<unsigned>(byte_size(t));
  if (is_signed_integer(t)) return static_cast<int64_t>(bits << unused) >> unused;
  if (static_cast<int64_t>(bits) < 0) return std::nullopt;
  return static_cast<int64_t>(bits);
}

std::optional<CountedLoop> counted_loop(const Function& f, OpId op) {
  if (f.def(op).mnemonic != "stablehlo.while") return std::nullopt;
  const RegionId cond = f.regions(op)[0], body = f.regions(op)[1];
  const Value test = f.operand(f.terminator(cond), 0);
  if (!is(f, test, "stablehlo.compare")) return std::nullopt;
  const OpId compare = f.defining_op(test);
  std::string_view direction = f.attrs(compare).text("comparison_direction");
  Value counter = f.operand(compare, 0), bound = f.operand(compare, 1);
  if (f.defining_op(counter)) {
    std::swap(counter, bound);
    if (direction == "LT") direction = "GT";
    else if (direction == "GT") direction = "LT";
    else if (direction == "LE") direction = "GE";
    else if (direction == "GE") direction = "LE";
  }
  if (f.defining_op(counter) || f.region(counter) != cond) return std::nullopt;
  CountedLoop loop;
  loop.counter = f.position(counter);
  const Value inside = f.args(body)[loop.counter], next = f.operand(f.terminator(body), loop.counter);
  const bool adds = is(f, next, "stablehlo.add"), subtracts = is(f, next, "stablehlo.subtract");
  if (!adds && !subtracts) return std::nullopt;
  const OpId sum = f.defining_op(next);
  Value by = f.operand(sum, 1);
  if (f.operand(sum, 0) != inside) {
    if (!adds || by != inside) return std::nullopt;
    by = f.operand(sum, 0);
  }
  const auto start = integer_constant(f, f.operand(op, loop.counter)), limit = integer_constant(f, bound),
             step = integer_constant(f, by);
  if (!start || !limit || !step || is_far(*start) || is_far(*limit) || is_far(*step)) return std::nullopt;
  loop.start = *start;
  loop.step = adds ? *step : -*step;
  const auto trips = trips_of(loop.start, loop.step, *limit, direction);
  const ElementType t = f.type(inside).element_type();
  if (!trips || byte_size(t) < 4) return std::nullopt;
  loop.trips = *trips;
  const int64_t last = loop.start + loop.step * loop.trips;
  if (is_far(last) || (!is_signed_integer(t) && (loop.start < 0 || last < 0))) return std::nullopt;
  return loop;
}

namespace {

constexpr int kMaxDepth = 8;  // of an index's expression

/// A carry that starts at a constant and to which the body adds one.
std::optional<Affine> stepped_carry(const Function& f, OpId op, const CountedLoop& loop, size_t carry) {
  const RegionId body = f.regions(op)[1];
  const Value before = f.args(body)[carry], after = f.operand(f.terminator(body), carry);
  const auto start = integer_constant(f, f.operand(op, carry));
  const OpId sum = f.defining_op(after);
  if (!start || !sum || !f.type(before).is_scalar() || byte_size(f.type(before).element_type()) < 4)
    return std::nullopt;
  const std::string_view name = f.def(sum).mnemonic;
  if ((name != "stablehlo.add" && name != "stablehlo.subtract") || f.operand(sum, 0) != before) return std::nullopt;
  const auto by = integer_constant(f, f.operand(sum, 1));
  if (!by || is_far(*start) || is_far(*by) || is_far(loop.trips)) return std::nullopt;
  const Affine out{name == "stablehlo.add" ? *by : -*by, *start};
  const int64_t last = out.offset + out.factor * loop.trips;
  const bool fits = !is_far(last) && (is_signed_integer(f.type(before).element_type()) || last >= 0);
  return fits ? std::optional(out) : std::nullopt;
}

std::optional<Affine> affine(const Function& f, OpId op, const CountedLoop& loop, Value v, int depth) {
  if (v == f.args(f.regions(op)[1])[loop.counter]) return Affine{loop.step, loop.start};
  if (const auto c = integer_constant(f, v)) return is_far(*c) ? std::nullopt : std::optional(Affine{0, *c});
  const OpId made = f.defining_op(v);
  if (!made && f.region(v) == f.regions(op)[1]) return stepped_carry(f, op, loop, f.position(v));
  if (!made || depth == 0 || !f.type(v).is_scalar() || !is_integer(f.type(v).element_type()) ||
      byte_size(f.type(v).element_type()) < 4)
    return std::nullopt;
  const std::string_view name = f.def(made).mnemonic;
  const auto part = [&](size_t i) { return affine(f, op, loop, f.operand(made, i), depth - 1); };
  if (name == "stablehlo.add" || name == "stablehlo.subtract") {
    const auto a = part(0), b = part(1);
    if (!a || !b) return std::nullopt;
    const int64_t sign = name == "stablehlo.add" ? 1 : -1;
    const Affine sum{a->factor + sign * b->factor, a->offset + sign * b->offset};
    if (is_far(sum.factor) || is_far(sum.offset) || is_far(sum.offset + sum.factor * loop.trips)) return std::nullopt;
    return sum;
  }
  if (name == "stablehlo.convert")
    return is_integer(f.type(f.operand(made, 0)).element_type()) ? part(0) : std::nullopt;
  if (name == "stablehlo.reshape") return part(0);
  if (name == "stablehlo.select") {
    // select(i < 0, i + n, i), which front ends put around every index, where i is never negative.
    const Value test = f.operand(made, 0);
    if (!is(f, test, "stablehlo.compare")) return std::nullopt;
    const OpId compare = f.defining_op(test);
    if (f.attrs(compare).text("comparison_direction") != "LT" || integer_constant(f, f.operand(compare, 1)) != 0)
      return std::nullopt;
    const auto index = affine(f, op, loop, f.operand(compare, 0), depth - 1);
    if (!index || std::min(index->offset, index->offset + index->factor * (loop.trips - 1)) < 0) return std::nullopt;
    return part(2);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Affine> affine_in_iteration(const Function& f, OpId op, const CountedLoop& loop, Value v) {
  return affine(f, op, loop, v, kMaxDepth);
}

std::optional<IterationSlice> slice_by_iteration(const Function& f, OpId op, const CountedLoop& loop, Value v) {
  const RegionId body = f.regions(op)[1];
  const OpId reshape = f.defining_op(v);
  if (!reshape || f.def(reshape).mnemonic != "stablehlo.reshape") return std::nullopt;
  const OpId slice = f.defining_op(f.operand(reshape, 0));
  if (!slice || f.def(slice).mnemonic != "stablehlo.dynamic_slice") return std::nullopt;
  IterationSlice s;
  s.whole = f.operand(slice, 0);
  const Type all = f.type(s.whole), one = f.type(f.result(slice)), inside = f.type(v);
  if (f.is_within(f.region(s.whole), body) || !all.is_static() || !inside.is_static() ||
      all.rank() != inside.rank() + 1)
    return std::nullopt;
  s.axis = -1;
  for (int64_t d = 0; d < all.rank(); ++d) {
    if (one.dim(d) == all.dim(d)) continue;
    if (s.axis >= 0 || one.dim(d) != 1) return std::nullopt;
    s.axis = d;
  }
  if (s.axis < 0 || all.dim(s.axis) != loop.trips) return std::nullopt;
  for (int64_t d = 0; d < inside.rank(); ++d) {
    if (inside.dim(d) != one.dim(d < s.axis ? d : d + 1)) return std::nullopt;
  }
  s.place = f.operand(slice, static_cast<size_t>(s.axis) + 1);
  const auto order = affine_in_iteration(f, op, loop, s.place);
  const bool up = order && order->factor == 1 && order->offset == 0;
  const bool down = order && order->factor == -1 && order->offset == loop.trips - 1;
  if (!up && !down) return std::nullopt;
  s.order = *order;
  return s;
}

std::optional<int64_t> value_after(const Function& f, OpId op, const CountedLoop& loop, size_t carry) {
  const auto value = stepped_carry(f, op, loop, carry);
  if (!value) return std::nullopt;
  return value->offset + value->factor * loop.trips;
}

Value iteration_of(OpBuilder& b, const CountedLoop& loop, Value counter) {
  const ElementType t = b.type(counter).element_type();
  Value distance = counter;
  if (loop.start != 0) {
    const Value start = b.scalar(t, static_cast<double>(loop.start));
    distance = loop.step > 0 ? b.subtract(counter, start) : b.subtract(start, counter);
  } else if (loop.step < 0) {
    distance = b.negate(counter);
  }
  const int64_t stride = std::abs(loop.step);
  return stride == 1 ? distance : b.divide(distance, b.scalar(t, static_cast<double>(stride)));
}

Value with_axis(OpBuilder& b, Value x, int64_t axis) {
  std::vector<int64_t> shape(b.type(x).shape().begin(), b.type(x).shape().end()), dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) dimensions.push_back(d < axis ? d : d + 1);
  shape.insert(shape.begin() + axis, 1);
  return b.broadcast_in_dim(x, dimensions, shape);
}

}  // namespace weft
