// The reverse derivative of a loop that keeps the carries of some trips and runs the trips in between again.
//
// Both passes work on arrays of rows, a row for the carries of one trip: slots_ rows and one more, which is written when nothing need be
// kept. The forward loop fills half of them at most, so that the backward loop has free ones from the beginning.
#include <algorithm>

#include "ops/control_flow/reverse_loop.h"

namespace weft {
namespace {

const Type kCount = Type::scalar(ElementType::kI64);

Value number(OpBuilder& b, int64_t n) { return b.splat(kCount, static_cast<double>(n)); }

std::vector<Value> joined(std::initializer_list<std::span<const Value>> parts) {
  std::vector<Value> out;
  for (std::span<const Value> part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// Row `at` of an array as a place for dynamic_slice and dynamic_update_slice.
std::vector<Value> row(OpBuilder& b, Type rows, Value at) {
  std::vector<Value> out = {at};
  while (static_cast<int64_t>(out.size()) < rows.rank()) out.push_back(number(b, 0));
  return out;
}

}  // namespace

std::vector<Value> SlotLoop::write(OpBuilder& b, std::span<const Value> start, const Condition& goes_on,
                                   const Body& body) const {
  // Its derivatives keep no more than those of the loop itself.
  Attrs attrs;
  if (const Attr* recompute = op_.attrs().find("weft.recompute")) attrs.set("weft.recompute", *recompute);
  std::vector<Type> types;
  for (Value v : start) types.push_back(b.type(v));
  const RegionId condition = b.make_region(
      types, [&](OpBuilder& c, std::span<const Value> now) { return std::vector<Value>{goes_on(c, now)}; });
  const RegionId regions[] = {condition, b.make_region(types, body)};
  return b.create("stablehlo.while", start, std::move(attrs), {}, regions);
}

SlotLoop::SlotLoop(const LoopVjp& vjp) : ReverseLoop(vjp) {
  const std::vector<bool> needed = regions_.rerun_args(vjp_);
  slot_types_.push_back(kCount);
  if (needed.empty()) why_not_ = "an op in its body must not run again";
  if (!why_not_.empty()) return;
  for (size_t i = 0; i < shape_.carries; ++i) {
    if (!needed[i] || shape_.is_extra[i]) continue;
    const Type t = shape_.types[i];
    if (!t.is_tensor() || !t.is_static() || t.is_quantized())
      why_not_ = "its carry " + std::to_string(i) + " is a " + t.str() + ", and slots hold arrays of static extents";
    kept_.push_back(i);
    slot_types_.push_back(t);
  }
  if (!why_not_.empty()) return;
  for (Type t : slot_types_) state_bytes_ += static_cast<double>(t.num_bytes());
}

std::vector<Value> SlotLoop::store(OpBuilder& b, std::span<const Value> slots, std::span<const Value> state,
                                   Value at) const {
  std::vector<Value> out;
  for (size_t k = 0; k < slots.size(); ++k) {
    std::vector<int64_t> shape(b.type(slots[k]).shape().begin(), b.type(slots[k]).shape().end());
    shape[0] = 1;
    out.push_back(b.dynamic_update_slice(slots[k], b.reshape(state[k], shape), row(b, b.type(slots[k]), at)));
  }
  return out;
}

std::vector<Value> SlotLoop::load(OpBuilder& b, std::span<const Value> slots, Value at) const {
  std::vector<Value> out;
  for (size_t k = 0; k < slots.size(); ++k) {
    std::vector<int64_t> sizes(b.type(slots[k]).shape().begin(), b.type(slots[k]).shape().end());
    sizes[0] = 1;
    out.push_back(b.reshape(b.dynamic_slice(slots[k], row(b, b.type(slots[k]), at), sizes), slot_types_[k].shape()));
  }
  return out;
}

// The state of a trip is its number and the carries kept.
std::vector<Value> SlotLoop::advance(OpBuilder& b, std::span<const Value> state, std::span<const Value> extras) const {
  RegionVjp trip = vjp_;
  trip.cotangents.clear();
  trip.accumulators.clear();
  trip.accumulated.clear();
  trip.arg_cotangents.clear();
  std::vector<Value> args;
  for (size_t i : kept_) {
    args.push_back(vjp_.args[i]);
    trip.arg_cotangents.push_back(vjp_.results[i]);
  }
  std::vector<Value> out = {b.add(state[0], number(b, 1))};
  const std::vector<Value> values = joined({state.subspan(1), extras});
  for (Value v : regions_.emit_backward(trip, args, b, values, {}, {})) out.push_back(v);
  return out;
}

std::vector<Value> SlotLoop::write_forward(OpBuilder& b) {
  const int64_t most = std::max<int64_t>(2, (slots_ + 1) / 2);
  LoopWriter loop(b, op_);
  add_source(loop);
  const size_t carries = num_carries(), num_slots = slot_types_.size();
  loop.zero_carry(kCount);  // trips
  for (Type t : slot_types_) {
    std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    shape.insert(shape.begin(), slots_ + 1);
    const Type rows = Type::tensor(t.element_type(), shape);
    loop.carry(b.zeros(rows), rows, false);
  }
  loop.zero_carry(kCount);                  // slots in use
  loop.carry(number(b, 1), kCount, false);  // trips between them

  const std::vector<Value> values = loop.write(
      [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
        return regions_.copy_region(op_.region(0), c, source_args(shape_, now, extras));
      },
      [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
        const Value count = now[carries], used = now[carries + 1 + num_slots], spacing = now[carries + 2 + num_slots];
        const Value is_full = c.compare(used, number(c, most), "EQ");
        const Value left = c.select(is_full, number(c, (most + 1) / 2), used);
        const Value apart = c.select(is_full, c.add(spacing, spacing), spacing);
        // Rows 0, 2, 4, … come to lie side by side.
        std::vector<Value> start = {number(c, 1)};
        for (size_t k = 0; k < num_slots; ++k) start.push_back(now[carries + 1 + k]);
        const Value moved = c.select(is_full, left, number(c, 1));
        std::vector<Value> rows = write(
            c, start, [&](OpBuilder& d, std::span<const Value> at) { return d.compare(at[0], moved, "LT"); },
            [&](OpBuilder& d, std::span<const Value> at) {
              const std::vector<Value> from = load(d, at.subspan(1), d.add(at[0], at[0]));
              return joined({std::vector<Value>{d.add(at[0], number(d, 1))}, store(d, at.subspan(1), from, at[0])});
            });
        rows.erase(rows.begin());
        std::vector<Value> state = {count};
        const std::vector<Value> args = source_args(shape_, now.first(carries), extras);
        for (size_t i : kept_) state.push_back(args[i]);
        rows = store(c, rows, state, left);

        const Value until = c.add(count, apart);
        const std::vector<Value> first = joined({now.first(carries), std::span(&count, 1)});
        const std::vector<Value> last = write(
            c, first,
            [&](OpBuilder& d, std::span<const Value> at) {
              const Value goes_on =
                  regions_.copy_region(op_.region(0), d, source_args(shape_, at.first(carries), extras))[0];
              return d.logical_and(goes_on, d.compare(at[carries], until, "LT"));
            },
            [&](OpBuilder& d, std::span<const Value> at) {
              const std::vector<Value> all =
                  regions_.emit_forward(vjp_, {}, d, source_args(shape_, at.first(carries), extras));
              std::vector<Value> out;
              for (size_t i = 0; i < shape_.carries; ++i) {
                if (!shape_.is_extra[i]) out.push_back(all[i]);
              }
              out.push_back(d.add(at[carries], number(d, 1)));
              return out;
            });
        const Value more[] = {c.add(left, number(c, 1)), apart};
        return joined({last, rows, more});
      });
  count_ = values[carries];
  final_.assign(values.begin() + static_cast<std::ptrdiff_t>(carries) + 1, values.end() - 1);
  return results_of(b, loop, values);
}

/// With s checkpoints (the trip at hand is one) and r runs of the loop C(s+r, s) trips can be run backwards. How far to go to the next
/// checkpoint when so many trips are left that r runs are needed: 1 to trips - 1.
Value SlotLoop::trips_to_next(OpBuilder& b, Value trips, Value checkpoints) const {
  const Value one = number(b, 1);
  // r, C(s+r-1, s), C(s+r, s)
  const Value start[] = {one, one, b.add(checkpoints, one)};
  const std::vector<Value> found = write(
      b, start, [&](OpBuilder& c, std::span<const Value> at) { return c.compare(at[2], trips, "LT"); },
      [&](OpBuilder& c, std::span<const Value> at) {
        const Value r = c.add(at[0], number(c, 1));
        return std::vector<Value>{r, at[2], c.divide(c.multiply(at[2], c.add(checkpoints, r)), r)};
      });
  const Value behind =
      b.divide(b.multiply(found[1], checkpoints), b.subtract(b.add(checkpoints, found[0]), one));  // C(s+r-2, s-1)
  return b.minimum(found[1], b.subtract(trips, behind));
}

std::vector<Value> SlotLoop::write_backward(OpBuilder& b, std::span<const Value> cotangents,
                                            std::span<const Value> sums) {
  const size_t num_slots = slot_types_.size(), used_at = 1 + num_slots, first_moving = used_at + 1;
  LoopWriter loop(b, op_);
  loop.carry(count_, kCount, true);
  for (size_t k = 0; k < num_slots; ++k) {
    std::vector<int64_t> shape(slot_types_[k].shape().begin(), slot_types_[k].shape().end());
    shape.insert(shape.begin(), slots_ + 1);
    loop.carry(final_[k], Type::tensor(slot_types_[k].element_type(), shape), true);
  }
  loop.carry(final_[num_slots], kCount, true);
  add_cotangents(loop, cotangents, sums);
  add_extras(loop);

  std::vector<Value> kept;
  for (size_t i : kept_) kept.push_back(vjp_.args[i]);
  const std::vector<Value> values = loop.write(
      [&](OpBuilder& c, std::span<const Value> now, std::span<const Value>) {
        return std::vector<Value>{c.compare(now[0], number(c, 0), "GT")};
      },
      [&](OpBuilder& c, std::span<const Value> now, std::span<const Value> extras) {
        const Value one = number(c, 1), target = c.subtract(now[0], one);
        const std::vector<Value> from = load(c, now.subspan(1, num_slots), c.subtract(now[used_at], one));
        // From the last trip that is kept to this one, keeping more on the way.
        const std::vector<Value> there = write(
            c, joined({from, now.subspan(1, num_slots + 1)}),
            [&](OpBuilder& d, std::span<const Value> at) { return d.compare(at[0], target, "LT"); },
            [&](OpBuilder& d, std::span<const Value> at) {
              const Value used = at[2 * num_slots], most = number(d, slots_);
              const Value trips = d.add(d.subtract(target, at[0]), number(d, 1));
              const Value checkpoints = d.add(d.subtract(most, used), number(d, 1));
              const Value stop = d.add(at[0], trips_to_next(d, trips, checkpoints));
              const std::vector<Value> state = write(
                  d, at.first(num_slots),
                  [&](OpBuilder& e, std::span<const Value> s) { return e.compare(s[0], stop, "LT"); },
                  [&](OpBuilder& e, std::span<const Value> s) { return advance(e, s, extras); });
              const Value stays = d.logical_and(d.compare(state[0], target, "LT"), d.compare(used, most, "LT"));
              const Value now_used = d.select(stays, d.add(used, number(d, 1)), used);
              return joined({state, store(d, at.subspan(num_slots, num_slots), state, used), std::span(&now_used, 1)});
            });
        const std::span<const Value> state = std::span(there).first(num_slots),
                                     rows = std::span(there).subspan(num_slots, num_slots);
        const std::vector<Value> given = joined({state.subspan(1), extras});
        const std::vector<Value> back = backward_trip(c, kept, given, now.subspan(first_moving));
        const Value top = c.subtract(there.back(), number(c, 1));
        const Value top_trip = load(c, rows.first(1), top)[0];
        const Value used = c.select(c.compare(top_trip, target, "EQ"), top, there.back());
        return joined({std::span(&target, 1), rows, std::span(&used, 1), back});
      });
  return cotangents_of(b, loop, std::span(values).subspan(first_moving), sums);
}

}  // namespace weft
